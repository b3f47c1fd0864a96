import NIOSSL

/// The groups for the key exchange (RFC 8446 4.2.7), on both sides.
///
/// The library's own list begins with the hybrid of X25519 and ML-KEM. It is left out: its shares make hellos of more than one packet, at
/// which some servers and boxes on the way stumble, and two more operations in each handshake.
enum KeyExchange {
    static let groups: [NIOTLSCurve] = [.x25519, .secp256r1, .secp384r1, .secp521r1]
}
