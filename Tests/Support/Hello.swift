/// A ClientHello, byte by byte.
package enum Hello {
    /// - Parameters:
    ///   - asksAgain: whether it offers TLS 1.3 without a key share, so that the server has to ask for another hello.
    ///   - padding: bytes of its extension for padding; none where this is 0 (RFC 7685).
    ///   - alpn: the protocols that it offers.
    package static func bytes(name: String, asksAgain: Bool = false, padding: Int = 0, alpn: [String] = []) -> [UInt8] {
        func sized(_ width: Int, _ body: [UInt8]) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: body.count >> (8 * $0)) } + body
        }
        let sni: [UInt8] = [0, 0] + sized(2, sized(2, [0] + sized(2, Array(name.utf8))))
        let versions: [UInt8] = [0, 43] + sized(2, sized(1, [3, 4]))
        let shares: [UInt8] = [0, 51] + sized(2, sized(2, []))
        let groups: [UInt8] = [0, 10] + sized(2, sized(2, [0, 23]))
        let signatures: [UInt8] = [0, 13] + sized(2, sized(2, [4, 3, 8, 4]))
        let pad: [UInt8] = padding == 0 ? [] : [0, 21] + sized(2, [UInt8](repeating: 0, count: padding))
        let protocols: [UInt8] = alpn.isEmpty ? [] : [0, 16] + sized(2, sized(2, alpn.flatMap { sized(1, Array($0.utf8)) }))
        let random = [UInt8](repeating: 7, count: 32)
        let suites: [UInt8] = [0x13, 0x01, 0xC0, 0x2B]
        let extensions = sni + groups + signatures + protocols + pad + (asksAgain ? versions + shares : [])
        let body = [3, 3] + random + [0] + sized(2, suites) + [1, 0] + sized(2, extensions)
        return [22, 3, 1] + sized(2, [1] + sized(3, body))
    }
}
