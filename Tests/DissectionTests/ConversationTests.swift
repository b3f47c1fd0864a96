import Dissection
import Support
import Testing

/// The phases of a conversation, with a protocol that has no layer.
@Suite struct ConversationTests {
    @Test func bytesOfAnUnknownProtocolAreData() {
        let talk = Talk([.server("220 ready\r\n"), .client("EHLO a\r\n"), .finish(.client), .finish(.server)])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "< @0 data \"220 ready\\r\\n\"",
                "> @0 data \"EHLO a\\r\\n\"",
                "closed client fin  client fin 8 B  server fin 11 B",
            ]) == nil)
    }

    @Test func withoutASynTheLowerPortIsTheServer() {
        let talk = Talk([.server([1, 2]), .client([3]), .reset(.client)], knowsRoles: false, start: .midstream)
        #expect(
            talk.difference(from: [
                "opened midstream by ports",
                "< @0 data 01 02",
                "> @0 data 03",
                "closed client reset  client reset 1 B  server open 2 B",
            ]) == nil)
    }

    @Test func aGapIsToldWhereItLies() {
        let talk = Talk([.client([0xFF, 2]), .gap(.client, 5, .missing), .client([3])])
        #expect(
            talk.difference(from: [
                "opened handshake by handshake",
                "> @0 data ff 02",
                "> @2 gap 5 missing",
                "> @7 data 03",
                "closed unknown endOfCapture  client open 3 B 5 missing  server open 0 B",
            ]) == nil)
    }
}
