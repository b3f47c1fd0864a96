/// What an XMPP stream consists of (RFC 6120, section 4): its opening tag, stanza by stanza, and its closing tag. White space between
/// stanzas, which keeps the connection alive (section 4.6.1), is a message a byte.
package enum XMPPGrammar: ProtocolGrammar {
    package static var name: StaticString { "xmpp" }
    package static var title: StaticString { "XMPP" }

    package static func cutter() -> any CuttingMachine { XMPPCutter() }

    /// The server agrees to compress the stream: what follows is zlib on both sides (XEP-0138, section 3).
    package static func isLast(_ message: RawSpan, from side: Side) -> Bool { side == .server && message.hasPrefix("<compressed", at: 0) }

    /// The opening tag of a stream, behind an XML declaration or not.
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        let tag = begin(client, with: "<stream:stream")
        if tag != .no { return tag }
        let declaration = begin(client, with: "<?xml ")
        guard declaration == .yes else { return declaration }
        for index in 6..<min(client.byteCount, 256) where client[index] == UInt8(ascii: "<") {
            return begin(client.suffix(from: index), with: "<stream:stream")
        }
        return client.byteCount < 256 ? .undecided : .no
    }
}
