import Dissection

/// Paths to members of JSON whose values are hidden, such as `$.user.email`, `$.items[*].card` or `$..pin`.
package struct JSONPaths: Sendable {
    /// Why a text is no path.
    package struct Problem: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The steps of all paths, one after another, and nothing at the end of each, at which the value is one of those that are hidden.
    private var steps: [JSONPath.Step?] = []
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
        guard text.utf8.first == UInt8(ascii: "$") else { throw Problem(description: "a path begins with $, such as $.user.email") }
        let path: JSONPath
        do throws(JSONPath.Problem) { path = try JSONPath(Array(text.utf8), isRooted: true) } catch {
            throw Problem(description: error.words)
        }
        guard !path.steps.isEmpty else { throw Problem(description: "$ alone is everything; name a member, as in $.user.email") }
        guard steps.count + path.steps.count < Self.most else {
            throw Problem(description: "the paths have more than \(Self.most - 1) names together")
        }
        first |= 1 << UInt64(steps.count)
        for step in path.descending { descending |= 1 << UInt64(steps.count + step) }
        steps += path.steps
        ends |= 1 << UInt64(steps.count)
        steps.append(nil)
    }

    /// Whether the value that these steps came to is hidden.
    func isEnd(_ reached: UInt64) -> Bool { reached & ends != 0 }

    /// The steps that are next behind a member.
    func member(_ reached: UInt64, _ name: [UInt8]) -> UInt64 {
        advance(reached) { $0 == .key(name) || $0 == .every || $0 == .anything }
    }

    /// The steps that are next behind an element of an array.
    func element(_ reached: UInt64, _ place: Int) -> UInt64 {
        advance(reached) { $0 == .index(place) || $0 == .every || $0 == .anything }
    }

    private func advance(_ reached: UInt64, _ isMet: (JSONPath.Step?) -> Bool) -> UInt64 {
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
