/// The header fields that every response has: what a browser may do with it.
enum SecurityFields {
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; \
        form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """

    /// - Parameter isSandboxed: the response has bytes of a peer.
    static func fields(isSandboxed: Bool = false) -> [(name: String, value: String)] {
        [
            ("Content-Security-Policy", isSandboxed ? policy + "; sandbox" : policy),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cache-Control", "no-store"),
        ]
    }
}
