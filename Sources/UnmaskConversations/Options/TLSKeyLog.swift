package import Dissection

/// Secrets of TLS sessions, with which their content is decrypted.
///
/// The module `UnmaskDecryption`, a product of its own because it needs libcrypto of OpenSSL, makes them of key log files (RFC 9850, the
/// files of `SSLKEYLOGFILE`).
public struct TLSKeyLog: Sendable {
    /// Makes the keys of one reading.
    let make: @Sendable () -> any CaptureKeySource

    package init(_ make: @escaping @Sendable () -> any CaptureKeySource) { self.make = make }
}

/// The keys of one reading: those that were given, and those that the capture brings.
package protocol CaptureKeySource: Sendable {
    /// The layers that there are, with the keys for them.
    var layers: LayerTable { get }

    /// Bytes of memory that they take.
    var heldBytes: Int { get }

    /// A capture begins.
    ///
    /// - Parameter canLookAhead: it is a file that can be looked through for secrets that follow the packets that need them.
    func begin(_ path: String, canLookAhead: Bool)

    /// Takes the secrets that a capture brings among its packets.
    func receive(_ bytes: RawSpan, canLookAhead: Bool)
}
