import Dissection
import Support
import Testing

/// Ends of both sides that are under way at once: neither answers the other.
@Suite struct CrossingCloseTests {
    private struct Ends: ConversationSink {
        var closing: Closing?
        var findings: [String] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            switch event.fact {
            case .closed(let closing): self.closing = closing
            case .finding(let finding): findings.append("\(finding.row.id)")
            default: return
            }
        }
    }

    private let request =
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    private let agreed =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    private var asked: Int { request.utf8.count }
    private var opened: Int { agreed.utf8.count }
    private let done: [UInt8] = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xE8]
    private let going: [UInt8] = [0x88, 2, 0x03, 0xE9]

    private var talk: Segments {
        Segments().handshake().client(request, at: 0, ack: 0).server(agreed, at: 0, ack: asked).packet(.client, at: asked, ack: opened)
    }

    private func end(_ talk: Segments) -> (closing: Closing?, findings: [String]) {
        var sink = Ends()
        _ = talk.dissect(into: &sink)
        return (sink.closing, sink.findings)
    }

    @Test func `a Close frame that was sent before the other had come is no answer`() {
        let crossed = end(
            talk.packet(.client, done, at: asked).packet(.server, going, at: opened, ack: asked)
                .fin(.server, at: opened + 4, ack: asked + 8).fin(.client, at: asked + 8, ack: opened + 5))
        #expect(crossed.findings.isEmpty)
        #expect(crossed.closing?.by == .client && crossed.closing?.how == .closeFrame && crossed.closing?.code == 1000)
        #expect(crossed.closing?.isAnswered == false && crossed.closing?.answered == nil)
    }

    @Test func `one that was sent after it is`() {
        let answered = end(
            talk.packet(.client, done, at: asked).packet(.server, going, at: opened, ack: asked + 8)
                .fin(.server, at: opened + 4).fin(.client, at: asked + 8, ack: opened + 5))
        #expect(answered.findings == ["websocket.close-code-not-echoed"])
        #expect(answered.closing?.isAnswered == true && answered.closing?.answered == 1_000_000)
        // Captured in another order, the answer first.
        let late = end(
            talk.packet(.server, going, at: opened, ack: asked + 8).packet(.client, done, at: asked)
                .fin(.server, at: opened + 4).fin(.client, at: asked + 8, ack: opened + 5))
        #expect(late.findings == ["websocket.close-code-not-echoed"])
        #expect(late.closing?.by == .client && late.closing?.isAnswered == true)
    }

    @Test func `so it is with FIN`() {
        let said = Segments().handshake().client("abc", at: 0, ack: 0).server("uvw", at: 0, ack: 3)
        let crossed = end(said.fin(.client, at: 3, ack: 3).fin(.server, at: 3, ack: 3))
        #expect(crossed.closing?.by == .client && crossed.closing?.isAnswered == false && crossed.closing?.answered == nil)
        let answered = end(said.fin(.client, at: 3, ack: 3).fin(.server, at: 3, ack: 4))
        #expect(answered.closing?.answered == 1_000_000)
    }
}
