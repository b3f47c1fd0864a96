import Dissection
import Support
import Testing

/// Bytes of raw messages, and what a talk of them has to come to.
enum FramedMessages {
    /// A number of so many bytes.
    static func number(_ value: Int, _ width: LengthPrefix.Width) -> [UInt8] {
        guard let bytes = width.bytes else {
            var (rest, groups) = (value, [UInt8]())
            repeat {
                groups.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
                rest >>= 7
            } while rest > 0
            return groups
        }
        let little = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return width.isLittleEndian ? little : little.reversed()
    }

    /// A payload with its length in front.
    static func length(_ text: String, _ width: LengthPrefix.Width = .u32be) -> [UInt8] { number(text.utf8.count, width) + text.utf8 }

    /// All that is told between `opened` and `closed`, the same however the bytes are cut, with each of them in one place.
    static func told(_ talk: Talk, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation) -> [String] {
        let lines = talk.transcript()
        let difference = talk.difference(from: lines)
        #expect(difference == nil, comment ?? "\(difference ?? "")", sourceLocation: sourceLocation)
        for cutting in Talk.cuttings {
            var sink = CheckingSink(limits: talk.limits)
            talk.play(cutting, into: &sink)
            sink.finish()
            #expect(sink.complaints == [], sourceLocation: sourceLocation)
        }
        return Array(lines.dropFirst().dropLast())
    }
}

extension StreamFraming {
    static func ended(by text: String, most: UInt64 = StreamFraming.mostBytes) -> StreamFraming {
        .delimiter(ShortBytes(text.utf8) ?? ShortBytes(), most: most)
    }

    /// Both directions alike.
    var both: FramingPair { FramingPair(client: self, server: self) }
}

extension Talk {
    /// A talk whose raw bytes are cut as the user said.
    init(_ framing: StreamFraming, _ steps: [Step], limits: Limits = Limits()) {
        self.init(steps, limits: limits)
        self.framing = framing.both
    }
}
