import Dissection
import Synchronization

/// JSON paths that are left out of a comparison, and which of them were found.
///
/// `$.ts` is the member of the outermost object; `$..ts` is one at any depth, `$.ts` included; `*` stands for any characters.
package final class IgnoredPaths: Sendable {
    private struct Entry {
        let text: String
        let pattern: WildcardPattern
        var isFound = false
    }

    package let isEmpty: Bool
    private let entries: Mutex<[Entry]>

    package init(_ paths: [String]) {
        isEmpty = paths.isEmpty
        entries = Mutex(
            paths.map {
                Entry(text: $0, pattern: WildcardPattern($0.replacing("..[", with: "*[").replacing("..", with: "*.")))
            })
    }

    /// Whether a path is left out.
    func matches(_ path: RawSpan) -> Bool {
        guard !isEmpty else { return false }
        return entries.withLock { entries in
            var isIgnored = false
            // One that another one covers was found as well.
            for index in entries.indices where !isIgnored || !entries[index].isFound {
                guard entries[index].pattern.matches(path) else { continue }
                (isIgnored, entries[index].isFound) = (true, true)
            }
            return isIgnored
        }
    }

    /// Those that no message has, with what to write where a member may be further in.
    package var hints: [String] {
        entries.withLock { $0.filter { !$0.isFound }.map(\.text) }.map { text in
            guard let name = text.split(separator: ".").last, text.hasPrefix("$."), !text.contains("*"), !text.contains("..") else {
                return "--ignore \(text): no message has such a path"
            }
            return "--ignore \(text): no message has such a path; --ignore '$..\(name)' leaves \(name) out at any depth"
        }
    }
}
