import Dissection
import Support
import Testing

/// Packets of which the capture has only the beginning, and that come more than once.
@Suite("Packets cut by the capture") struct CutPacketTests {
    private func lines(_ segments: Segments) -> [String] { Array(segments.transcript()[1...]) }

    @Test("of a packet that comes cut and then whole, the cut one counts")
    func aWholeCopyAfterACutPacketFillsNothing() {
        let cut = Segments().handshake().packet(.server, Array("abcdef".utf8), at: 0, flags: [.psh, .ack], captured: 4)
        #expect(
            lines(cut.server("ghi", at: 6).server("abcdef", at: 0)) == [
                "< @0 data \"abcd\"", "< @4 gap 2 truncated", "< @6 data \"ghi\"",
                "closed unknown endOfCapture  client open 0 B  server open 7 B 2 missing",
            ])
        // While both wait for bytes before them as well.
        let waiting = Segments().handshake().packet(.server, Array("def".utf8), at: 3, flags: [.psh, .ack], captured: 1)
        #expect(
            lines(waiting.server("def", at: 3).server("abc", at: 0)) == [
                "< @0 data \"abcd\"", "< @4 gap 2 truncated",
                "closed unknown endOfCapture  client open 0 B  server open 4 B 2 missing",
            ])
    }

    @Test("a cut copy of a packet that came whole says nothing")
    func aCutCopyAfterAWholePacketIsNothingNew() {
        let whole = Segments().handshake().server("abcdef", at: 0)
        #expect(
            lines(whole.packet(.server, Array("abcdef".utf8), at: 0, flags: [.psh, .ack], captured: 4).server("ghi", at: 6)) == [
                "< @0 data \"abcdefghi\"", "closed unknown endOfCapture  client open 0 B  server open 9 B",
            ])
    }

    @Test("a packet of which no payload was captured is a gap, and the end after it is the end")
    func aPacketWithoutPayloadBytesIsAGap() {
        let cut = Segments().handshake().packet(.server, Array("abcdef".utf8), at: 0, flags: [.psh, .ack], captured: 0)
        #expect(
            lines(cut.fin(.server, at: 6).fin(.client, at: 0, ack: 7)) == [
                "< @0 gap 6 truncated", "closed server fin  client fin 0 B  server fin 0 B 6 missing",
            ])
    }
}
