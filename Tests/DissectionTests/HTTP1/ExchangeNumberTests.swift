import Support
import Testing

@testable import Dissection

/// Which request a response says that it belongs to.
@Suite struct ExchangeNumberTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    private static func get(_ target: String, _ method: String = "GET") -> String { "\(method) \(target) HTTP/1.1\r\nHost: x\r\n\r\n" }

    /// What is told, which is the same however the bytes are cut.
    private func told(_ steps: [Talk.Step], limits: Limits = Limits()) -> [String] {
        let talk = Talk(steps, limits: limits)
        var whole = Exchanges()
        talk.play(.whole, into: &whole)
        var single = Exchanges()
        talk.play(.bytewise, into: &single)
        #expect(single.told == whole.told)
        return whole.told
    }

    @Test func aPipelineAndWhatComesBeforeAFinalResponse() {
        #expect(
            told([
                .client(Self.get("/a", "HEAD") + Self.get("/b")),
                .server(Self.ok + "HTTP/1.1 103 Early Hints\r\n\r\n" + Self.ok), .client(Self.get("/c")), .server(Self.ok),
            ]) == [
                "1 /a", "2 /b", "200 of 1 HEAD /a", "103 of 2 GET /b", "200 of 2 GET /b", "3 /c", "200 of 3 GET /c",
            ])
    }

    @Test func requestsInATunnelCountOn() {
        #expect(
            told([
                .client("CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n"), .server("HTTP/1.1 200 OK\r\n\r\n"), .client(Self.get("/in")),
                .server(Self.ok),
            ]) == ["1 a:80", "200 of 1 CONNECT a:80", "2 /in", "200 of 2 GET /in"])
    }

    @Test func whereARequestMayBeMissingAResponseNamesNone() {
        #expect(
            told([.client(Self.get("/a")), .gap(.client, 60, .missing), .client(Self.get("/b")), .server(Self.ok + Self.ok)])
                == ["1 /a", "2 /b", "200", "200"])
        // One that nobody asked for, and those that are more than may wait.
        #expect(told([.client(Self.get("/a")), .server(Self.ok + Self.ok)]) == ["1 /a", "200 of 1 GET /a", "200"])
        var limits = Limits()
        limits.pendingRequests = 1
        #expect(
            told([.client(Self.get("/a") + Self.get("/b")), .server(Self.ok + Self.ok)], limits: limits) == ["1 /a", "2 /b", "200", "200"])
    }

    @Test func longNamesAreCutWhereACharacterEnds() {
        let target = "/" + String(repeating: "a", count: 254)
        #expect(told([.client(Self.get(target + "b")), .server(Self.ok)]).last == "200 of 1 GET \(target)b")
        #expect(told([.client(Self.get(target + "bc")), .server(Self.ok)]).last == "200 of 1 GET \(target)b…")
        #expect(told([.client(Self.get(target + "é")), .server(Self.ok)]).last == "200 of 1 GET \(target)…")
        let method = String(repeating: "M", count: 32)
        #expect(told([.client(Self.get("/", method)), .server(Self.ok)]).last == "200 of 1 \(method) /")
        #expect(told([.client(Self.get("/", method + "N")), .server(Self.ok)]).last == "200 of 1 \(method) /…")
    }

    /// As many as may wait, asked and answered over and over: nothing of those that have their response stays.
    @Test func whatIsKeptIsBoundedAndCounted() {
        var exchange = ExchangePairing()
        func ask(_ number: Int, _ targetBytes: Int) {
            let digits = "\(number) "
            let head = Array("GET /\(digits)".utf8) + [UInt8](repeating: 0x74, count: targetBytes - digits.utf8.count - 1)
            let request = RequestHead(
                method: ByteRange(0..<3), target: ByteRange(4..<head.count), version: ByteRange(), fields: ByteRange(),
                exchange: UInt64(number))
            #expect(exchange.admit(limit: 100) == .waits)
            exchange.queue([], RequestName(head.rawBytes, request))
        }
        var (asked, answered) = (0, 0)
        for round in 0..<40 {
            while exchange.waitingCount < 100 {
                asked += 1
                ask(asked, 5_000)
            }
            if round == 0 { #expect(exchange.heldBytes > 100 * 259) }
            #expect(exchange.heldBytes < 4 * 100 * 300)
            for _ in 0..<(round % 2 == 0 ? 60 : 100) {
                answered += 1
                let answer = exchange.respond(200, isClientWhole: true, hasBegunRequest: false)
                let text = exchange.askedText(of: answer)
                let start = Array("GET/\(answered) ".utf8)
                #expect(answer.asked?.exchange == UInt64(answered) && text.byteCount == 259)
                #expect(start.indices.allSatisfy { $0 < text.byteCount && text[$0] == start[$0] })
            }
        }
        #expect(exchange.waitingCount == 0)
        ask(1, 10)
        #expect(exchange.heldBytes < 10_000)
    }
}

/// The number and target of each request; status, number, method and target of each response.
private struct Exchanges: ConversationSink {
    var told: [String] = []

    mutating func receive(_ event: borrowing ConversationEvent) {
        func text(_ bytes: RawSpan, _ range: ByteRange) -> String {
            String(decoding: (range.start..<range.end).map { bytes[$0] }, as: UTF8.self)
        }
        switch event.fact {
        case .request(let head): told.append("\(head.exchange) \(text(event.content, head.target))")
        case .response(let head):
            guard let asked = head.asked else { return told.append("\(head.status)") }
            told.append(
                "\(head.status) of \(asked.exchange) \(text(event.asked, asked.method)) \(text(event.asked, asked.target))"
                    + (asked.isCut ? "…" : ""))
        default: break
        }
    }
}
