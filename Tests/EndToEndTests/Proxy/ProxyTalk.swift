import Foundation
import Support
import Testing

/// A client and a server, both driven by hand, with `unmask proxy` between them.
struct ProxyTalk {
    let proxy: ProxyProcess
    let client: LoopbackSocket
    let server: LoopbackSocket
    /// Kept, so that the port stays taken.
    private let listener: LoopbackListener

    /// Starts a proxy in reverse mode and connects through it. No byte has been sent.
    init(_ arguments: [String] = []) throws {
        listener = try LoopbackListener()
        proxy = try ProxyProcess(["--upstream", "ws://127.0.0.1:\(listener.port)"] + arguments)
        client = try LoopbackSocket(port: proxy.port)
        server = try listener.accept()
    }

    static let request = """
        GET /chat?room=7 HTTP/1.1\r\nHost: chat.example:8080\r\nconnection: Upgrade\r\nUPGRADE: websocket\r\nX-Odd:   spaced \r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
        """
    static let answer = """
        HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n
        """

    /// The opening handshake, with a line more in each head where an extension is spoken of.
    func upgrade(offering offered: String? = nil, agreeing agreed: String? = nil) throws {
        func with(_ line: String?, _ head: String) -> String {
            guard let line else { return head }
            return head.dropLast(2) + "Sec-WebSocket-Extensions: \(line)\r\n\r\n"
        }
        try pass(Array(with(offered, Self.request).utf8), from: client, to: server)
        try pass(Array(with(agreed, Self.answer).utf8), from: server, to: client)
    }

    /// Sends from one end, and checks that just that arrives at the other.
    func pass(_ bytes: [UInt8], from sender: LoopbackSocket, to receiver: LoopbackSocket, at location: SourceLocation = #_sourceLocation)
        throws
    {
        try sender.send(bytes)
        #expect(try receiver.receive(bytes.count) == bytes, sourceLocation: location)
    }

    func fromClient(_ bytes: [UInt8], at location: SourceLocation = #_sourceLocation) throws {
        try pass(bytes, from: client, to: server, at: location)
    }

    func fromServer(_ bytes: [UInt8], at location: SourceLocation = #_sourceLocation) throws {
        try pass(bytes, from: server, to: client, at: location)
    }

    /// Both say goodbye with 1000 and FIN, and the proxy is stopped; what it printed.
    func goodbye() throws -> ProxyProcess.Outcome {
        try fromClient(Frame.masked(0x88, [0x03, 0xE8]))
        try fromServer(Frame.plain(0x88, [0x03, 0xE8]))
        server.finish()
        #expect(try client.receiveToTheEnd() == ([], .finished))
        client.finish()
        #expect(try server.receiveToTheEnd() == ([], .finished))
        _ = proxy.records(until: "closed")
        return proxy.stop()
    }
}

/// Frames as bytes, right or wrong.
enum Frame {
    static let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]

    /// A frame without a mask, its length written in the shortest way.
    ///
    /// - Parameter first: FIN, the reserved bits and the opcode.
    static func plain(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] { [first] + length(payload.count, mask: 0) + payload }

    static func plain(_ first: UInt8, _ text: String) -> [UInt8] { plain(first, Array(text.utf8)) }

    /// The same as a client sends it.
    static func masked(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [first] + length(payload.count, mask: 0x80) + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
    }

    static func masked(_ first: UInt8, _ text: String) -> [UInt8] { masked(first, Array(text.utf8)) }

    private static func length(_ count: Int, mask: UInt8) -> [UInt8] {
        func bigEndian(_ bytes: Int) -> [UInt8] { (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) } }
        if count < 126 { return [mask | UInt8(count)] }
        return count <= 0xFFFF ? [mask | 126] + bigEndian(2) : [mask | 127] + bigEndian(8)
    }
}
