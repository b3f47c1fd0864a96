import Dissection
import Support
import Testing

/// Messages that came otherwise than they were written.
@Suite("messages and segments") struct SegmentCountTests {
    /// The notes about packets that each bring some text.
    private func notes(_ framing: StreamFraming, _ texts: [String], missing: Int? = nil) -> [String] {
        var sink = Notes()
        let endpoint = Endpoint(address: IPAddress(ipv4: 1), port: 1)
        var conversation = Conversation(
            number: 1, first: endpoint, second: endpoint, sideOfFirst: .client, start: .handshake,
            forced: DecodeRule(port: 1, framing: framing.both), limits: Limits(), place: Place())
        conversation.open(sink: &sink)
        for (index, text) in texts.enumerated() {
            let place = Place(time: Timestamp(nanoseconds: Int64(index)), packets: PacketRange(UInt64(index + 1)))
            if index == missing {
                conversation.receive(.gap(length: 4, cause: .missing), direction: .first, place: place, sink: &sink)
            }
            conversation.receive(.bytes(Array(text.utf8).rawBytes), direction: .first, place: place, sink: &sink)
        }
        conversation.receive(.finished, direction: .first, place: Place(), sink: &sink)
        conversation.close(.endOfCapture, sink: &sink)
        return sink.notes
    }

    private struct Notes: ConversationSink {
        var notes: [String] = []
        mutating func receive(_ event: borrowing ConversationEvent) {
            guard case .finding(let finding) = event.fact, finding.row.id == "framing.reads-differ" else { return }
            notes.append("\(finding.a) in \(finding.b): \(String(decoding: Transcript.copy(event.content), as: UTF8.self))")
        }
    }

    @Test("segments with several messages, and messages in several segments, are counted once for a side")
    func counted() {
        #expect(
            notes(.lines, ["one\ntwo\nth", "ree\n", "four\n", "fi", "v", "e\n"])
                == ["5 in 6: 1 held several messages, 2 short messages came in several"])
        #expect(notes(.json, ["{}\n", "[1][2]\n", "[3"]) == ["3 in 3: 1 held several messages"])
        #expect(
            notes(.contentLength, [ContentLengthTests.message("{}") + "Content-", "Length: 1\r\n\r\n1"]) == [
                "2 in 2: 1 held several messages, 1 short message came in several"
            ])
    }

    @Test("nearly: one message a segment, white space alone, one segment, long messages, protocols, and losses")
    func silent() {
        #expect(notes(.lines, ["one\n", "two\n", "three"]) == [])
        #expect(notes(.json, ["{}\n", " [1]\n", "\n", "[3]"]) == [])
        #expect(notes(.lines, ["one\ntwo\n"]) == [])
        #expect(notes(.lines, [String(repeating: "a", count: 1_300), "b\n", "two\n"]) == [])
        #expect(notes(.protocol(.irc), ["NICK a\r\nUSER a 0 * :a\r\n", "PING\r\n"]) == [])
        #expect(notes(.lines, ["one\ntwo\n", "lost\n", "three\n"], missing: 1) == [])
    }
}
