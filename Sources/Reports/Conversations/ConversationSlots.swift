import Dissection

/// Values by the numbers of conversations that are large, or change with each event: each stays where it is, and is changed there.
package struct ConversationSlots<Value> {
    private var places = ByConversation<Int32>(vacant: -1)
    private var values: [Value] = []
    private var free: [Int32] = []
    private let vacant: Value

    /// - Parameter vacant: what a conversation begins with.
    package init(vacant: Value) { self.vacant = vacant }

    package var isEmpty: Bool { places.isEmpty }

    /// Bytes of memory that it takes, without what values hold elsewhere.
    package var heldBytes: Int {
        isEmpty ? 0 : places.heldBytes + values.capacity * MemoryLayout<Value>.stride + free.capacity * MemoryLayout<Int32>.stride
    }

    /// Where the value of a conversation is, until it is removed; nil where there is none.
    @inline(__always)
    package mutating func slot(of number: UInt64) -> Int? {
        guard let place = places.place(of: number) else { return nil }
        return Int(places[place])
    }

    /// Asks for the memory of a conversation's value, which is wanted soon: of a thousand conversations side by side it is far away.
    @inline(__always)
    package mutating func prefetch(_ number: UInt64, bytes: Int = MemoryLayout<Value>.size) {
        guard let place = places.place(of: number) else { return }
        let start = unsafe values.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        Prefetch.ask(at: start &+ UInt(truncatingIfNeeded: Int(places[place]) &* MemoryLayout<Value>.stride), bytes: bytes)
    }

    /// Where the value of a conversation is, which is made where there is none; nil for the number 0, which no conversation has.
    @inline(__always)
    package mutating func slotAdding(_ number: UInt64) -> Int? {
        guard let place = places.placeAdding(number) else { return nil }
        let known = places[place]
        if known >= 0 { return Int(known) }
        let slot = free.popLast() ?? Int32(truncatingIfNeeded: values.count)
        if Int(slot) == values.count { values.append(vacant) }
        places[place] = slot
        return Int(slot)
    }

    /// The numbers of all conversations, in no order.
    package var all: [UInt64] { places.all }

    /// The value in a slot.
    package subscript(slot: Int) -> Value {
        @inline(__always) _read { yield values[slot] }
        @inline(__always) _modify { yield &values[slot] }
    }

    /// Removes a conversation; returns what it had.
    @discardableResult
    package mutating func remove(_ number: UInt64) -> Value? {
        guard let slot = places.remove(number), slot >= 0 else { return nil }
        var value = vacant
        swap(&value, &values[Int(slot)])
        if places.isEmpty {
            // What many have taken is given back.
            (places, values, free) = (ByConversation(vacant: -1), [], [])
        } else {
            free.append(slot)
        }
        return value
    }
}

extension ConversationSlots: Sendable where Value: Sendable {}
