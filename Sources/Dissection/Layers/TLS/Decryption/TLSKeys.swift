/// Which keys hold in a direction, or opened a record.
package struct TLSKeys: Sendable, Equatable {
    package enum Kind: Sendable {
        /// Those of the handshake of TLS 1.3, or none so far: what they protect is none of the plaintext.
        case handshake
        /// Of early data (RFC 8446, section 4.2.10).
        case early
        /// Up to TLS 1.2: the first record under them is Finished.
        case session
        /// Of what follows the handshake of TLS 1.3.
        case traffic
    }

    package var kind = Kind.handshake
    /// How often the keys of the direction have changed before.
    package var number: UInt64 = 0
}
