import Dissection
import Testing

@testable import Reports

/// Namespaces of Socket.IO that a client leaves, and pings of the server that are not answered then.
@Suite struct HeartbeatNamespaceTests {
    private typealias Packet = (from: Side, format: StaticString, type: String, namespace: String)

    /// Whether an unanswered ping explains that the server closed, after what was said in namespaces.
    private func isExplained(_ packets: [Packet], begins: Bool = true) -> Bool {
        var reader = HeartbeatReader()
        var at: Int64 = 0
        func take(_ packet: Packet, after milliseconds: Int64 = 10) {
            at += milliseconds
            var decoded = DecodedPayload(of: packet.format)
            decoded.note("type", .word(packet.type))
            if !packet.namespace.isEmpty { decoded.note("namespace", .text(Array(packet.namespace.utf8))) }
            let bytes = [UInt8](repeating: 0x34, count: 200)
            let message = Message(opcode: 1, length: 200, wireLength: 200, fragments: 1, compressed: false)
            _ = reader.take(
                ConversationEvent(
                    conversation: 1, from: packet.from, place: Place(time: Timestamp(nanoseconds: at * 1_000_000)), offset: 0,
                    fact: .message(message), content: bytes.rawBytes), decoded)
        }
        if begins { take((.server, "engine.io", "open", "")) }
        for _ in 0..<4 {
            take((.server, "engine.io", "ping", ""), after: 25_000)
            take((.client, "engine.io", "pong", ""))
        }
        for packet in packets { take(packet) }
        take((.server, "engine.io", "ping", ""), after: 25_000)
        return reader.end(1, Closing(by: .server, how: .fin), at: Timestamp(nanoseconds: (at + 20_000) * 1_000_000)).cause != nil
    }

    private func joins(_ name: String) -> Packet { (.server, "socket.io", "connect", name) }
    private func leaves(_ name: String, _ from: Side = .client) -> Packet { (from, "socket.io", "disconnect", name) }
    private func says(_ name: String) -> Packet { (.client, "socket.io", "event", name) }

    @Test func `who leaves one of several namespaces has not signed off`() {
        #expect(isExplained([]))
        #expect(isExplained([joins("/"), joins("/chat"), leaves("/chat")]))
        #expect(isExplained([joins("/"), joins("/chat"), leaves("/")]))
        // It was joined while the session was polled: what is said in it shows it.
        #expect(isExplained([says("/chat"), says("/"), leaves("/chat")], begins: false))
        #expect(isExplained([joins("/"), leaves("/"), joins("/chat")]))
    }

    @Test func `who leaves the last namespace has said goodbye, and is not missed`() {
        #expect(!isExplained([joins("/"), leaves("/")]))
        #expect(!isExplained([joins("/"), joins("/chat"), leaves("/chat"), leaves("/")]))
        #expect(!isExplained([joins("/chat"), leaves("/chat")]))
        #expect(!isExplained([joins("/"), leaves("/", .server)]))
        #expect(!isExplained([leaves("/")], begins: false))
        // Of a session that began before, another namespace may be open.
        #expect(isExplained([joins("/chat"), leaves("/chat")], begins: false))
    }
}
