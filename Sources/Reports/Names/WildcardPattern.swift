import Dissection

/// A pattern of names: `*` stands for any characters, slashes and dots included; nothing else is special.
package struct WildcardPattern: Hashable, Sendable {
    private let pattern: [UInt8]
    private let ignoresCase: Bool

    /// - Parameter ignoresCase: whether ASCII letters of either case are the same, as in the names of hosts.
    package init(_ text: some StringProtocol, ignoresCase: Bool = false) {
        self.ignoresCase = ignoresCase
        pattern = text.utf8.map { ignoresCase ? $0.lowercased : $0 }
    }

    /// A pattern whose letters stand for themselves.
    package init(bytes: [UInt8]) {
        pattern = bytes
        ignoresCase = false
    }

    /// Whether all of the bytes fit. It goes back to the last asterisk alone, so it takes length times length steps at most.
    package func matches(_ text: RawSpan) -> Bool {
        var (next, position) = (0, 0)
        var retry: (pattern: Int, position: Int)?
        while position < text.byteCount {
            let byte = ignoresCase ? text[position].lowercased : text[position]
            if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
                next += 1
                retry = (next, position)
            } else if next < pattern.count, pattern[next] == byte {
                next += 1
                position += 1
            } else if let last = retry {
                next = last.pattern
                position = last.position + 1
                retry = (next, position)
            } else {
                return false
            }
        }
        return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}
