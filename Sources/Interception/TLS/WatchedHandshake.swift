import NIOSSL

/// Makes the library's handler for a client that is asked about each certificate which it verifies.
///
/// NIOSSL has deprecated that for a callback that replaces the library's verification, where this one stands beside it. Asked for through a
/// protocol, which is not deprecated, it is built without a warning.
protocol WatchedHandshake {
    static func handler(
        context: NIOSSLContext, serverHostname: String?, watch: @escaping NIOSSLVerificationCallback
    ) throws -> NIOSSLClientHandler
}

enum LibraryHandshake: WatchedHandshake {
    @available(*, deprecated, message: "for the protocol")
    static func handler(
        context: NIOSSLContext, serverHostname: String?, watch: @escaping NIOSSLVerificationCallback
    ) throws -> NIOSSLClientHandler {
        try NIOSSLClientHandler(context: context, serverHostname: serverHostname, verificationCallback: watch)
    }
}
