/// What a server says under encryption that others say in their ServerHello (RFC 8446, section 4.3.1).
package struct EncryptedExtensions: Sendable, Equatable {
    /// The protocol chosen; empty where none was.
    package private(set) var alpn: [UInt8] = []
    /// The server has taken the early data (RFC 8446, section 4.2.10).
    package private(set) var acceptsEarlyData = false

    /// Reads a whole handshake message, its header of type and 24-bit length included, up to where it contradicts its lengths.
    init(_ message: RawSpan) {
        var body = HandshakeFields(ByteRange(start: 4, count: max(0, message.byteCount - 4)))
        guard let list = body.vector16(message) else { return }
        var fields = HandshakeFields(list)
        while let type = fields.uint16(message), let content = fields.vector16(message) {
            var inner = HandshakeFields(content)
            switch type {
            case TLSExtension.alpn:
                guard var names = inner.vector16(message).map(HandshakeFields.init), let name = names.vector8(message) else { return }
                alpn.append(copying: message.extracting(name.start..<name.end))
            case TLSExtension.earlyData: acceptsEarlyData = true
            default: continue
            }
        }
    }
}
