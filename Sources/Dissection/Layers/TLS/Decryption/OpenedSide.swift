/// How far one side of an opened connection has been read, and what of it was not.
struct OpenedSide {
    /// Where the next byte of plaintext stands in the channel inside.
    private(set) var offset: UInt64 = 0
    /// Bytes of ciphertext, headers of records included, that came or were lost since the last record that was opened.
    private var lost: UInt64 = 0
    private var lossCause = Gap.Cause.undecodable
    /// Where the next record stands among those under the same keys.
    private var nextSequence: UInt64 = 0
    /// It was told that records stay sealed.
    var saysSealed = false

    /// Ciphertext is missing since the last record that was opened.
    var isAfterLoss: Bool { lost > 0 && lossCause == .missing }

    /// Ciphertext is lost, or cannot be opened.
    mutating func lose(_ count: UInt64, _ cause: Gap.Cause) {
        if lost == 0 || cause != .undecodable { lossCause = cause }
        lost &+= count
    }

    /// A record was opened. Returns what is missing of the plaintext before it.
    ///
    /// Its length is not known: padding is none of it. What the records that were lost have had beside their content is taken for what this
    /// one has.
    mutating func advance(to plaintext: TLSPlaintext, fragmentLength: Int) -> Gap? {
        defer {
            lost = 0
            nextSequence = plaintext.sequence &+ 1
        }
        guard lost > 0, plaintext.sequence > 0 || offset > 0 else { return nil }
        let records = plaintext.sequence > nextSequence ? plaintext.sequence &- nextSequence : 1
        let added = UInt64(TLSRecordHeader.length + max(0, fragmentLength - plaintext.length))
        let (overhead, isTooMuch) = records.multipliedReportingOverflow(by: added)
        return Gap(length: isTooMuch || overhead >= lost ? 1 : lost &- overhead, cause: lossCause)
    }

    /// A record was opened that is none of the plaintext. What is missing before it is told with the next one that is.
    mutating func note(_ opened: TLSPlaintext, _ header: TLSRecordHeader) {
        nextSequence = (lost == 0 ? opened.sequence : nextSequence) &+ 1
    }

    /// What is missing at the end, as far as anybody knows.
    mutating func takeRest() -> Gap? {
        defer { lost = 0 }
        return lost > 0 ? Gap(length: lost, cause: lossCause) : nil
    }

    /// Bytes are given to the reader inside, or a gap of that length.
    mutating func pass(_ count: UInt64) { offset &+= count }
}
