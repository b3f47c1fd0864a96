import Dissection

/// What a client's hello asks for, as far as it can be asked of the server in our hello.
package struct UpstreamOffer: Hashable, Sendable {
    /// The name for SNI; nil where the client sent none, or nothing that is a name.
    package var serverName: String?
    /// The protocols in the client's order, without those that only keep servers tolerant (GREASE, RFC 8701 3.1).
    package var alpn: [String] = []
    /// What our hello cannot say, in words.
    package var leftOut: [String] = []

    /// - Parameters:
    ///   - hello: the client's hello, and
    ///   - message: the handshake message that its ranges point into.
    package init(_ hello: ClientHello, in message: [UInt8]) {
        if !hello.serverName.isEmpty {
            let text = String(decoding: message[Self.indices(hello.serverName, in: message)], as: UTF8.self)
            serverName = Self.sniName(text)
            if serverName == nil { leftOut.append("a server name that is not a host name") }
        }
        readProtocols(message[Self.indices(hello.alpn, in: message)])
        if hello.mayHaveEncryptedHello {
            leftOut.append("an encrypted_client_hello extension, which may have a name and protocols that only the server can read")
        }
        let highest = hello.highestVersion(message.rawBytes)
        if highest < 0x0303 { leftOut.append("\(TLSNames.version(highest) ?? "a version") and no newer one") }
    }

    private mutating func readProtocols(_ list: ArraySlice<UInt8>) {
        var rest = list
        while let length = rest.popFirst() {
            guard length > 0, length <= rest.count else { break }
            let name = rest.prefix(Int(length))
            rest = rest.dropFirst(Int(length))
            if Self.isGREASE(name) { continue }
            if name.allSatisfy({ $0 < 0x80 }) {
                alpn.append(String(decoding: name, as: UTF8.self))
            } else {
                leftOut.append("an application protocol (ALPN) that is not ASCII")
            }
        }
    }

    /// Whether a protocol is HTTP/2 (RFC 9113 3.1), or a draft of it.
    private static func isHTTP2(_ name: String) -> Bool { name == "h2" || name.hasPrefix("h2-") }

    /// The protocols without HTTP/2, and with HTTP/1.1 where nothing else was offered.
    package var withoutHTTP2: [String] {
        let rest = alpn.filter { !Self.isHTTP2($0) }
        return rest.isEmpty && !alpn.isEmpty ? ["http/1.1"] : rest
    }

    /// What `--http1` changes about the offer, in words; nil where there is no HTTP/2 in it.
    package var changeWithoutHTTP2: String? {
        guard alpn.contains(where: Self.isHTTP2) else { return nil }
        let change =
            "the client offered \(alpn.joined(separator: ", ")), and the server was offered \(withoutHTTP2.joined(separator: ", "))"
        let isAlone = alpn.allSatisfy(Self.isHTTP2)
        return change
            + (isAlone ? "; no protocol is selected with the client, which may end the connection, or speak HTTP/2 all the same" : "")
    }

    private static func indices(_ range: ByteRange, in message: [UInt8]) -> Range<Int> {
        (range.start..<range.end).clamped(to: message.indices)
    }

    private static func isGREASE(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count == 2, let first = name.first, let last = name.last else { return false }
        return TLSNames.isGREASE(UInt16(first) << 8 | UInt16(last))
    }

    /// Whether the library can offer a protocol: NIOSSL traps on one that is not ASCII or too long.
    package static func canOffer(_ name: String) -> Bool { (1...255).contains(name.utf8.count) && name.utf8.allSatisfy { $0 < 0x80 } }

    /// A name as it may stand in SNI: ASCII, no address, no dot at its end (RFC 6066 3); nil where it is none.
    package static func sniName(_ text: String) -> String? {
        var name = text[...]
        if name.hasSuffix(".") { name.removeLast() }
        let isPrintable = name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        guard (1...255).contains(name.utf8.count), isPrintable, IPAddress(text: name) == nil else { return nil }
        return String(name)
    }
}
