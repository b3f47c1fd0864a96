import Support
import Testing

@testable import Dissection

/// The table of which response belongs to which request, row by row, and what holds in any order of events.
@Suite struct ExchangePairingTests {
    /// What happens, in words, and what is told of each request and response; then how it stands.
    ///
    /// A request is its kind (`GET`, `HEAD`, `CONNECT`, `SIMPLE` of HTTP/0.9, `WEBSOCKET` and `H2C` offers, `h2c` an offer that holds
    /// nobody), with what the client had received after `@`; a response its status: `200?` where a request may have been missed, `200!` inside a request's head.
    static let rows: [(line: String, told: String, state: String)] = [
        // Requests and responses in order.
        ("", "", "0 sure first"),
        ("GET", "waits", "1 sure"),
        ("GET 200", "waits GET", "0 sure"),
        ("GET HEAD 200 200", "waits waits GET HEAD", "0 sure"),
        ("GET HEAD GET 200 200", "waits waits waits GET HEAD", "1 sure"),
        // Interim responses leave the request waiting.
        ("GET 100 103 200", "waits GET GET GET", "0 sure"),
        ("HEAD GET 100 200 100 200", "waits waits HEAD HEAD GET GET", "0 sure"),
        // 100 (Continue) and what comes instead.
        ("GET expect", "waits", "1 sure awaited"),
        ("GET expect 103", "waits GET", "1 sure awaited"),
        ("GET expect 100", "waits GET", "1 sure"),
        ("GET expect 417", "waits GET", "0 sure answered"),
        ("GET expect 417 body", "waits GET", "0 sure"),
        ("GET expect 200 100", "waits GET none", "0 sure"),
        ("GET HEAD expect 100", "waits waits GET", "2 sure awaited"),
        ("GET HEAD expect 200", "waits waits GET", "1 sure awaited"),
        ("GET HEAD expect 200 417", "waits waits GET HEAD", "0 sure answered"),
        ("GET expect body 417", "waits GET", "0 sure"),
        ("GET expect lost GET", "waits waits", "2 doubtful"),
        // Responses that nobody asked for.
        ("200", "none", "0 sure first"),
        ("200?", "none?", "0 sure first unmatched"),
        ("GET 200 200", "waits GET none", "0 sure"),
        ("GET 200 200?", "waits GET none?", "0 sure unmatched"),
        // A request that is refused before it is whole does not wait any more.
        ("400! GET", "none has", "0 sure"),
        ("400! GET GET 200", "none has waits GET", "0 sure"),
        ("400? GET", "none? waits", "1 sure unmatched"),
        ("GET 400! GET", "waits GET waits", "1 sure"),
        ("400! lost GET 200 HEAD", "none has none? waits", "1 sure unmatched"),
        // A server that speaks first, and its 408.
        ("ahead", "", "0 sure first ahead"),
        ("ahead GET 200", "waits GET", "0 sure"),
        ("ahead stop 200", "none", "0 sure"),
        ("ahead GET 408", "waits none", "1 sure"),
        ("ahead GET 408 200", "waits none GET", "0 sure"),
        ("ahead GET 408 408", "waits none GET", "0 sure"),
        ("ahead GET 200 GET 408", "waits GET waits GET", "0 sure"),
        ("GET 408", "waits GET", "0 sure"),
        ("stop", "", "0 sure"),
        // CONNECT.
        ("CONNECT", "waits", "1 sure held tunnel losable"),
        ("CONNECT 100", "waits CONNECT", "1 sure held tunnel losable"),
        ("CONNECT 200", "waits CONNECT+tunnel", "0 sure"),
        ("CONNECT 403", "waits CONNECT", "0 sure"),
        ("GET CONNECT 200 200", "waits waits GET CONNECT+tunnel", "0 sure"),
        ("CONNECT unseen", "waits", "1 sure"),
        // Upgrades.
        ("WEBSOCKET", "waits", "1 sure held losable"),
        ("H2C", "waits", "1 sure held"),
        ("WEBSOCKET 101", "waits WEBSOCKET+switch", "0 sure"),
        ("WEBSOCKET 100 101", "waits WEBSOCKET WEBSOCKET+switch", "0 sure"),
        ("WEBSOCKET 200", "waits WEBSOCKET+declined", "0 sure"),
        ("WEBSOCKET expect 101", "waits WEBSOCKET+switch", "0 sure awaited"),
        ("h2c", "waits", "1 sure"),
        ("h2c 101", "waits H2C+switch", "0 sure"),
        ("h2c 200", "waits H2C+declined", "0 sure"),
        ("h2c GET 200 101", "waits waits H2C+declined GET+nothing", "0 sure"),
        ("GET 101", "waits GET+nothing", "0 sure"),
        ("101", "none+nothing", "0 sure first"),
        ("GET WEBSOCKET 200", "waits waits GET", "1 sure held losable"),
        ("GET WEBSOCKET 101", "waits waits GET+nothing", "1 sure"),
        ("h2c CONNECT 403 403", "waits waits H2C+declined CONNECT", "0 sure"),
        // One offer is kept at a time: that of a WebSocket, otherwise the last one.
        ("h2c WEBSOCKET 200 101", "waits waits GET WEBSOCKET+switch", "0 sure"),
        ("h2c WEBSOCKET 101", "waits waits GET+nothing", "1 sure"),
        ("h2c H2C 200 200", "waits waits GET H2C+declined", "0 sure"),
        ("h2c CONNECT unseen 200", "waits waits H2C+declined", "1 sure"),
        // Losses: nothing is sure until the client asks anew.
        ("lost", "", "0 doubtful"),
        ("lost GET", "waits", "1 doubtful"),
        ("lost GET 200", "waits GET?", "0 recovering unmatched"),
        ("lost GET 200 GET", "waits GET? waits", "1 sure unmatched"),
        ("lost GET 200 GET 200", "waits GET? waits GET", "0 sure"),
        ("lost GET GET 200 GET", "waits waits GET? waits", "2 recovering unmatched"),
        ("lost 100 GET", "none? waits", "1 doubtful unmatched"),
        ("GET 200 lost 200 GET 200", "waits GET none? waits GET", "0 sure"),
        ("GET 100 lost 200", "waits GET GET?", "0 recovering unmatched"),
        ("GET HEAD GET lost found 200", "waits waits waits GET?", "0 recovering unmatched"),
        ("GET HEAD found 200", "waits waits GET", "1 sure"),
        ("WEBSOCKET lost 200", "waits WEBSOCKET+declined?", "0 recovering unmatched"),
        ("WEBSOCKET lost 101", "waits WEBSOCKET+switch?", "0 recovering unmatched"),
        ("lost ahead GET", "waits", "1 doubtful"),
        // In a pipeline of requests, sent with nothing received in between, it is never sure again.
        ("GET@0 lost GET@9 GET@9 found 200 GET@9 200", "waits waits waits GET? waits GET?", "0 recovering unmatched"),
        ("GET@0 GET@0 lost 200 200 GET@9 200", "waits waits GET? GET? waits GET?", "0 recovering unmatched"),
        ("GET@0 lost GET@9 found 200 GET@18 200", "waits waits GET? waits GET", "0 sure"),
        ("GET@0 GET@0 200 200 GET@9 lost 200 GET@18 200", "waits waits GET GET waits GET? waits GET", "0 sure"),
        // A body may be lacking that only an unmatched response has.
        ("GET 200 content", "waits GET", "0 sure"),
        ("200? content", "none?", "0 sure first unmatched lacking"),
        ("200? content looked", "none?", "0 sure first unmatched"),
        ("200? content GET 200", "none? waits GET", "0 sure"),
        // HTTP/0.9 has no head of a response.
        ("SIMPLE file", "waits file", "0 sure"),
        ("GET file", "waits none", "1 sure"),
        ("GET SIMPLE 200 file", "waits waits GET file", "0 sure"),
        // More requests than are counted: 4.
        ("GET GET GET GET GET", "waits waits waits waits beyond", "4 doubtful"),
        ("GET GET GET GET GET GET", "waits waits waits waits beyond beyond", "4 doubtful"),
        (
            "GET GET GET GET GET 200 GET GET", "waits waits waits waits beyond GET? waits beyond",
            "4 doubtful unmatched"
        ),
        // The end.
        ("GET HEAD 200 end", "waits waits GET 1", "0 sure"),
        ("GET lost end", "waits 0", "1 doubtful"),
        ("end", "0", "0 sure first"),
    ]

    @Test(arguments: rows.indices) func aRow(_ row: Int) {
        var talk = PairingTalk()
        let (line, told, state) = Self.rows[row]
        for word in line.split(separator: " ") { talk.say(String(word)) }
        #expect(talk.told.joined(separator: " ") == told && talk.state == state, "\(line): \(talk.told) \(talk.state)")
    }

    @Test func onlyTheFirstRequestBeyondTheLimitIsTold() {
        var talk = PairingTalk()
        for _ in 0..<4 { talk.say("GET") }
        var admitted = [talk.exchange.admit(limit: 4), talk.exchange.admit(limit: 4)]
        #expect(admitted == [.isBeyond(isFirst: true), .isBeyond(isFirst: false)])
        talk.say("200")
        admitted = [talk.exchange.admit(limit: 3), talk.exchange.admit(limit: 4)]
        #expect(admitted == [.isBeyond(isFirst: false), .waits])
        talk.say("GET")
        admitted = [talk.exchange.admit(limit: 4)]
        #expect(admitted == [.isBeyond(isFirst: true)])
        var none = ExchangePairing()
        admitted = [none.admit(limit: 0)]
        #expect(admitted == [.waits])
    }

    @Test func theClientIsHeldSoOftenAndNoMore() {
        var talk = PairingTalk()
        for count in 1...40 {
            talk.say(count.isMultiple(of: 2) ? "WEBSOCKET" : "CONNECT")
            #expect(talk.exchange.isHoldingClient == (count <= ExchangePairing.mostHolds))
            talk.say("400")
            #expect(!talk.exchange.isHoldingClient)
        }
    }

    private static let words = [
        "GET", "GET", "HEAD", "CONNECT", "WEBSOCKET", "H2C", "h2c", "SIMPLE", "200", "200", "200", "200?", "204!", "100", "101", "408",
        "400!", "file", "lost", "found", "ahead", "stop", "expect", "body", "content", "looked", "unseen",
    ]

    @Test(arguments: 0..<40 as Range<UInt64>) func whatHoldsInAnyOrderOfEvents(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        var talk = PairingTalk()
        var last = 0
        var holds = 0
        var mayBeMatched = true
        for _ in 0..<400 {
            let word = Self.words[Int(random.next() % UInt64(Self.words.count))]
            let isRequest = word.first?.isLetter == true && (word == "h2c" || word.uppercased() == word)
            // Its bytes wait.
            if isRequest, talk.exchange.isHoldingClient { continue }
            let (waiting, wasHolding) = (talk.exchange.waitingCount, talk.exchange.isHoldingClient)
            talk.say(word)
            if isRequest, waiting == 0 { mayBeMatched = true }
            if word == "lost" || talk.told.last == "beyond" { mayBeMatched = false }
            if let answer = talk.lastAnswer {
                // In order, and each but once. Nothing is held against anybody after a loss.
                #expect(!answer.isMatched || mayBeMatched, "\(talk.line)")
                if let number = answer.request?.ended?.nanoseconds {
                    #expect(Int(number) > last, "\(talk.line)")
                    if answer.isFinal { last = Int(number) }
                }
                #expect(!answer.isMatched || answer.request != nil || waiting == 0 || word == "408", "\(talk.line)")
            }
            #expect(talk.exchange.waitingCount <= 4 && (waiting > 0 || talk.exchange.waitingCount <= 1), "\(talk.line)")
            #expect(!talk.exchange.isHoldingClient || talk.exchange.waitingCount > 0, "\(talk.line)")
            if talk.exchange.isHoldingClient, !wasHolding { holds += 1 }
            if talk.exchange.isAllAnswered { #expect(talk.exchange.waitingCount == 0 && talk.exchange.certainty == .sure) }
            if talk.exchange.mayLackBody { #expect(talk.exchange.isUnmatched) }
        }
        #expect(holds <= ExchangePairing.mostHolds)
    }
}

/// Speaks to an exchange in the words of the table.
private struct PairingTalk {
    var exchange = ExchangePairing()
    var line: [String] = []
    var told: [String] = []
    var lastAnswer: ExchangePairing.Answer?
    private var number: Int64 = 0

    var state: String {
        var words = ["\(exchange.waitingCount) \(exchange.certainty)"]
        if exchange.isUnasked { words.append("first") }
        if exchange.aheadSince != nil, exchange.isUnasked { words.append("ahead") }
        if exchange.isHoldingClient { words.append("held") }
        if exchange.isTunnelAsked { words.append("tunnel") }
        if exchange.mayLoseSwitch { words.append("losable") }
        if exchange.isUnmatched { words.append("unmatched") }
        if exchange.mayLackBody { words.append("lacking") }
        if exchange.expectation != .none { words.append("\(exchange.expectation)") }
        return words.joined(separator: " ")
    }

    mutating func say(_ word: String) {
        line.append(word)
        lastAnswer = nil
        switch word {
        case "expect": exchange.awaitContinue()
        case "body": exchange.endExpectation()
        case "lost": exchange.lose()
        case "found": exchange.alignServer()
        case "ahead": exchange.speakAhead(at: Timestamp(nanoseconds: 1))
        case "stop": exchange.stopWaiting()
        case "unseen": exchange.endHold()
        case "content": exchange.beginResponseBody()
        case "looked": if exchange.mayLackBody { exchange.endLack() }
        case "file": told.append(exchange.respondSimply() ? "file" : "none")
        case "end": told.append("\(exchange.end())")
        case _ where word.first?.isNumber == true: respond(word)
        default: ask(word)
        }
    }

    private mutating func ask(_ request: String) {
        let parts = request.split(separator: "@").map(String.init)
        let word = parts[0]
        switch exchange.admit(limit: 4, received: parts.count > 1 ? UInt32(parts[1]) : nil) {
        case .isAnswered: told.append("has")
        case .isBeyond: told.append("beyond")
        case .waits:
            told.append("waits")
            var offer: UpgradeOffer?
            if ["WEBSOCKET", "H2C", "h2c"].contains(word), exchange.takesOffer {
                let empty = RequestHead(method: ByteRange(), target: ByteRange(), version: ByteRange(), fields: ByteRange(), exchange: 1)
                let arrival = Arrival(side: .client, offset: 0, place: Place())
                offer = UpgradeOffer(head: [], request: empty, arrival: arrival, isWebSocket: word == "WEBSOCKET")
            }
            let traits: PendingRequest.Traits =
                switch word {
                case "HEAD": .head
                case "CONNECT": .connect
                case "SIMPLE": .simple
                default: []
                }
            exchange.queue(traits, offer: offer, isHeld: word != "h2c")
            number += 1
            exchange.endRequest(at: Timestamp(nanoseconds: number))
        }
    }

    private mutating func respond(_ word: String) {
        let status = UInt16(word.prefix(3)) ?? 0
        let answer = exchange.respond(status, isClientWhole: !word.hasSuffix("?"), hasBegunRequest: word.hasSuffix("!"))
        lastAnswer = answer
        var text = "none"
        if let traits = answer.request?.traits {
            text =
                traits.contains(.head)
                ? "HEAD"
                : traits.contains(.connect) ? "CONNECT" : traits.contains(.upgrade) ? "WEBSOCKET" : "GET"
        }
        switch answer.meaning {
        case .plain: break
        case .opensTunnel: text += "+tunnel"
        case .switches(let box):
            if let box, !box.offer.isWebSocket { text = "H2C" }
            text += box == nil ? "+nothing" : "+switch"
        case .declines(let box):
            if !box.offer.isWebSocket { text = "H2C" }
            text += "+declined"
        }
        told.append(text + (answer.isMatched ? "" : "?"))
    }
}
