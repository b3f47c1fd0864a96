import Support
import Testing

@testable import Dissection

/// Compressed messages after a loss: what cannot be inflated for want of what was lost is held against nobody (RFC 7692, section 7.2.2).
@Suite struct LostContextTests {
    private static let texts = [
        "{\"room\":7,\"text\":\"hello there\"}", "{\"room\":7,\"text\":\"hello again\"}", "{\"room\":7,\"text\":\"hello\"}",
    ]
    private static let kept = InflaterTests.deflate(texts.map { Array($0.utf8) })
    private static let agree =
        "HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
        + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n"

    /// The ids of the findings that name a WebSocket.
    private func ids(_ told: [String]) -> [String] {
        told.compactMap { line in line.range(of: "! websocket.").map { String(line[$0.upperBound...].prefix { $0 != " " }) } }
    }

    @Test func theRequestAndTheMessagesAfterItWereLost() {
        let frames = Self.kept.dropFirst().map { Talk.Step.clientFrame(1, $0, rsv: 4) } + [.clientText("and some text after that")]
        let talk = Talk([.gap(.client, 300, .missing), .server(Self.agree)] + frames + [.finish(.client), .finish(.server)])
        let told = talk.transcript()
        #expect(ids(told) == ["deflate-context-lost"], "\(told)")
        #expect(told.contains { $0.contains("\"and some text after that\"") }, "\(told)")
        #expect(talk.difference(from: told) == nil)
    }

    @Test func theCaptureBeginsWithTheResponse() {
        let frames = Self.kept.dropFirst().map { Talk.Step.clientFrame(1, $0, rsv: 4) }
        var talk = Talk([.server(Self.agree)] + frames, start: .midstream)
        let told = talk.transcript()
        #expect(ids(told) == ["deflate-context-lost"], "\(told)")
        #expect(talk.difference(from: told) == nil)
        // Nearly: what needs nothing from before is read, though no second frame bears it out.
        talk.steps = [.server(Self.agree), .clientFrame(1, Self.kept[0], rsv: 4)]
        #expect(talk.transcript().contains { $0.hasSuffix("\"\(Self.texts[0])\"") }, "\(talk.transcript())")
    }

    @Test func whatMayBeNoMessageIsHeldAgainstNobody() {
        let invalid = Talk.Step.serverFrame(1, [0x07], rsv: 4)
        let texts = (0..<6).map { Talk.Step.serverText("plain text, number \($0)") }
        let lost = FrameTalk([.serverText("a"), .gap(.server, 30, .missing)] + texts + [invalid, invalid], FrameTalk.deflate)
        #expect(lost.findings == ["resynchronised a=0 b=0", "deflate-context-lost a=0 b=0"])
        let unknown = FrameTalk([invalid, .serverText("b")], WebSocketNegotiation(isKnown: false))
        #expect(unknown.findings == ["deflate-context-lost a=0 b=0"])
        // Nearly: the loss lies inside a message, and where the next one begins is known.
        let first = frame(1, Self.kept[0], rsv: 4)
        let inside = FrameTalk([.server(Array(first.dropLast(5))), .gap(.server, 5, .missing), invalid], FrameTalk.deflate)
        #expect(inside.findings == ["deflate-invalid a=0 b=0"])
    }

    /// What is told of a message that cannot be inflated: it is the peer's fault, the first that needs what is missing, or nothing.
    @Test func theTableOfTheWindowsHistory() {
        let faults: [Inflater.Fault] = [.beyondHistory, .malformed, .beyondWindow]
        let rows: [(WindowHistory, [String])] = [
            (.whole, ["peer", "peer", "peer"]),
            (.incomplete(isTold: false), ["new", "peer", "peer"]), (.incomplete(isTold: true), ["", "peer", "peer"]),
            (.unseen(isTold: false), ["new", "new", "new"]), (.unseen(isTold: true), ["", "", ""]),
        ]
        for (state, expected) in rows {
            for (fault, told) in zip(faults, expected) {
                var history = state
                let (isPeers, isNew) = history.judge(fault, isAlone: false)
                #expect((isPeers ? "peer" : isNew ? "new" : "") == told, "\(state) \(fault)")
                let again = history.judge(fault, isAlone: false)
                #expect(isPeers || !again.isNew && !again.isPeers, "\(state) \(fault)")
            }
            let alone: [String] = faults.map { fault in
                var history = state
                let (isPeers, isNew) = history.judge(fault, isAlone: true)
                return isPeers ? "peer" : isNew ? "new" : ""
            }
            let isCertain = if case .unseen = state { false } else { true }
            #expect(alone == [String](repeating: isCertain ? "peer" : "", count: 3), "\(state)")
            var (given, lost) = (state, state)
            given.giveUp()
            lost.lose()
            let isUnseen = if case .unseen = state { true } else { false }
            #expect(given == (isUnseen ? .unseen(isTold: false) : .incomplete(isTold: false)) && lost == .unseen(isTold: false))
        }
    }
}
