import Support
import Testing

/// The ways in which a test delivers bytes: whole, byte by byte, and in pieces of random length.
enum Cutting: CustomTestStringConvertible, CaseIterable {
    case whole, bytewise, random1, random2, random3, random4

    var testDescription: String { "\(self)" }

    /// The pieces, one after another.
    func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        var generator: SplitMix
        switch self {
        case .whole: return bytes.isEmpty ? [] : [bytes]
        case .bytewise: return bytes.map { [$0] }
        case .random1: generator = SplitMix(seed: 1)
        case .random2: generator = SplitMix(seed: 2)
        case .random3: generator = SplitMix(seed: 3)
        case .random4: generator = SplitMix(seed: 4)
        }
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + 1 + Int(generator.next() % 24))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}

extension [UInt8] {
    /// As text, line ends and other bytes outside of ASCII escaped.
    var shown: String {
        map { byte in
            switch byte {
            case 0x0D: "\\r"
            case 0x0A: "\\n"
            case 0x20..<0x7F: String(UnicodeScalar(byte))
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}
