import Dissection
import Support
import Testing

/// Bodies in chunks (RFC 9112, section 7.1).
@Suite struct HTTP1ChunkTests {
    private func told(_ body: String, limits: Limits = Limits(), then more: [Talk.Step] = []) -> Talk {
        Talk(
            [
                .client("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
                .server("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body),
            ] + more, limits: limits)
    }

    private let before = [
        "opened handshake by handshake",
        "> @0 request GET / HTTP/1.1 {Host: x}",
        "< @0 response 200 OK {Transfer-Encoding: chunked}",
    ]

    private func closed(_ count: Int) -> String {
        "closed unknown endOfCapture  client open 27 B  server open \(count + 47) B"
    }

    @Test func chunksAreOneBody() {
        let body = "5\r\nhello\r\n00006\r\n world\r\n0\r\n\r\n"
        #expect(
            told(body).difference(from: before + ["< @47 body 1 final 11/11 B \"hello world\"", closed(body.utf8.count)]) == nil)
    }

    @Test func trailersComeWithTheLastPart() {
        let body = "2\r\nhi\r\n0\r\nX-Sum: 7\r\nX-B: 8\r\n\r\n"
        #expect(
            told(body).difference(
                from: before + ["< @47 body 1 final 2/2 B \"hi\" {X-Sum: 7} {X-B: 8}", closed(body.utf8.count)]) == nil)
    }

    @Test func anEmptyBodyIsToldToo() {
        #expect(told("0\r\n\r\n").difference(from: before + ["< @47 body 1 final 0/0 B \"\"", closed(5)]) == nil)
        #expect(
            told("0\r\nX: 1\r\n\r\n").difference(from: before + ["< @47 body 1 final 0/0 B \"\" {X: 1}", closed(11)]) == nil)
    }

    @Test func extensionsAreToldOnce() {
        let body = "2;a=b;c=\"x;y\"\r\nhi\r\n1;d\r\n!\r\n0\r\n\r\n"
        #expect(
            told(body).difference(
                from: before + [
                    "< @48 ! http.chunk-extension a=0 b=0", "< @47 body 1 final 3/3 B \"hi!\"", closed(body.utf8.count),
                ]) == nil)
    }

    @Test func partsEndInsideChunks() {
        var limits = Limits()
        limits.bodyPartBytes = 4
        let body = "3\r\nabc\r\n6\r\ndefghi\r\n0\r\n\r\n"
        #expect(
            told(body, limits: limits).difference(
                from: before + [
                    "< @47 body 1 4/4 B \"abcd\"", "< @59 body 2 4/4 B \"efgh\"", "< @63 body 3 final 1/1 B \"i\"",
                    closed(body.utf8.count),
                ]) == nil)
    }

    @Test func aBadSizeLosesSynchronisationUntilTheNextAnswer() {
        let body = "2\r\nhi\r\nxyz\r\nHTTP/1.1 204 No Content\r\n\r\n"
        #expect(
            told(body).difference(
                from: before + [
                    "< @47 body 1 2/2 B \"hi\"", "< @54 ! http.chunk-size-invalid a=0 b=0", "< @54 data \"xyz\\r\\n\"",
                    "< @59 response 204 No Content", closed(body.utf8.count),
                ]) == nil)
    }

    @Test func aSizeBeyond64BitsIsNone() {
        let body = "10000000000000000\r\nHTTP/1.1 204 No Content\r\n\r\n"
        #expect(
            told(body).difference(
                from: before + [
                    "< @47 gap 16 undecodable", "< @63 ! http.chunk-size-invalid a=0 b=0", "< @63 data \"0\\r\\n\"",
                    "< @66 response 204 No Content",
                    closed(body.utf8.count),
                ]) == nil)
    }

    @Test func aMissingLineEndBehindTheDataLosesSynchronisation() {
        let body = "2\r\nhixx\r\nHTTP/1.1 204 No Content\r\n\r\n"
        #expect(
            told(body).difference(
                from: before + [
                    "< @47 body 1 2/2 B \"hi\"", "< @52 ! http.chunk-terminator-missing a=0 b=0", "< @52 data \"xx\\r\\n\"",
                    "< @56 response 204 No Content", closed(body.utf8.count),
                ]) == nil)
    }

    @Test func bareLineFeedsAreReadAndToldOnceForChunksAndOnceForTrailers() {
        let body = "2\nhi\n1\n!\n0\n\n"
        #expect(
            told(body).difference(
                from: before + [
                    "< @48 ! http.bare-lf a=0 b=0", "< @58 ! http.bare-lf a=0 b=0", "< @47 body 1 final 3/3 B \"hi!\"",
                    closed(body.utf8.count),
                ]) == nil)
    }

    @Test func aGapInsideAChunkSplitsThePart() {
        let talk = told("a\r\nab", then: [.gap(.server, 5, .missing), .server("hij\r\n0\r\n\r\n")])
        #expect(
            talk.difference(
                from: before + [
                    "< @47 body 1 2/2 B \"ab\"", "< @52 gap 5 missing", "< @57 body 2 final 3/3 B \"hij\"",
                    "closed unknown endOfCapture  client open 27 B  server open 62 B 5 missing",
                ]) == nil)
    }

    @Test func aGapBetweenChunksLosesSynchronisation() {
        let talk = told("2\r\nhi", then: [.gap(.server, 5, .missing), .server("0\r\n\r\nHTTP/1.1 204 N\r\n\r\n")])
        #expect(
            talk.difference(
                from: before + [
                    "< @47 body 1 2/2 B \"hi\"", "< @52 gap 5 missing", "< @57 data \"0\\r\\n\\r\\n\"", "< @62 response 204 N",
                    "closed unknown endOfCapture  client open 27 B  server open 75 B 5 missing",
                ]) == nil)
    }

    @Test func whatCameOfALineIsAGapWhenItsRestIsLost() {
        let talk = told("2\r\nhi\r\n1f", then: [.gap(.server, 5, .missing), .server("HTTP/1.1 204 N\r\n\r\n")])
        #expect(
            talk.difference(
                from: before + [
                    "< @47 body 1 2/2 B \"hi\"", "< @54 gap 2 undecodable", "< @56 gap 5 missing", "< @61 response 204 N",
                    "closed unknown endOfCapture  client open 27 B  server open 74 B 5 missing",
                ]) == nil)
        #expect(
            told("2\r\nhi\r\n0;a", then: [.finish(.server)]).difference(
                from: before + [
                    "< @55 ! http.chunk-extension a=0 b=0", "< @47 body 1 final 2/2 B \"hi\"", "< @54 gap 3 undecodable",
                    "< @57 ! http.message-incomplete a=0 b=0", "closed server fin  client open 27 B  server fin 57 B",
                ]) == nil)
    }

    @Test func trailersThatAreNotWholeAreShown() {
        let talk = told("2\r\nhi\r\n0\r\nX-Sum: 7\r\nX-", then: [.finish(.server)])
        #expect(
            talk.difference(
                from: before + [
                    "< @47 body 1 final 2/2 B \"hi\"", "< @57 data \"X-Sum: 7\\r\\nX-\"", "< @69 ! http.message-incomplete a=0 b=0",
                    "closed server fin  client open 27 B  server fin 69 B",
                ]) == nil)
    }

    @Test func anEndInsideAChunk() {
        let talk = told("5\r\nhel", then: [.finish(.server)])
        #expect(
            talk.difference(
                from: before + [
                    "< @47 body 1 final 3/3 B \"hel\"", "< @53 ! http.message-incomplete a=2 b=0",
                    "closed server fin  client open 27 B  server fin 53 B",
                ]) == nil)
    }
}
