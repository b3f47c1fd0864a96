import Dissection

/// A finding of a check: what was found, where, and whether it counts.
package struct CheckedFinding: Sendable {
    package enum State: String, Sendable, CaseIterable {
        case new
        /// The baseline has it.
        case known
        /// `--allow` names it.
        case allowed
    }

    package var id: String
    package var severity: Severity
    package var sentence: String
    /// The number of the input in `CheckResult.inputs`.
    package var input: Int
    /// The number of the packet in its own file; nil where the source has none.
    package var packet: UInt64?
    package var offset: UInt64?
    package var from: Side?
    package var time: Timestamp?
    /// 0 for what concerns the input itself.
    package var conversation: UInt64
    package var host = ""
    package var path = ""
    package var key: FindingKey
    package var state: State

    /// Bytes of memory that it takes, about.
    var heldBytes: Int {
        MemoryLayout<CheckedFinding>.stride + 2 * (sentence.utf8.count + host.utf8.count + path.utf8.count) + id.utf8.count
    }
}

/// What makes two findings of different runs the same: neither packets nor times nor ports.
package struct FindingKey: Hashable, Comparable, Sendable {
    package var id: String
    /// Without a port.
    package var host: String
    package var path: String
    /// The sentence, with `#` for amounts of bytes, packets and time, for positions and for ports.
    package var about: String

    package static func < (left: FindingKey, right: FindingKey) -> Bool {
        (left.id, left.host, left.path, left.about) < (right.id, right.host, right.path, right.about)
    }

    /// A 64-bit FNV-1a hash of all four, for SARIF's partial fingerprints. It is the same in every run and version.
    package var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in [id, host, path, about].joined(separator: "\0").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return hash
    }

    /// Units after a number that another run has another number of.
    private static let units: Set<Substring> = [
        "B", "kB", "MB", "GB", "KiB", "MiB", "byte", "bytes", "packet", "packets", "segment", "segments", "ns", "µs", "ms", "s", "min", "h",
        "times",
    ]

    /// Words before a number that is a position.
    private static let positions: Set<Substring> = ["byte", "offset", "position"]

    /// A sentence without what differs from run to run: numbers with a unit, positions, and ports.
    package static func about(_ sentence: String) -> String {
        var words = sentence.split(separator: " ", omittingEmptySubsequences: false)
        for index in words.indices {
            let isAmount = index + 1 < words.endIndex && units.contains(words[index + 1].trimmed)
            let isPosition = index > 0 && positions.contains(words[index - 1])
            if isAmount || isPosition, isNumber(words[index].trimmed) {
                words[index] = "#" + words[index].dropFirst(words[index].trimmed.count)
            }
            if let colon = words[index].lastIndex(of: ":"), colon > words[index].startIndex {
                let rest = words[index][words[index].index(after: colon)...]
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                if digits.count > 1, digits.count < 6 { words[index] = words[index][...colon] + "#" + rest.dropFirst(digits.count) }
            }
        }
        return words.joined(separator: " ")
    }

    private static func isNumber(_ word: Substring) -> Bool {
        let digits = word.utf8.drop { $0 == UInt8(ascii: "(") }
        return !digits.isEmpty && digits.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }
    }
}

extension Substring {
    /// Without the marks that end a clause.
    fileprivate var trimmed: Substring {
        var word = self
        while let last = word.last, ",;.)".contains(last) { word = word.dropLast() }
        return word
    }
}
