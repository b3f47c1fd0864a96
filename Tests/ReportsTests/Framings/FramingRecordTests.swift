import Dissection
import Reports
import Support
import Testing

/// Messages that were cut out of raw bytes, as records and as text.
@Suite struct FramingRecordTests {
    private func record(
        _ framing: StreamFraming, header: [UInt8] = [], guess: MessageFrame.Guess? = nil, _ content: [UInt8] = [0x68, 0x69]
    )
        -> String
    {
        let frame = MessageFrame(framing, header: ShortBytes(header) ?? ShortBytes(), guess: guess)
        return RecordScript.record(
            .message(Message(cut: frame, length: UInt64(content.count), wireLength: 9)), content, from: .client, offset: 4)
    }

    @Test func aRecordSaysHowItsMessageWasCut() {
        let start = "{\"kind\":\"message\",\"conversation\":1,\"from\":\"client\",\"offset\":4,\"length\":2,\"wireLength\":9,\"framing\":"
        let expected: [(StreamFraming, [UInt8], String)] = [
            (.length(LengthPrefix(.u32be)), [], "{\"by\":\"length\",\"length\":\"u32be\"}"),
            (
                .length(LengthPrefix(.u16le, offset: 2, header: 6, countsItself: true)), [1, 2, 8, 0, 3, 255],
                "{\"by\":\"length\",\"length\":\"u16le\",\"self\":true,\"offset\":2,\"header\":6,\"headerBytes\":\"0102080003ff\"}"
            ),
            (.delimiter(ShortBytes([13, 10]) ?? ShortBytes(), most: 9), [], "{\"by\":\"delimiter\",\"delimiter\":\"0d0a\"}"),
            (.fixed(2), [], "{\"by\":\"fixed\",\"size\":2}"), (.lines, [], "{\"by\":\"lines\"}"),
            (
                .tlv(type: .u16be, length: .u8), [1, 2, 2],
                "{\"by\":\"tlv\",\"length\":\"u8\",\"type\":258,\"headerBytes\":\"010202\"}"
            ),
            (.contentLength, [], "{\"by\":\"content-length\"}"), (.json, [], "{\"by\":\"json\"}"),
            (.protocol(.redis), [], "{\"by\":\"protocol\",\"protocol\":\"redis\"}"),
        ]
        for (framing, header, words) in expected {
            #expect(record(framing, header: header) == start + words + ",\"text\":\"hi\"}")
        }
        #expect(
            record(.lines, guess: MessageFrame.Guess(fits: 2, of: 3)).contains("{\"by\":\"lines\",\"guessed\":true,\"fit\":0.666}"))
        #expect(record(.lines, guess: MessageFrame.Guess(fits: 212, of: 212)).contains("\"fit\":1}"))
    }

    @Test func textShowsThemAsMessages() {
        var dialogue = Dialogue(TextReport(Output(), settings: TextSettings(follows: true)))
        dialogue.say(0, nil, .opened(RecordScript.opening))
        let frame = MessageFrame(.length(LengthPrefix(.u32be)))
        dialogue.say(1, .client, .message(Message(cut: frame, length: 2, wireLength: 6)), [0x68, 0x69])
        let text = String(decoding: dialogue.report.takeBytes(), as: UTF8.self)
        #expect(text.contains("message    2 B  hi") && !text.contains("opcode") && !text.contains("WebSocket"), "\(text)")
    }

    // MARK: - Payload formats

    /// Says what it was told of the framing.
    private struct Echo: PayloadFormat {
        static var name: StaticString { "echo" }
        static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
            context.carrier == .framed ? .certain : .no
        }
        static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
            decoded.note("framing", .text(context.framing))
        }
    }

    @Test func aPayloadFormatLearnsWhichProtocolFramedIt() {
        var settings = RecordSettings()
        settings.payloads = PayloadTable([PayloadRow(Echo.self)])
        for (framing, name) in [(.protocol(.mqtt), "mqtt"), (.lines, "")] as [(StreamFraming, String)] {
            let message = Message(cut: MessageFrame(framing), length: 2, wireLength: 2)
            let record = RecordScript.record(.message(message), [0x68, 0x69], from: .client, settings: settings)
            #expect(record.hasSuffix("\"decoded\":{\"as\":\"echo\",\"framing\":\"\(name)\"}}"), "\(record)")
        }
    }

    // MARK: - Read again

    @Test func aLogThatIsReadAgainGivesTheSameRecords() {
        let opened = RecordScript.record(.opened(RecordScript.opening))
        let guess = MessageFrame.Guess(fits: 2, of: 3)
        let records = [
            record(.length(LengthPrefix(.u16le, offset: 2, header: 6, countsItself: true)), header: [1, 2, 8, 0, 3, 255]),
            record(.length(LengthPrefix(.varint)), guess: guess), record(.delimiter(ShortBytes([13, 10]) ?? ShortBytes(), most: 9)),
            record(.fixed(2)), record(.lines), record(.tlv(type: .u16be, length: .u8), header: [1, 2, 2]),
            record(.contentLength), record(.json, guess: guess), record(.protocol(.redis), [0xFF]),
        ]
        var teller = LogTeller()
        teller.begin(RecordScript.source, after: Totals())
        var report = RecordReport(Output())
        for line in [opened] + records { _ = teller.tell(Array(line.utf8).rawBytes, into: &report) { _, _ in } }
        let told = String(decoding: report.takeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(told == [opened] + records)
    }
}
