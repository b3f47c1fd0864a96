import Dissection
import Support
import Testing

/// Bodies that are called brotli (RFC 7932) and are none: a server or a proxy has decoded them and left the header. Brotli begins with anything.
@Suite struct UncodedBrotliTests {
    private static let mismatch = "! http.content-coding-mismatch a=0 b=0"

    private func answer(_ body: [UInt8], length: Int? = nil, limits: Limits = Limits(), and more: [Talk.Step] = []) -> Talk {
        CodedBody.answer("br", body, length: length, limits: limits, and: more)
    }

    private func bodies(_ talk: Talk) -> [String] { CodedBody.told(talk) }

    private func repeated(_ text: String, _ count: Int) -> [UInt8] { Array(String(repeating: text, count: count).utf8) }

    @Test(arguments: [
        #"{"users":[{"id":1,"name":"Alice"},{"id":2,"name":"Bob"}],"next":null}"#, "[1,2,3]", "[]", "{}", "1", "12", "null", "true",
        "\"a\"",
        "<!DOCTYPE html>\n<html><head><title>Hello</title></head></html>\n", "\n\n\n<html>", "Hello, world! This is plain.", "OK",
        "error: not found\n", "\u{FEFF}console.log('hi')", "function foo(){return 1}", "línea: año", "line 0 of some text", "Lorem ipsum",
        // The first letter is a whole stream, of nothing.
        "3;", "7 days", "; comment", "=1", "?",
    ])
    func textIsShownAsItWasSent(_ text: String) {
        for count in [1, 2, 40] {
            let body = repeated(text, count)
            let told = bodies(answer(body))
            // A whole stream is what it says.
            if body == [0x3F] { continue }
            #expect(told.count == 2 && told.first == Self.mismatch, "\(text) \(told)")
            #expect(told.last?.hasPrefix("body 1 final \(body.count)/\(body.count) B \"") == true, "\(text) \(told)")
        }
    }

    /// Every letter may come first, every one second.
    @Test func anyTextIsShown() {
        for first in UInt8(0x20)..<0x7F {
            for second in [0x20, 0x22, 0x2E, 0x3B, 0x41, 0x61, 0x7A, 0x0A] as [UInt8] {
                let body = [first, second] + repeated("the rest of the text is longer, and is no brotli. ", 3)
                let told = bodies(answer(body))
                #expect(told.count == 2 && told.first == Self.mismatch, "\(first) \(second) \(told)")
                #expect(told.last?.hasPrefix("body 1 final \(body.count)/\(body.count) B \"") == true, "\(first) \(second) \(told)")
            }
        }
    }

    /// Longer than what is kept: text that reads as 13 MB of metadata.
    @Test func longTextIsShown() {
        let body = repeated("line after line of a long text\n", 3_000)
        var limits = Limits()
        limits.messageBytes = 8
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: \(body.count)\r\n\r\n"
        let talk = Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), .server(Array(head.utf8) + body)], limits: limits)
        let told = bodies(talk)
        let first = "body 1 65536/65536 B \"line aft\""
        #expect(told.count == 3 && told.first == Self.mismatch && told[1].hasPrefix(first), "\(told)")
        #expect(told.last?.hasPrefix("body 2 final 27464/27464 B") == true, "\(told)")
    }

    @Test func otherFormatsAreShown() {
        let noise: [UInt8] = (0..<300).map { UInt8(truncatingIfNeeded: $0 &* 73 &+ $0 / 7 &* 31) }
        for mark in [
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 2, 3], [0x28, 0xB5, 0x2F, 0xFD, 0x24],
            [0xFF, 0xD8, 0xFF, 0xE0],
        ] as [[UInt8]] {
            let told = bodies(answer(mark + noise))
            let count = mark.count + noise.count
            #expect(told.count == 2 && told.first == Self.mismatch, "\(mark) \(told)")
            #expect(told.last?.hasPrefix("body 1 final \(count)/\(count) B ") == true, "\(mark) \(told)")
        }
    }

    @Test func inPartsAndChunks() {
        var limits = Limits()
        for size in [1, 3, 7] {
            limits.bodyPartBytes = size
            let told = bodies(answer(Array("line 0 of some text".utf8), limits: limits))
            #expect(told.first == Self.mismatch && told.count > 19 / size, "\(told)")
            #expect(!told.contains { $0.hasPrefix("gap") || $0.contains(" br ") }, "\(told)")
        }
        let chunked = Talk([
            .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server(
                "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nlin\r\n5\r\ne of \r\n4\r\ntext\r\n0\r\n\r\n"
            ),
        ])
        #expect(bodies(chunked) == [Self.mismatch, "body 1 final 12/12 B \"line of text\""])
    }

    @Test func overHTTP2() {
        let talk = HTTP2Frames.talk([
            .client(HTTP2Frames.get(1)),
            .server(
                HTTP2Frames.ok(1, [("content-encoding", "br")]) + HTTP2Frames.frame(0, stream: 1, Array("lin".utf8))
                    + HTTP2Frames.frame(0, flags: 1, stream: 1, Array("e 0".utf8))),
        ])
        let told = bodies(talk)
        #expect(told.contains { $0.hasSuffix(Self.mismatch) }, "\(told)")
        #expect(told.contains { $0.hasSuffix("body 1 final 6/6 B \"line 0\"") }, "\(told)")
    }

    /// Of a body that is not seen to its end only so much text is no brotli.
    @Test func unfinishedText() {
        let text = Array("line 0 of some text, which is long enough to know it".utf8)
        let told = bodies(answer(text, length: 500, and: [.finish(.server)]))
        #expect(
            told.contains(Self.mismatch) && told.contains { $0.hasPrefix("body 1 final \(text.count)/\(text.count) B \"line") }, "\(told)")
        let short = bodies(answer(Array("[".utf8), length: 500, and: [.finish(.server)]))
        #expect(!short.contains(Self.mismatch), "\(short)")
    }

    /// Text around a hole.
    @Test func textWithAHole() {
        let text = repeated("line 0 of some text\n", 10)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: \(text.count)\r\n\r\n".utf8)
        let asks = Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8)
        let all = head + text
        let talk = Segments().handshake().packet(.client, asks)
            .packet(.server, Array(all.prefix(head.count + 60)), ack: asks.count)
            .packet(.server, Array(all.dropFirst(head.count + 100)), at: head.count + 100, ack: asks.count)
            .packet(.client, [], at: asks.count, ack: all.count)
        var sink = Transcript()
        _ = talk.dissect(into: &sink) { _ in }
        let told = sink.finished()
        #expect(told.contains { $0.contains("content-coding-mismatch") }, "\(told)")
        #expect(told.contains { $0.contains("body 1 60/60 B \"line 0") } && told.contains { $0.contains("final 100/100 B") }, "\(told)")
    }
}
