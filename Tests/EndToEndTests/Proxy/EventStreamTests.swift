import Foundation
import Support
import Testing

/// Server-sent events through the proxy: each is printed when it comes, and not when the stream ends.
@Suite struct EventStreamTests {
    private static let request = "GET /ticks HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n"
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func chunk(_ text: String) -> [UInt8] { Array("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n".utf8) }

    @Test(arguments: ["text", "ndjson"]) func `an event is printed while its stream goes on`(format: String) throws {
        let talk = try ProxyTalk(["--format", format])
        try talk.fromClient(Array(Self.request.utf8))
        try talk.fromServer(Array(Self.head.utf8))
        for tick in 1...3 {
            let event = "id: \(tick)\ndata: {\"tick\":\(tick)}\n\n"
            // Also one that comes in two pieces.
            let bytes = chunk(event)
            try talk.fromServer(Array(bytes.prefix(tick * 4)))
            try talk.fromServer(Array(bytes.dropFirst(tick * 4)))
            // The server waits here: nothing follows that could bring it out.
            let mark = format == "text" ? "event     24 B  sse message, id \(tick)" : "\"text\":\"id: \(tick)\\n"
            #expect(talk.proxy.printed(until: mark).contains(mark))
        }
        try talk.fromServer(chunk(""))
        talk.server.finish()
        talk.client.finish()
        let end = format == "text" ? "72 B, 3 events in " : "\"kind\":\"closed\""
        #expect(talk.proxy.printed(until: end).contains(end))
        #expect(talk.proxy.stop().status == 0)
    }

    @Test func `a download has one line`() throws {
        let talk = try ProxyTalk(["--format", "text"])
        try talk.fromClient(Array(Self.request.utf8))
        try talk.fromServer(Array("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n".utf8))
        let piece = [UInt8](repeating: 0x61, count: 1_000_000)
        let sent = talk.server.sendAside(piece, times: 10)
        for _ in 0..<10 { #expect(try talk.client.receive(piece.count) == piece) }
        sent.wait()
        let printed = talk.proxy.printed(until: "<  body").split(separator: "\n").filter { $0.contains("<  body") }
        #expect(printed.count == 1 && printed[0].contains("body     10 MB, ") && printed[0].contains("B/s"), "\(printed)")
        #expect(talk.proxy.stop().status == 0)
    }
}
