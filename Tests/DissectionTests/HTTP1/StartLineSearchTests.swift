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

    @Test func aRequestLineIsFoundForItsVersion() {
        #expect(find("GET / HTTP/1.1\r\n") == 0)
        #expect(find("GET /a b HTTP/1.1\r\n") == 0)
        #expect(find("get / HTTP/1.0\n") == 0)
        #expect(find("}\r\nPOST /x HTTP/1.1\r\n") == 3)
        #expect(find("{\"a\":\"b c\"}POST /x HTTP/1.1\r\n") == 11)
        #expect(find("AA BB CC GET /x HTTP/1.1\r\n") == 9)
        #expect(find("\u{0}\u{1}HTTP/1.1 200 OK\r\n") == 2)
        #expect(find("HHTTP/1.1 404\r\n") == 1)
    }

    @Test func whatOnlyLooksLikeOneIsNot() {
        #expect(find("GET /info RTSP/1.0\r\nCSeq: 1\r\n") == -1)
        #expect(find("SOURCE /live ICE/1.0\r\n") == -1)
        #expect(find("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") == -1)
        #expect(find("ERROR /var/log/a rotated\nWARN /tmp is full\n") == -1)
        #expect(find("the \"GET / HTTP/1.1\" 200\n") == -1)
        #expect(find("Connection uses HTTP/2\n") == -1)
        #expect(find("H /H /H /H /") == -1)
        #expect(find("HTTP/1.1 20x\r\nHTTP/1.1 2000\r\n") == -1)
    }

    @Test func onlyWhatIsWantedIsFound() {
        #expect(find("HTTP/1.1 200 OK\r\nGET / HTTP/1.1\r\n", .request) == 17)
        #expect(find("GET / HTTP/1.1\r\nHTTP/1.1 200 OK\r\n", .status) == 16)
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

    @Test(arguments: ["H", "H ", "A /", "AAA B", "GET /", "HTTP/1.1 20", "\n/x ", "abc def\n"])
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
