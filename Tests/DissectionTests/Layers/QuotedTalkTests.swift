import Dissection
import Support
import Testing

/// Start lines that other talk quotes, in captures that begin in the middle: what both sides do says what they are.
@Suite struct QuotedTalkTests {
    private func told(_ steps: [Talk.Step]) -> [String] {
        let talk = Talk(steps, knowsRoles: false, start: .midstream)
        let told = talk.transcript()
        #expect(talk.difference(from: told) == nil, "\(talk.difference(from: told) ?? "")")
        let notes = ["websocket.resynchronised", "http.method-unknown"]
        #expect(!told.contains { line in line.contains("! ") && !notes.contains { line.contains($0) } }, "\(told)")
        return told
    }

    private let request = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
    private let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    @Test func aMailThatQuotesARequestStaysAMail() {
        let mail = "see:\r\n\r\nPOST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\nrest of it\r\n.\r\nQUIT\r\n"
        let told = told([.client(mail), .server("250 ok\r\n221 bye\r\n")])
        #expect(!told.contains { $0.contains("request") } && told.filter { $0.contains("data") }.count == 2, "\(told)")
    }

    @Test func aLogThatQuotesBothSidesStaysALog() {
        let log = "12:00 got\n\(request)12:01 said\n\(response)\n12:02 done\n"
        let told = told([.client(log), .server("ack\n"), .client("12:03 more\n")])
        #expect(!told.contains { $0.contains("request") || $0.contains("response") }, "\(told)")
    }

    @Test func ofOneSideAloneItIsBelieved() {
        let told = told([.server("the end of a body" + response + response), .finish(.server)])
        #expect(told.filter { $0.contains("response 200") }.count == 2, "\(told)")
    }

    @Test func theEndOfAMessageThatQuotesAResponseHidesNoFrames() {
        let told = told([
            .server(Array("the end of a message\r\n\(response)".utf8) + frame(1, Array("one".utf8))),
            .client(frame(1, Array("more".utf8), key: [1, 2, 3, 4])), .server(frame(1, Array("two".utf8))),
            .client(frame(1, Array("three".utf8), key: [4, 3, 2, 1])), .server(frame(1, Array("four".utf8))),
        ])
        #expect(!told.contains { $0.contains("response") }, "\(told)")
        for text in ["more", "three", "four"] { #expect(told.contains { $0.contains("message") && $0.contains("\"\(text)\"") }, "\(told)") }
    }

    @Test func aMaskOfZeroesHidesNoFrames() {
        let told = told([
            .client(frame(1, Array("x\r\n\(request)".utf8), key: [0, 0, 0, 0])), .server(frame(1, Array("ok".utf8))),
            .client(frame(1, Array("hello".utf8), key: [1, 2, 3, 4])), .server(frame(1, Array("there".utf8))),
        ])
        #expect(!told.contains { $0.contains("request") }, "\(told)")
        for text in ["hello", "there"] { #expect(told.contains { $0.contains("message") && $0.contains("\"\(text)\"") }, "\(told)") }
    }

    @Test func anUploadThatQuotesARequestSwallowsNoLaterOnes() {
        let told = told([
            .client("rest of it\r\nGET /fake HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\nmore"), .server(response),
            .client(request), .server(response), .client("GET /b HTTP/1.1\r\nHost: a\r\n\r\n"), .server(response),
        ])
        #expect(told.contains { $0.contains("request GET /a ") } && told.contains { $0.contains("request GET /b ") }, "\(told)")
        #expect(told.filter { $0.contains("response 200") }.count == 3, "\(told)")
    }

    @Test func aDownloadThatQuotesAResponseSwallowsNoLaterOnes() {
        let told = told([
            .server("rest of it\r\nHTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\nmore"), .client(request), .server(response),
            .client("GET /b HTTP/1.1\r\nHost: a\r\n\r\n"), .server("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno"),
        ])
        #expect(told.contains { $0.contains("response 404") }, "\(told)")
        #expect(told.contains { $0.contains("\"ok\"") }, "\(told)")
    }

    @Test func theUploadOfARequestThatWasFoundGoesOnAfterAnEarlyResponse() {
        let told = told([
            .client("\r\nPOST /up HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n0123456789"), .server(response),
            .client("0123456789"), .client("GET 456789"), .client(request), .server(response),
        ])
        #expect(told.contains { $0.contains("final") && $0.contains("30/30 B") }, "\(told)")
        #expect(told.contains { $0.contains("request GET /a ") }, "\(told)")
    }

    // MARK: - The rest of a method

    @Test func theRestOfAMethodIsNotTakenForOne() {
        for lost in [1, 2] {
            let rest = String(request.dropFirst(lost))
            let told = told([.client(rest), .server(response), .client(request), .server(response)])
            #expect(!told.contains { $0.contains("request ET") || $0.contains("request T") }, "\(told)")
            #expect(told.contains { $0.hasPrefix("> @0 data ") && $0.contains("/a HTTP/1.1") }, "\(told)")
            #expect(told.contains { $0.contains("request GET /a ") } && told.filter { $0.contains("response 200") }.count == 2, "\(told)")
        }
        // Methods that nobody registered stay what they are.
        #expect(self.told([.client("PURGE /a HTTP/1.1\r\nHost: a\r\n\r\n"), .server(response)]).contains { $0.contains("request PURGE") })
    }

    @Test func aByteThatMayBeAProbeLeavesNoHalfMethod() {
        let rest = String(request.dropFirst(1))
        let told = Segments().packet(.client, Array("G".utf8), at: 0).client(rest, at: 1).server(response, at: 0, ack: request.utf8.count)
            .transcript()
        #expect(!told.contains { $0.contains("request ET") }, "\(told)")
        #expect(told.contains { $0.contains("response 200") }, "\(told)")
    }
}
