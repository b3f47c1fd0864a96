/// What the compressed bodies and messages of one conversation have become, against the bytes that they were on the wire.
///
/// One account for all of them, because a bound on each alone is no bound on many: 80 bytes of DEFLATE make 64 KiB of zeros,
/// and a connection has room for thousands of such bodies.
///
/// What is told may become `mostExpansion` times what came, and `freeBytes` whatever came. JSON, HTML, scripts and logs
/// become 3 to 60 times as long; 100 is out of their reach as the mean of a conversation, and a tenth of the 1,032 that
/// DEFLATE can do. What is shorter than `freeBytes` in all may be anything, an image of one colour for instance.
package struct InflationAccount: Sendable {
    package static let freeBytes: UInt64 = 4 << 20
    package static let mostExpansion: UInt64 = 100

    private var told: UInt64 = 0
    private var wire: UInt64 = 0
    /// The finding that says so has been told.
    package var isOverdrawn = false

    package init() {}

    /// How many decoded bytes may be told of what came as `more` further bytes.
    package func room(for more: UInt64) -> UInt64 {
        let (sum, tooMany) = wire.addingReportingOverflow(more)
        let (product, overflow) = sum.multipliedReportingOverflow(by: InflationAccount.mostExpansion)
        let allowed = tooMany || overflow ? .max : max(InflationAccount.freeBytes, product)
        return allowed > told ? allowed - told : 0
    }

    /// `decoded` bytes were told of what came as `more` further bytes.
    package mutating func add(_ decoded: UInt64, for more: UInt64) {
        told = told.addingReportingOverflow(decoded).overflow ? .max : told + decoded
        wire = wire.addingReportingOverflow(more).overflow ? .max : wire + more
    }
}
