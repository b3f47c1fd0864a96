/// What a message shows that has no end, for the end of a sentence.
enum DelimiterClues {
    private static let names: [(UInt8, StaticString)] = [(0, "NUL"), (0x0A, "LF"), (0x0D, "CR")]

    /// What else may end messages in these bytes, in which the delimiter is not; empty where nothing does.
    static func words(_ framing: StreamFraming, _ bytes: RawSpan) -> String {
        let delimiter: String
        switch framing {
        case .lines: delimiter = "LF"
        case .delimiter(let bytes, _):
            switch bytes.array {
            case [0x0A]: delimiter = "LF"
            case [0x0D, 0x0A]: delimiter = "CRLF"
            case [0]: delimiter = "NUL"
            case _: delimiter = "delimiter"
            }
        case .length, .fixed, .tlv, .contentLength, .json, .protocol: return ""
        }
        var counts: [Int] = [0, 0, 0]
        for index in 0..<bytes.byteCount {
            let byte = bytes[index]
            // A CR at the end may be half of CRLF.
            if byte <= 0x0D, byte != 0x0D || index + 1 < bytes.byteCount, let place = names.firstIndex(where: { $0.0 == byte }) {
                counts[place] += 1
            }
        }
        guard let most = counts.indices.max(by: { counts[$0] < counts[$1] }), counts[most] > 0 else { return "" }
        return "no \(delimiter) came, \(names[most].1) came \(counts[most] == 1 ? "once" : "\(counts[most]) times")"
    }
}
