import Dissection
import Support
import Testing

/// What was on its way when one side reset the connection.
@Suite struct AfterResetTests {
    private static let cut = Segments().handshake().client("abc", at: 0).server("uvw", at: 0, ack: 3).reset(.client, at: 3)
    private static let before = ["opened handshake by handshake", "> @0 data \"abc\"", "< @0 data \"uvw\""]

    @Test("bytes that come within a second of a RST are data after the close, before the last record of their conversation")
    func bytesOnTheirWayAreShown() {
        let told = Self.cut.server("xyz", at: 3).server("wxyz!", at: 2).fin(.server, at: 7).reset(.client, at: 3).transcript()
        #expect(
            told == Self.before + [
                "< @3 data afterClose 3 B  \"xyz\"", "< @6 data afterClose 1 B  \"!\"",
                "closed client reset  client reset 3 B  server open 3 B",
            ])
    }

    @Test("a RST after the FIN of its side leaves the FIN the end, and is the end of that side")
    func aResetFollowsTheFin() {
        let told = Segments().handshake().client("abc", at: 0).fin(.client, at: 3, ack: 0).server("uvw", at: 0, ack: 4)
            .reset(.client, at: 4).server("xyz", at: 3, ack: 4).transcript()
        #expect(
            told == Self.before + [
                "< @3 data afterClose 3 B  \"xyz\"", "closed client fin  client reset 3 B  server open 3 B",
            ])
    }

    @Test("a connection stays for a second of the capture's time after its RST, and for one more after each packet that comes")
    func theConnectionStaysForASecond() {
        let late = Self.cut.pause(seconds: 3).server("xyz", at: 3).transcript()
        #expect(
            late == Self.before + [
                "closed client reset  client reset 3 B  server open 3 B", "! tcp.data-after-close a=3 b=1",
            ])
    }

    @Test("a SYN of another connection ends what stayed after a RST at once")
    func aSynEndsIt() {
        let told = Self.cut.packet(.client, at: 1 << 28, flags: .syn).transcript()
        #expect(
            Array(told.prefix(5)) == Self.before + [
                "closed client reset  client reset 3 B  server open 3 B", "opened handshake by handshake",
            ])
    }

    @Test("a segment far from the numbers of a reset connection begins another one")
    func anotherConnectionBegins() {
        let told = Self.cut.client("other", at: 1 << 28, ack: 1 << 28).transcript()
        #expect(Array(told.prefix(4)) == Self.before + ["closed client reset  client reset 3 B  server open 3 B"])
        #expect(told.contains { $0.contains("data \"other\"") }, "\(told)")
    }
}
