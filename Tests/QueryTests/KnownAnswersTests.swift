import Dissection
import Query
import Testing

/// What was asked of a conversation once is asked again only when something new is known, and never of the wrong side or request.
@Suite struct KnownAnswersTests {
    @Test func `requests that wait have answers of their own`() throws {
        let talk = try FilteredTalk("http.host == \"b\"")
        talk.open()
        #expect(!talk.request("GET", "/1", "Host: a\r\n", exchange: 1))
        #expect(!talk.body(.client, "x"))
        #expect(talk.request("GET", "/2", "Host: b\r\n", exchange: 2))
        #expect(talk.body(.client, "x"))
        #expect(!talk.response(200, "", to: (1, "GET", "/1")))
        for _ in 0..<3 { #expect(!talk.body(.server, "x") && talk.body(.client, "x")) }
        #expect(talk.response(200, "", to: (2, "GET", "/2")))
        for _ in 0..<3 { #expect(talk.body(.server, "x") && talk.body(.client, "x")) }
        talk.upgrade(host: "c", target: "/")
        #expect(!talk.message(.server, "x") && !talk.message(.client, "x"))
        talk.upgrade(host: "b", target: "/")
        #expect(talk.message(.server, "x") && talk.message(.client, "x"))
    }

    @Test func `each side has answers of its own, and what no side sent`() throws {
        let talk = try FilteredTalk("tcp.srcport == 8080")
        talk.open()
        for _ in 0..<3 {
            #expect(!talk.message(.client, "x") && talk.message(.server, "x"))
            #expect(!talk.say(nil, .closed(Closing(by: .client, how: .fin))))
        }
    }

    @Test func `each conversation has answers of its own`() throws {
        let talk = try FilteredTalk("tcp.port == 8080")
        for number in 1...2_000 as ClosedRange<UInt64> {
            talk.conversation = number
            // One that was not seen to begin has no ports.
            #expect(!talk.message(.client, "x"))
            let port: UInt16 = number % 3 == 0 ? 81 : 8_080
            talk.open(server: Endpoint(address: FilteredTalk.server.address, port: port))
            for _ in 0..<2 { #expect(talk.message(.server, "x") == (port == 8_080)) }
        }
        for number in stride(from: 2_000, to: 0, by: -1) as StrideTo<Int> {
            talk.conversation = UInt64(number)
            #expect(talk.message(.client, "x") == (number % 3 != 0))
        }
    }

    @Test func `what is asked more often than there is room is asked each time, with the same answers`() throws {
        let asked = (0..<12).map { "tcp.port == \(8_080 + $0)" }
        for (index, question) in asked.enumerated() {
            // All but one are wrong, whatever order they are asked in.
            let others = asked.enumerated().filter { $0.offset != index && $0.offset != 0 }.map { "not \($0.element)" }
            let talk = try FilteredTalk((others + [question]).joined(separator: " and ") + " xor tcp.port == 1 xor tcp.port == 51422")
            talk.open()
            for _ in 0..<3 { #expect(talk.message(.client, "x") == (index != 0), "\(question)") }
        }
    }

    @Test func `an expression that takes too many steps is given up once for what is known, not once an event`() throws {
        let talk = try FilteredTalk("http.host matches r\"^(a+)+$\" and message")
        talk.open()
        talk.request("GET", "/", "Host: " + String(repeating: "a", count: 64) + "b\r\n", exchange: 1)
        for _ in 0..<5 { #expect(!talk.message(.client, "x")) }
        #expect(talk.givenUp == 1)
    }
}
