import Dissection
import Support
import Testing

@testable import Reports

/// A protocol is added by a folder, as this one, and a row in each of two tables; nothing else has to know it.
@Suite struct ToyProtocolTests {
    private static let row = FramedProtocol(ToyGrammar.self)
    private static let payloads = PayloadTable(PayloadTable.standard.rows + [PayloadRow(ToyFormat.self)])

    private static func message(_ letter: Character, _ payload: [UInt8] = []) -> [UInt8] {
        "ty\(letter)".utf8 + [UInt8(payload.count)] + payload
    }

    private static let hello = message("k", [4] + "secret".utf8)

    /// A client that says hello, and pings every 4 s until it falls silent; the server closes after 8 s.
    private static func talk(_ last: [UInt8]? = nil) -> Talk {
        var talk = Talk([.client(hello), .server(message("s", Array("hi".utf8)))])
        talk.milliseconds = [0, 10]
        for number in 1...4 as ClosedRange<Int64> {
            talk.steps += [.client(message("p")), .server(message("o"))]
            talk.milliseconds += [number * 4_000, number * 4_000 + 20]
        }
        if let last {
            talk.steps.append(.client(last))
            talk.milliseconds.append(16_100)
        }
        talk.steps += [.finish(.server), .finish(.client)]
        talk.milliseconds += [24_000, 24_001]
        talk.layers = LayerTable(LayerTable.standard.rows, protocols: FramedProtocol.grammars + [ToyGrammar.self])
        return talk
    }

    private static func records(_ talk: Talk) -> [String] {
        var settings = RecordSettings()
        settings.payloads = payloads
        var report = RecordReport(Output(), settings: settings)
        talk.play(into: &report)
        return String(decoding: report.takeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("a protocol of a stranger is recognised, and cut as its grammar says")
    func cut() {
        let talk = Self.talk()
        let told = talk.transcript()
        #expect(told[1].hasPrefix("> @0 message 11 B") && told[2].hasPrefix("< @0 message 6 B"), "\(told)")
        #expect(told.count { $0.contains(" message ") } == 10 && talk.difference(from: told) == nil)
        var unknown = talk
        unknown.layers = LayerTable.standard
        #expect(!unknown.transcript().contains { $0.contains("message 11 B") })
        // A rule of the user may name it, and what is none of its messages is reported in its name.
        var broken = Talk([.server("tyx")])
        broken.framing = FramingPair(client: .protocol(Self.row), server: .protocol(Self.row))
        #expect(broken.transcript().contains { $0.contains("framing.not-of-protocol") }, "\(broken.transcript())")
    }

    @Test("its messages are decoded by the same grammar")
    func decoded() {
        let lines = Self.records(Self.talk())
        #expect(lines.contains { $0.contains(#""framing":{"by":"protocol","protocol":"toy"}"#) }, "\(lines)")
        #expect(lines.contains { $0.contains(#""decoded":{"as":"toy","type":"say","text":"hi"}"#) }, "\(lines)")
    }

    @Test("its signs of life, its time-out and its goodbye explain the end")
    func life() throws {
        let silent = try #require(Self.records(Self.talk()).last { $0.contains(#""heartbeats""#) })
        #expect(silent.contains(#"{"from":"client","by":"toy","period":4,"#) && silent.contains(#""answered":4"#), "\(silent)")
        #expect(silent.contains(#""explains":"certain""#), "\(silent)")
        let polite = try #require(Self.records(Self.talk(Self.message("b"))).last { $0.contains(#""heartbeats""#) })
        #expect(!polite.contains("explains"), "\(polite)")
    }

    @Test("what it calls a password is hidden")
    func secrets() throws {
        let bytes = Self.hello
        var memory = PayloadMemory()
        var context = PayloadContext(from: .client, opcode: 0, isCut: false)
        context.carrier = .framed
        context.framing = Array("toy".utf8)
        let decoded = try #require(Self.payloads.decode(bytes.rawBytes, in: context, memory: &memory))
        let secrets = SecretFields(decoded, in: bytes, at: ByteRange(0..<bytes.count), isCut: false)
        #expect(secrets.places == 1 && secrets.bytes == Self.message("k", [4] + "xxxxxx".utf8))
    }
}
