import Dissection
import Support
import Testing

/// What is held against nobody, because the bytes may be somebody else's.
@Suite struct ContestedBytesTests {
    @Test func nobodyAnswersForBytesThatCameTwiceAndDiffer() {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        let (good, bad) = ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length : 0\r\n\r\n")
        let talk = Segments().handshake().client(request, at: 0).server(good, at: 0, ack: request.utf8.count)
        func goOn(_ talk: Segments) -> [String] {
            talk.client(request, at: request.utf8.count, ack: good.utf8.count).server(bad, at: good.utf8.count, ack: 2 * request.utf8.count)
                .transcript()
        }
        #expect(goOn(talk).contains { $0.hasPrefix("< @") && $0.contains("! http.") }, "\(goOn(talk))")
        let contested = goOn(talk.server("HTTP/1.1 404 NO", at: 0, ack: request.utf8.count))
        #expect(
            contested.contains { $0.contains("tcp.overlap-conflict") } && !contested.contains { $0.contains("! http.") }, "\(contested)")
    }
}
