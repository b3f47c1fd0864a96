import CLibcrypto

/// The library of cryptography as a whole.
enum Libcrypto {
    private static let isPrepared: Bool = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

    /// To be called before anything else of it. Other threads may still sign while the process exits, so the library must not clean up then.
    static func prepare() { _ = isPrepared }
}

/// Why something could not be signed, or a key not be read or made.
package struct SigningFailure: Error, CustomStringConvertible {
    package let description: String

    /// The last reason in libcrypto's queue of errors for this thread, which is empty afterwards.
    static func ofLibcrypto() -> SigningFailure {
        defer { ERR_clear_error() }
        let reason = ERR_reason_error_string(ERR_peek_last_error()).map { String(cString: $0) }
        return SigningFailure(description: "OpenSSL: \(reason ?? "no reason given")")
    }
}
