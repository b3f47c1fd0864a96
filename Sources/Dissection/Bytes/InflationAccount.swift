/// What the compressed bodies and messages of one conversation have become, against the bytes that they were on the wire.
///
/// One account for all of them, because a bound on each alone is no bound on many: 80 bytes of DEFLATE make 64 KiB of zeros,
/// and a connection has room for thousands of such bodies.
///
/// What is told may become `mostExpansion` times what came, and `freeBytes` whatever came. JSON, HTML, scripts and logs
/// become 3 to 60 times as long; 100 is out of their reach as the mean of a conversation, and a tenth of the 1,032 that
/// DEFLATE can do. What is shorter than `freeBytes` in all may be anything, an image of one colour for instance.
///
/// Content that is cut into elements costs a record for each of them, which is longer than a short element: 2 KB of gzip make
/// half a million lines of two bytes. So each counts `recordBytes` beside its own, in an account of the same kind.
package struct InflationAccount: Sendable {
    package static let freeBytes: UInt64 = 4 << 20
    package static let mostExpansion: UInt64 = 100

    /// What the record of an element costs beside its content.
    package static let recordBytes: UInt64 = 256
    /// Records that are told whatever came, 4,096 of them.
    package static let freeRecordBytes: UInt64 = 1 << 20
    /// A line of JSON or an event seldom takes fewer than three bytes under a coding, which makes 85 of record for each byte.
    package static let mostRecordExpansion: UInt64 = 200

    private var records: UInt64 = 0
    private var told: UInt64 = 0
    private var wire: UInt64 = 0
    /// The finding that says so has been told.
    package var isOverdrawn = false

    package init() {}

    /// How many decoded bytes may be told of what came as `more` further bytes.
    package func room(for more: UInt64) -> UInt64 {
        let allowed = allowed(for: more, expansion: InflationAccount.mostExpansion, free: InflationAccount.freeBytes)
        return allowed > told ? allowed - told : 0
    }

    /// Whether one more element may be told, with what came as `more` further bytes.
    package func hasRoomForRecord(for more: UInt64) -> Bool {
        let allowed = allowed(for: more, expansion: InflationAccount.mostRecordExpansion, free: InflationAccount.freeRecordBytes)
        return allowed > records && allowed - records >= InflationAccount.recordBytes
    }

    private func allowed(for more: UInt64, expansion: UInt64, free: UInt64) -> UInt64 {
        let (sum, tooMany) = wire.addingReportingOverflow(more)
        let (product, overflow) = sum.multipliedReportingOverflow(by: expansion)
        return tooMany || overflow ? .max : max(free, product)
    }

    /// An element was told; what it was on the wire is added by `add`.
    package mutating func addRecord() {
        let (sum, overflow) = records.addingReportingOverflow(InflationAccount.recordBytes)
        records = overflow ? .max : sum
    }

    /// `decoded` bytes were told of what came as `more` further bytes.
    package mutating func add(_ decoded: UInt64, for more: UInt64) {
        told = told.addingReportingOverflow(decoded).overflow ? .max : told + decoded
        wire = wire.addingReportingOverflow(more).overflow ? .max : wire + more
    }
}
