import Dissection

// What a recording says in words about a conversation.

extension Beginning {
    /// What its first packet says: what a packet cannot say itself.
    func comment(number: UInt64) -> String {
        var text = "conversation \(number)"
        if let via { text += ", via \(via.mode)" + (via.target.isEmpty ? "" : " to \(via.target)") }
        if let name = client.name { text += ", client \(name)" }
        if let name = server.name { text += ", server \(name)" }
        if transport == .unix { text += ", over a Unix socket" }
        return text
    }

    /// The name that the server's address goes by; none where it is an address itself, or a path.
    var serverHostName: String? {
        guard transport == .tcp, server.endpoint.address.family != .none, let name = server.name, !name.isEmpty, !name.contains(":"),
            name.contains(where: { !"0123456789.".contains($0) })
        else { return nil }
        return name
    }
}

extension TLSText {
    /// What the packet says that comes next after TLS was terminated.
    var comment: String {
        func part(_ range: ByteRange) -> String { String(decoding: content[range.start..<range.end], as: UTF8.self) }
        var text = "TLS was terminated"
        if let version = facts.version { text += ", \(TLSNames.version(version) ?? "version \(version)")" }
        if let cipher = facts.cipher { text += ", \(TLSCipherSuite.name(cipher) ?? "cipher \(cipher)")" }
        if !facts.serverName.isEmpty { text += ", server name \(part(facts.serverName))" }
        if !facts.alpn.isEmpty { text += ", speaks \(part(facts.alpn))" }
        return text
    }
}
