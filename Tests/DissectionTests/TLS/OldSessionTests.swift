import Dissection
import Support
import Testing

/// SSL 2.0, which nobody should meet any more.
@Suite struct OldSessionTests {
    private let clientHello: [UInt8] =
        [0x80, 0x1C, 1, 0, 2, 0, 3, 0, 0, 0, 16, 7, 0, 0xC0] + [UInt8](repeating: 5, count: 16)
    private let serverHello: [UInt8] = [0x80, 0x0B, 4, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0]

    @Test func theVersionAndTheSizesAreShown() {
        let talk = Talk([
            .client(clientHello), .server(serverHello), .client([0x80, 3, 2, 7, 0]), .server([0x00, 0x05, 0x02, 1, 2, 3, 4, 5]),
            .finish(.client), .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 data \(Transcript.show(clientHello))",
                "> @0 ! tls.ssl2-hello a=2 b=0",
                "< @0 tls name  alpn  version 2 cipher -",
                "< @0 ! tls.version-obsolete a=2 b=0",
                "< @0 data 13 B ssl2Record \"\"",
                "> @30 data 5 B ssl2Record \"\"",
                "< @13 data 8 B ssl2Record \"\"",
                "closed client fin  client fin 35 B  server fin 21 B",
            ]) == nil)
    }

    @Test func aServerThatAnswersInTLSIsReadAsTLS() {
        let talk = Talk([.client(clientHello), .server([21, 3, 0, 0, 2, 2, 40])])
        #expect(talk.transcript().contains("< @0 ! tls.alert-fatal a=40 b=0"), "\(talk.transcript())")
    }

    @Test func behindALossNothingSaysThatItIsOne() {
        let talk = Talk([.client(clientHello), .gap(.server, 79, .missing), .server([0xF3, 0xC6, 1, 2])])
        #expect(!talk.transcript().contains { $0.contains("ssl2Record") }, "\(talk.transcript())")
    }

    @Test func aLossIsKeptApart() {
        let talk = Talk([
            .client(clientHello), .server(Array(serverHello.prefix(6))), .gap(.server, 7, .missing), .server([0x80, 1, 9]),
            .gap(.server, 5, .missing), .server([7, 7]), .finish(.server),
        ])
        let lines = talk.transcript()
        #expect(
            Array(lines.dropFirst(3).prefix(5)) == [
                "< @6 gap 7 missing", "< @0 data 13 B ssl2Record \"\"", "< @13 data 3 B ssl2Record \"\"", "< @16 gap 5 missing",
                "< @21 data 07 07",
            ])
        #expect(talk.difference(from: lines) == nil)
    }
}
