import Dissection
import Reports

/// What messages of the toy say; `hello` has the seconds after which a side that is silent is given up, and a password.
enum ToyFormat: FramedFormat {
    typealias Grammar = ToyGrammar
    static var beatsAreAnswered: Bool { true }
    static var beatDelay: BeatDelay { .ownBytes }
    static var hasGoodbye: Bool { true }

    static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool { decoded.says("type", "bye") }

    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {
        guard let seconds = decoded.number(of: "patience") else { return }
        timeouts.format = FormatName(name, Self.self)
        timeouts.keepAlive = HeartbeatTimeouts.nanoseconds(seconds, 1_000_000_000)
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard bytes.byteCount >= Grammar.header, let type = Grammar.type(of: bytes[2]) else { return decoded.stop("it has no type", at: 0) }
        decoded.add("type", .word(type), at: 2..<3)
        guard bytes.byteCount > Grammar.header else { return }
        if type == "hello" {
            decoded.add("patience", .number(UInt64(bytes[4])), at: 4..<5)
            decoded.add("password", .text(text(bytes, from: 5)), at: 5..<bytes.byteCount)
        } else {
            decoded.add("text", .text(text(bytes, from: 4)), at: 4..<bytes.byteCount)
        }
    }

    private static func text(_ bytes: RawSpan, from start: Int) -> [UInt8] { (start..<bytes.byteCount).map { bytes[$0] } }
}
