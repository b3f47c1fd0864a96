import Dissection
import Support
import Testing

/// The ends of heads and trailer sections are searched for once in each byte, however they come.
@Suite struct HeadScanTests {
    /// Bytes that were looked at where a message of a side comes one byte at a time.
    private func steps(_ side: Side, before: [UInt8] = [], _ bytes: [UInt8]) -> UInt64 {
        var layer = HTTP1Layer()
        var limits = Limits()
        limits.headBytes = 1 << 20
        var context = ConversationContext(number: 1, limits: limits, startsMidstream: false)
        var sink = Transcript()
        // A response waits for its request.
        if side == .server {
            let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            _ = layer.receive(request.rawBytes, at: Arrival(side: .client, offset: 0, place: Place()), context: &context, sink: &sink)
        }
        _ = layer.receive(before.rawBytes, at: Arrival(side: side, offset: 0, place: Place()), context: &context, sink: &sink)
        let first = layer.scannedBytes(of: side)
        for index in bytes.indices {
            let arrival = Arrival(side: side, offset: UInt64(before.count + index), place: Place())
            _ = layer.receive(bytes.rawBytes.extracting(index..<index + 1), at: arrival, context: &context, sink: &sink)
        }
        return layer.scannedBytes(of: side) - first
    }

    @Test func aHeadThatComesByteByByteTakesStepsByItsLength() {
        for line in ["X: 1\r\n", "Long: " + String(repeating: "y", count: 500) + "\r\n", "a\n", " \r\n"] {
            func head(_ count: Int) -> [UInt8] {
                Array(("GET / HTTP/1.1\r\n" + String(repeating: line, count: count / line.utf8.count) + "\r\n").utf8)
            }
            let (once, twice) = (head(20_000), head(40_000))
            let few = steps(.client, once)
            let many = steps(.client, twice)
            #expect(few < UInt64(once.count * 4), "\(line)")
            #expect(Double(many) / Double(few) < 2.2, "\(line): \(few), \(many)")
        }
        // A first line of any length.
        let few = steps(.client, Array(("GET /" + String(repeating: "y", count: 20_000)).utf8))
        let many = steps(.client, Array(("GET /" + String(repeating: "y", count: 40_000)).utf8))
        #expect(few <= 20_010 && Double(many) / Double(few) < 2.2, "\(few), \(many)")
    }

    @Test func soDoTrailers() {
        let before = Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n".utf8)
        func trailers(_ count: Int) -> [UInt8] { Array(String(repeating: "X: 1\r\n", count: count / 6).utf8) }
        let few = steps(.server, before: before, trailers(20_000))
        let many = steps(.server, before: before, trailers(40_000))
        #expect(few < 80_000)
        #expect(Double(many) / Double(few) < 2.2, "\(few), \(many)")
    }
}
