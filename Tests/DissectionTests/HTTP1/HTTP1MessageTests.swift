import Dissection
import Support
import Testing

/// Messages in their order: heads, bodies by every rule, pipelining.
@Suite struct HTTP1MessageTests {
    @Test func aRequestAndItsAnswer() {
        let talk = Talk([
            .client("GET /a HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
            .client("GET /b HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"),
            .finish(.client), .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request GET /a HTTP/1.1 {Host: x}",
                "< @0 response 200 OK {Content-Length: 5}",
                "< @38 body 1 final 5/5 B \"hello\"",
                "> @28 request GET /b HTTP/1.1 {Host: x}",
                "< @43 response 404 Not Found {Content-Length: 0}",
                "closed client fin  client fin 56 B  server fin 88 B",
            ]) == nil)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() {
        let talk = Talk([
            .client("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"),
            .server("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request HEAD /a HTTP/1.1 {Host: x}",
                "> @29 request GET /b HTTP/1.1 {Host: x}",
                "< @0 response 200 OK {Content-Length: 5}",
                "< @38 response 200 OK {Content-Length: 2}",
                "< @76 body 1 final 2/2 B \"hi\"",
                "closed unknown endOfCapture  client open 57 B  server open 78 B",
            ]) == nil)
    }

    @Test func informationalAnswersComeBeforeTheFinalOne() {
        let talk = Talk([
            .client("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"),
            .server("HTTP/1.1 100 Continue\r\n\r\n"),
            .client("abc"),
            .server("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request POST / HTTP/1.1 {Host: x} {Content-Length: 3} {Expect: 100-continue}",
                "< @0 response 100 Continue",
                "> @69 body 1 final 3/3 B \"abc\"",
                "< @25 response 103 Early Hints {Link: </a>}",
                "< @65 response 204 No Content",
                "closed unknown endOfCapture  client open 72 B  server open 92 B",
            ]) == nil)
    }

    @Test func aBodyUntilCloseEndsWithTheDirection() {
        let talk = Talk([
            .client("GET / HTTP/1.0\r\n\r\n"), .server("HTTP/1.0 200 OK\r\n\r\nall of"), .server(" it"), .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request GET / HTTP/1.0",
                "< @0 response 200 OK",
                "< @19 body 1 final 9/9 B \"all of it\"",
                "closed server fin  client open 18 B  server fin 28 B",
            ]) == nil)
    }

    @Test func partsOfABody() {
        var limits = Limits()
        limits.bodyPartBytes = 4
        limits.messageBytes = 3
        let talk = Talk(
            [
                .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
                .server("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcdefghi"),
            ], limits: limits)
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request GET / HTTP/1.1 {Host: x}",
                "< @0 response 200 OK {Content-Length: 9}",
                "< @38 body 1 4/4 B \"abc\"",
                "< @42 body 2 4/4 B \"efg\"",
                "< @46 body 3 final 1/1 B \"i\"",
                "closed unknown endOfCapture  client open 27 B  server open 47 B",
            ]) == nil)
    }

    @Test func anOldSimpleRequest() {
        let talk = Talk([.client("GET /index\r\n"), .server("<html>"), .server("</html>"), .finish(.server)])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request GET /index ",
                "> @0 ! http.version-0.9 a=0 b=0",
                "< @0 body 1 final 13/13 B \"<html></html>\"",
                "closed server fin  client open 12 B  server fin 13 B",
            ]) == nil)
    }

    @Test func fieldsKeepTheirOrderCaseAndFolds() {
        let talk = Talk([.client("GET / HTTP/1.1\r\nhOST: x\r\nX-A: 1\r\n\t2\r\nX-A: 3\r\n\r\n")])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 request GET / HTTP/1.1 {hOST: x} {X-A: 1} {\t2} {X-A: 3}",
                "> @25 ! http.field-folded a=0 b=0",
                "< @0 ! http.request-unanswered a=1 b=0",
                "closed unknown endOfCapture  client open 47 B  server open 0 B",
            ]) == nil)
    }

    @Test func latencyIsFromTheLastByteOfTheRequestToTheFirstOfTheAnswer() {
        var sink = Latencies()
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        var layer = HTTP1Layer()
        let talk: [(Side, Int64, String)] = [
            (.client, 100, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"), (.server, 150, "HTTP/1.1 100 Continue\r\n\r\n"),
            (.client, 200, "a"), (.client, 300, "b"), (.server, 450, "HTT"),
            (.server, 900, "P/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        ]
        var offsets: [Side: UInt64] = [:]
        for (side, time, text) in talk {
            let bytes = Array(text.utf8)
            let arrival = Arrival(
                side: side, offset: offsets[side, default: 0], place: Place(time: Timestamp(nanoseconds: time)))
            _ = layer.receive(bytes.rawBytes, at: arrival, context: &context, sink: &sink)
            offsets[side, default: 0] += UInt64(bytes.count)
        }
        #expect(sink.told == [nil, 150])
    }

    private struct Latencies: ConversationSink {
        var told: [Int64?] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            if case .response(let head) = event.fact { told.append(head.latency) }
        }
    }

    @Test func aFindingIsToldOnceForAHead() {
        let lines = String(repeating: "no colon\r\n", count: 50)
        let told = Talk([.client("GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")]).transcript()
        #expect(told.filter { $0.contains("field-without-colon") }.count == 1)
    }
}
