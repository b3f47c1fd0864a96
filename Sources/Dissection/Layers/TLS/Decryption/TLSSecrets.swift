/// The 32 bytes of `random` in a hello (RFC 8446, section 4.1.2). The client's names a session in a key log.
package struct TLSRandom: Hashable, Sendable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Nil unless there are 32 bytes.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == 32 else { return nil }
        first = bytes.bigEndianUInt64(at: 0)
        second = bytes.bigEndianUInt64(at: 8)
        third = bytes.bigEndianUInt64(at: 16)
        fourth = bytes.bigEndianUInt64(at: 24)
    }

    /// The 32 bytes in the order of the wire.
    package var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
        }
    }
}

/// Which of the secrets of a session (RFC 9850, section 2).
package enum TLSSecretLabel: Hashable, Sendable {
    /// `CLIENT_RANDOM`: the master secret of TLS 1.2 and before, 48 bytes.
    case master
    /// `CLIENT_EARLY_TRAFFIC_SECRET`.
    case early
    /// `CLIENT_HANDSHAKE_TRAFFIC_SECRET` and `SERVER_HANDSHAKE_TRAFFIC_SECRET`.
    case handshake(Side)
    /// `CLIENT_TRAFFIC_SECRET_0` and `SERVER_TRAFFIC_SECRET_0`; a higher generation follows a key update (RFC 8446, section 7.2).
    case traffic(Side, generation: UInt16)
    /// `EXPORTER_SECRET`.
    case exporter
    /// `EARLY_EXPORTER_SECRET`, which was called `EARLY_EXPORTER_MASTER_SECRET`.
    case earlyExporter
}

/// Secrets of sessions, such as those of a key log. More may come while packets are read.
package protocol TLSSecrets: AnyObject, Sendable {
    /// Whether a secret that is not known may be known a little later, so that it is worth a wait.
    var grows: Bool { get }

    /// No secret is known, and none will be soon: nothing is kept for a connection then.
    var isEmpty: Bool { get }

    /// The secret of the session whose ClientHello had `random`; nil where it is not known, or not known so far. At most 64 bytes.
    func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]?

    /// What else is said to be that secret: a log may have a damaged line beside the right one. The one that opens a record is the right one.
    func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]]
}

extension TLSSecrets {
    /// Most sources say it once.
    package func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]] { [] }
}
