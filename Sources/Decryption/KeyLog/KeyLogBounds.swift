import Dissection

/// How far a file is read as a key log.
///
/// A key log is text, in lines of at most 228 bytes, about 700 bytes a session. What is something else would be read for ever where it has no end, as
/// `/dev/zero` or a program that goes on writing into a FIFO.
package struct KeyLogBounds: Sendable {
    /// What a file has too much of.
    package enum Excess: Equatable, Sendable, CustomStringConvertible {
        case lineLength, damagedLines, size

        package var description: String {
            switch self {
            case .lineLength: "not a key log: a line of more than 16 KiB"
            case .damagedLines: "not a key log: 10,000 lines are not valid, and no line has a secret"
            case .size: "more than 1 GiB; a key log of this capture alone is enough"
            }
        }
    }

    static let longestLine = 16 << 10
    static let mostDamagedLines: UInt64 = 10_000
    /// Some 1.5 million sessions of TLS 1.3.
    static let mostBytes = 1 << 30

    private var total = 0
    /// Of the line that is not at its end.
    private var lineBytes = 0
    /// What there was before the file, of other files.
    private var before: KeyLogSecrets.Counts?

    /// Takes note of what is known when a file is begun; later calls change nothing.
    mutating func begin(_ counts: KeyLogSecrets.Counts) { before = before ?? counts }

    /// Takes the next bytes of a file, after its secrets were read.
    ///
    /// - Parameter counts: of all files so far.
    mutating func excess(after bytes: RawSpan, _ counts: KeyLogSecrets.Counts) -> Excess? {
        total += bytes.byteCount
        var end = bytes.byteCount
        while end > 0, bytes[end - 1] != 0x0A { end -= 1 }
        // A long line that ends within one read of 64 KiB is not looked for: it has an end, and no secret.
        lineBytes = end > 0 ? bytes.byteCount - end : lineBytes + bytes.byteCount
        if lineBytes > Self.longestLine { return .lineLength }
        if total > Self.mostBytes { return .size }
        guard let before, counts.secrets == before.secrets, counts.damaged - min(before.damaged, counts.damaged) > Self.mostDamagedLines
        else { return nil }
        return .damagedLines
    }
}
