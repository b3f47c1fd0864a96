/// Values by the numbers of conversations: what filters look up for each event, and so a plain table of numbers with the last place remembered.
///
/// Numbers are our own, or those of a log that a stranger made: the table spreads them by a multiplier that nobody can know, so that no choice of
/// numbers makes it slow.
package struct ByConversation<Value> {
    /// 0 where a place is free: no conversation has that number.
    private var numbers: [UInt64]
    private var values: [Value]
    private let vacant: Value
    private let multiplier = UInt64.random(in: .min ... .max) | 1
    /// How far a product is shifted, so that its highest bits are a place.
    private var shift: UInt64
    package private(set) var count = 0
    /// Where the last one stood, which mostly is that of the next event.
    private var last = 0

    private static var least: Int { 16 }

    /// - Parameter vacant: what stands where there is nothing.
    package init(vacant: Value) {
        self.vacant = vacant
        numbers = [UInt64](repeating: 0, count: Self.least)
        values = [Value](repeating: vacant, count: Self.least)
        shift = 64 - 4
    }

    package var isEmpty: Bool { count == 0 }

    /// Bytes of memory that it takes, without what values hold elsewhere.
    package var heldBytes: Int { numbers.count * (MemoryLayout<UInt64>.stride + MemoryLayout<Value>.stride) }

    /// The place of a conversation, until the next one is added or removed; nil where there is none.
    @inline(__always)
    package mutating func place(of number: UInt64) -> Int? {
        if numbers[last] == number { return number == 0 ? nil : last }
        return find(number)
    }

    /// The place of a conversation, which is added where there is none.
    @inline(__always)
    package mutating func placeAdding(_ number: UInt64) -> Int? {
        if let place = place(of: number) { return place }
        return number == 0 ? nil : add(number)
    }

    /// The numbers of all conversations, in no order.
    package var all: [UInt64] { numbers.filter { $0 != 0 } }

    /// The value at a place.
    package subscript(place: Int) -> Value {
        @inline(__always) get { values[place] }
        @inline(__always) _modify { yield &values[place] }
    }

    /// Removes a conversation; returns what it had.
    @discardableResult
    package mutating func remove(_ number: UInt64) -> Value? {
        guard count > 0, let place = place(of: number) else { return nil }
        let value = values[place]
        // What follows and would have stood here, were it free, moves up.
        let mask = numbers.count - 1
        var free = place
        var next = (place + 1) & mask
        while numbers[next] != 0 {
            let home = home(of: numbers[next])
            if (next - home) & mask >= (next - free) & mask {
                numbers[free] = numbers[next]
                values[free] = values[next]
                free = next
            }
            next = (next + 1) & mask
        }
        numbers[free] = 0
        values[free] = vacant
        count -= 1
        return value
    }

    @inline(__always)
    private func home(of number: UInt64) -> Int {
        // A product alone has numbers that follow each other in a few rows, by some multipliers.
        let product = number &* multiplier
        return Int(truncatingIfNeeded: ((product ^ product >> 32) &* 0x9e37_79b9_7f4a_7c15) >> shift)
    }

    private mutating func find(_ number: UInt64) -> Int? {
        guard number != 0 else { return nil }
        let mask = numbers.count - 1
        var place = home(of: number)
        while numbers[place] != number {
            if numbers[place] == 0 { return nil }
            place = (place + 1) & mask
        }
        last = place
        return place
    }

    private mutating func add(_ number: UInt64) -> Int {
        if count >= numbers.count / 2 { grow() }
        let mask = numbers.count - 1
        var place = home(of: number)
        while numbers[place] != 0 { place = (place + 1) & mask }
        numbers[place] = number
        count += 1
        last = place
        return place
    }

    private mutating func grow() {
        let (oldNumbers, oldValues) = (numbers, values)
        numbers = [UInt64](repeating: 0, count: oldNumbers.count * 2)
        values = [Value](repeating: vacant, count: oldNumbers.count * 2)
        shift -= 1
        last = 0
        let mask = numbers.count - 1
        for (number, value) in zip(oldNumbers, oldValues) where number != 0 {
            var place = home(of: number)
            while numbers[place] != 0 { place = (place + 1) & mask }
            numbers[place] = number
            values[place] = value
        }
    }
}

extension ByConversation: Sendable where Value: Sendable {}
