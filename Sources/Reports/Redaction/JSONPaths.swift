import Dissection

/// Paths to members of JSON whose values are hidden, such as `$.user.email`, `$.items[*].card` or `$..pin`.
package struct JSONPaths: Sendable {
    /// Why a text is no path.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// One name or place, or the end of a path.
    private enum Step: Sendable {
        case name([UInt8])
        case place(Int)
        case anything
        /// The value is one of those that are hidden.
        case end
    }

    /// The steps of all paths, one after another.
    private var steps: [Step] = []
    /// Which of them may come after any number of others.
    private var descending: UInt64 = 0
    /// The first step of each path.
    private(set) var first: UInt64 = 0
    /// The ends.
    private var ends: UInt64 = 0

    /// Steps of all paths together, their ends included.
    private static let most = 64

    package init() {}

    var isEmpty: Bool { steps.isEmpty }

    /// Adds a path.
    package mutating func add(_ text: String) throws(Problem) {
        var rest = Array(text.utf8)[...]
        guard rest.first == UInt8(ascii: "$") else { throw Problem(description: "a path begins with $, such as $.user.email") }
        rest = rest.dropFirst()
        var added: [(Step, Bool)] = []
        while let byte = rest.first {
            guard byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") else {
                throw Problem(description: "behind a name comes . or [, as in $.user.email or $.items[0]")
            }
            var descends = false
            if byte == UInt8(ascii: ".") {
                rest = rest.dropFirst()
                if rest.first == UInt8(ascii: ".") {
                    descends = true
                    rest = rest.dropFirst()
                }
            }
            added.append((rest.first == UInt8(ascii: "[") ? try Self.bracket(&rest) : try Self.name(&rest), descends))
        }
        guard !added.isEmpty else { throw Problem(description: "$ alone is everything; name a member, as in $.user.email") }
        guard steps.count + added.count < Self.most else {
            throw Problem(description: "the paths have more than \(Self.most - 1) names together")
        }
        first |= 1 << UInt64(steps.count)
        for (step, descends) in added {
            if descends { descending |= 1 << UInt64(steps.count) }
            steps.append(step)
        }
        ends |= 1 << UInt64(steps.count)
        steps.append(.end)
    }

    private static func name(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> Step {
        let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        rest = rest.dropFirst(name.count)
        guard !name.isEmpty else { throw Problem(description: "a name is missing behind a point") }
        return name.elementsEqual("*".utf8) ? .anything : .name(Array(name))
    }

    private static func bracket(_ rest: inout ArraySlice<UInt8>) throws(Problem) -> Step {
        rest = rest.dropFirst()
        if let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            let name = rest.dropFirst().prefix { $0 != quote }
            rest = rest.dropFirst(name.count + 2)
            guard rest.first == UInt8(ascii: "]") else { throw Problem(description: "a bracket is open; names stand in them as ['name']") }
            rest = rest.dropFirst()
            return .name(Array(name))
        }
        let inside = rest.prefix { $0 != UInt8(ascii: "]") }
        rest = rest.dropFirst(inside.count)
        guard rest.first == UInt8(ascii: "]") else { throw Problem(description: "a bracket is open") }
        rest = rest.dropFirst()
        if inside.elementsEqual("*".utf8) { return .anything }
        guard let place = Int(String(decoding: inside, as: UTF8.self)), place >= 0 else {
            throw Problem(description: "in brackets stands a number from 0, * or a name in quotes")
        }
        return .place(place)
    }

    /// Whether the value that these steps came to is hidden.
    func isEnd(_ reached: UInt64) -> Bool { reached & ends != 0 }

    /// The steps that are next behind a member.
    func member(_ reached: UInt64, _ name: [UInt8]) -> UInt64 {
        advance(reached) { step in
            switch step {
            case .name(let wanted): wanted == name
            case .anything: true
            case .place, .end: false
            }
        }
    }

    /// The steps that are next behind an element of an array.
    func element(_ reached: UInt64, _ place: Int) -> UInt64 {
        advance(reached) { step in
            switch step {
            case .place(let wanted): wanted == place
            case .anything: true
            case .name, .end: false
            }
        }
    }

    private func advance(_ reached: UInt64, _ isMet: (Step) -> Bool) -> UInt64 {
        var left = reached
        var next = reached & descending
        while left != 0 {
            let index = left.trailingZeroBitCount
            left &= left - 1
            if isMet(steps[index]) { next |= 1 << UInt64(index + 1) }
        }
        return next
    }
}
