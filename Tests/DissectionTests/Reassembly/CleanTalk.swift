import Dissection
import Support

/// A whole conversation as it goes over the wire, with the acknowledgements that a kernel sends.
struct CleanTalk: CustomStringConvertible, Sendable {
    let name: String
    private(set) var segments: Segments
    private(set) var senders: [Side] = []
    /// It ends with a RST that does not say what its sender had received.
    private(set) var endsWithBareReset = false
    /// How far each side has come, its FIN counted.
    private(set) var sent: (client: Int, server: Int) = (0, 0)

    var description: String { name }

    init(_ name: String, hasHandshake: Bool = true) {
        self.name = name
        segments = Segments()
        guard hasHandshake else { return }
        send(.client, flags: .syn)
        send(.server, flags: [.syn, .ack])
        send(.client)
    }

    private mutating func send(_ side: Side, _ bytes: [UInt8] = [], flags: TCPFlags = .ack) {
        segments = segments.packet(
            side, bytes, at: side == .client ? sent.client : sent.server, flags: flags, ack: side == .client ? sent.server : sent.client)
        senders.append(side)
        endsWithBareReset = flags == .rst
        let length = bytes.count + (flags.contains(.fin) ? 1 : 0)
        if side == .client { sent.client += length } else { sent.server += length }
    }

    /// `bytes` in one segment, which the other side acknowledges at once or with what it sends next.
    func says(_ side: Side, _ bytes: [UInt8], isAcknowledged: Bool = true) -> CleanTalk {
        var next = self
        next.send(side, bytes, flags: [.psh, .ack])
        if isAcknowledged { next.send(side.peer) }
        return next
    }

    func says(_ side: Side, _ text: String, isAcknowledged: Bool = true) -> CleanTalk {
        says(side, Array(text.utf8), isAcknowledged: isAcknowledged)
    }

    func sends(_ side: Side, _ flags: TCPFlags) -> CleanTalk {
        var next = self
        next.send(side, flags: flags)
        return next
    }

    // MARK: - The talks

    private static func request(_ index: Int) -> String { "GET /\(index) HTTP/1.1\r\nHost: a\r\n\r\n" }
    private static func response(_ index: Int) -> String { "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nr\(index)" }

    private static func exchanges(_ name: String, _ count: Int, isAcknowledged: Bool = true) -> CleanTalk {
        (0..<count).reduce(CleanTalk(name)) {
            $0.says(.client, request($1), isAcknowledged: isAcknowledged).says(.server, response($1), isAcknowledged: isAcknowledged)
        }
    }

    static let all: [CleanTalk] = [
        exchanges("client closes", 3).sends(.client, [.fin, .ack]).sends(.server, [.fin, .ack]).sends(.client, .ack),
        exchanges("server closes", 2).sends(.server, [.fin, .ack]).sends(.client, .ack).sends(.client, [.fin, .ack]).sends(.server, .ack),
        exchanges("without acknowledgements", 4, isAcknowledged: false).sends(.client, [.fin, .ack]).sends(.server, .ack)
            .sends(.server, [.fin, .ack]).sends(.client, .ack),
        exchanges("client resets", 2).sends(.client, [.rst, .ack]),
        exchanges("server resets", 2).sends(.server, [.rst, .ack]),
        exchanges("reset for a FIN", 1).sends(.server, [.fin, .ack]).sends(.client, [.rst, .ack]),
        exchanges("reset after its own FIN", 1).sends(.client, [.fin, .ack]).says(.server, "late", isAcknowledged: false)
            .sends(.client, .rst),
        CleanTalk("refused", hasHandshake: false).sends(.client, .syn).sends(.server, [.rst, .ack]),
        CleanTalk("half closed").says(.client, "ask").sends(.client, [.fin, .ack]).sends(.server, .ack).says(.server, "an")
            .says(.server, "swer").sends(.server, [.fin, .ack]).sends(.client, .ack),
        CleanTalk("server first").says(.server, "220 hello\r\n").says(.client, "EHLO a\r\n").says(.server, "250 a\r\n")
            .says(.client, "QUIT\r\n").says(.server, "221 bye\r\n", isAcknowledged: false).sends(.server, [.fin, .ack])
            .sends(.client, .ack).sends(.client, [.fin, .ack]).sends(.server, .ack),
        exchanges("still open", 2),
        webSocket,
    ]

    /// A WebSocket after its handshake.
    static let webSocketOpen: CleanTalk = {
        let request =
            "GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        let response =
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
        return CleanTalk("websocket").says(.client, request).says(.server, response)
    }()

    private static let webSocket =
        webSocketOpen
        .says(.client, [0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69], isAcknowledged: false).says(.server, [0x81, 2, 0x68, 0x6F])
        .says(.server, [0x89, 1, 0x70]).says(.client, [0x8A, 0x81, 0, 0, 0, 0, 0x70])
        .says(.client, [0x88, 0x82, 0, 0, 0, 0, 3, 0xE8], isAcknowledged: false).says(.server, [0x88, 2, 3, 0xE8])
        .sends(.server, [.fin, .ack]).sends(.client, [.fin, .ack]).sends(.server, .ack)
}
