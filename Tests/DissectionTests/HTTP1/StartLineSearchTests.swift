import Dissection
import Support
import Testing

/// The search for a start line in bytes that may be anything.
@Suite struct StartLineSearchTests {
    /// Where a start line is found in a text that comes whole, and byte by byte; -1 where none is, -2 where the two differ.
    private func find(_ text: String, _ wanted: StartLineSearch.Wanted = [.request, .status]) -> Int {
        let bytes = Array(text.utf8)
        var whole = StartLineSearch(wanted)
        let found = whole.advance(over: bytes.rawBytes, base: 0)
        var cut = StartLineSearch(wanted)
        var foundCut: StartLineSearch.Found?
        for end in 1...bytes.count where foundCut == nil {
            foundCut = cut.advance(over: bytes.rawBytes.extracting(0..<end), base: 0)
        }
        return found == foundCut ? found?.start ?? -1 : -2
    }

    @Test func aStartLineAtTheBeginningOfALineIsBorneOutByWhatFollows() {
        #expect(find("GET / HTTP/1.1\r\nHost: a") == 0)
        #expect(find("GET / HTTP/1.0\r\n\r\n") == 0)
        #expect(find("GET /a b HTTP/1.1\r\nHost:") == 0)
        #expect(find("get / HTTP/1.0\n\n") == 0)
        #expect(find("}\r\nPOST /x HTTP/1.1\r\nHost: a\r\n") == 3)
        #expect(find("HTTP/1.1 404\r\nServer: a\r\n") == 0)
        #expect(find("HTTP/1.1 404 Not Found\nServer: a\n") == 0)
        // Nearly: nothing follows, or something else.
        #expect(find("GET / HTTP/1.1\r\n") == -1)
        #expect(find("HTTP/1.1 404 Not Found\nHTTP/1.1 200 OK\n") == -1)
        #expect(find("HTTP/1.1 404 Not Found\n12:01 upstream: up\n") == -1)
        #expect(find("GET / HTTP/1.1\nGET /b HTTP/1.1\n") == -1)
    }

    @Test func atTheEndOnlyTheFirstLineOfAllIsBelieved() {
        func conclude(_ text: String) -> Int {
            let bytes = Array(text.utf8)
            var search = StartLineSearch([.request, .status])
            return search.advance(over: bytes.rawBytes, base: 0) == nil ? search.conclude()?.start ?? -1 : -2
        }
        #expect(conclude("GET / HTTP/1.1\r\n") == 0)
        #expect(conclude("GET / HTTP/1.1\r\nHo") == 0)
        #expect(conclude("HTTP/1.1 200 O") == 0)
        // Nearly: the last line of a log, or of a body.
        #expect(conclude("12:00 GET / HTTP/1.1\n") == -1)
        #expect(conclude("started\nGET / HTTP/1.1\n") == -1)
        #expect(conclude("started\r\nGET / HTTP/1.1\r\nHo") == -1)
        #expect(conclude("started\nHTTP/1.1 200 O") == -1)
    }

    @Test func inTheMiddleOfALineItTakesAWholeHead() {
        let head = "\r\nHost: a\r\nA: b, HTTP/1.1 200 OK\r\n\r\n"
        #expect(find("{\"a\":\"b c\"}POST /x HTTP/1.1" + head) == 11)
        #expect(find("AA BB CC GET /x HTTP/1.1" + head) == 9)
        #expect(find("\u{0}\u{1}HTTP/1.1 200 OK" + head) == 2)
        #expect(find("HHTTP/1.1 404" + head) == 1)
        #expect(find("x HTTP/1.1 200 OK\r\nno field HTTP/1.1 200 OK" + head) == 28)
        // Nearly: what quotes one.
        #expect(find("12:00 upstream answered HTTP/1.1 404 Not Found\n12:00 upstream answered HTTP/1.1 404 Not Found\n") == -1)
        #expect(find("a: HTTP/1.1 404 Not Found\na: HTTP/1.1 404 Not Found\n\n") == -1)
        #expect(find("a: HTTP/1.1 404 Not Found\r\na: HTTP/1.1 404 Not Found\r\n") == -1)
        #expect(find("<13>Nov 22 web nginx: GET / HTTP/1.1\n<13>Nov 22 web nginx: GET / HTTP/1.1\n") == -1)
        #expect(find("x HTTP/1.1 200 OK\r\nA: b\n\r\n") == -1)
    }

    @Test func whatOnlyLooksLikeOneIsNot() {
        #expect(find("GET /info RTSP/1.0\r\nCSeq: 1\r\n") == -1)
        #expect(find("SOURCE /live ICE/1.0\r\nA: b\r\n\r\n") == -1)
        #expect(find("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == -1)
        #expect(find("ERROR /var/log/a rotated\nWARN /tmp is full\n") == -1)
        #expect(find("the \"GET / HTTP/1.1\" 200\n") == -1)
        #expect(find("Connection uses HTTP/2\n") == -1)
        #expect(find("H /H /H /H /") == -1)
        #expect(find("HTTP/1.1 20x\r\n\r\nHTTP/1.1 2000\r\n\r\n") == -1)
    }

    @Test func onlyWhatIsWantedIsFound() {
        #expect(find("HTTP/1.1 200 OK\r\nGET / HTTP/1.1\r\n\r\n", .request) == 17)
        #expect(find("GET / HTTP/1.1\r\nHTTP/1.1 200 OK\r\n\r\n", .status) == 16)
    }

    @Test func atTheEndALineThatNothingRefutedIsBelieved() {
        func concluded(_ text: String) -> StartLineSearch.Found? {
            var search = StartLineSearch([.request, .status])
            #expect(search.advance(over: Array(text.utf8).rawBytes, base: 0) == nil)
            return search.conclude()
        }
        let request = concluded("GET / HTTP/1.1\r\nHos")
        #expect(request?.start == 0 && request?.isRequest == true)
        let status = concluded("HTTP/1.1 200 O")
        #expect(status?.start == 0 && status?.isRequest == false)
        #expect(concluded("HTTP/1.1 200") == nil)
        #expect(concluded("a HTTP/1.1 200 OK\r\nA: b\r\n") == nil)
        #expect(concluded("GET / HTTP/1.1") == nil)
    }

    @Test func aGapEndsWhatHasBegun() {
        let bytes = Array("GET /a HTTP/1.1\r\n".utf8)
        var search = StartLineSearch(.request)
        #expect(search.advance(over: bytes.rawBytes.extracting(0..<8), base: 0) == nil)
        #expect(search.pending == 0)
        search.restart()
        #expect(search.pending == 8)
        #expect(search.advance(over: bytes.rawBytes, base: 0) == nil)
    }

    @Test(
        arguments: [
            "H", "H ", "A /", "AAA B", "GET /", "HTTP/1.1 20", "\n/x ", "abc def\n", "x HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 ",
            "x HTTP/1.1 200 OK\r\nA: b\r\n", "x GET / HTTP/1.1\r\n",
        ])
    func eachByteIsLookedAtOnce(_ unit: String) {
        func steps(_ size: Int) -> Int {
            var bytes: [UInt8] = []
            var search = StartLineSearch([.request, .status])
            while bytes.count < size { bytes += Array(unit.utf8) }
            for end in 1...size { _ = search.advance(over: bytes.rawBytes.extracting(0..<end), base: 0) }
            return search.steps
        }
        #expect(steps(32_000) <= 2 * steps(16_000) + 100, "\(steps(16_000)) \(steps(32_000))")
        #expect(steps(16_000) <= 40_000)
    }
}
