import Dissection
import Testing

@testable import Query

/// How many bytes of a payload are text, as the log decides it (docs/log-format.md).
@Suite struct TextCountTests {
    /// The same, byte by byte.
    private static func plain(_ bytes: [UInt8], isCut: Bool) -> Int? {
        let controls = bytes.count { ($0 < 0x20 || $0 == 0x7f) && ![0x09, 0x0a, 0x0d].contains($0) }
        guard controls <= max(16, bytes.count / 8) else { return nil }
        if String(validating: bytes, as: UTF8.self) != nil { return bytes.count }
        guard isCut else { return nil }
        for open in 1...3 where open <= bytes.count {
            let (whole, rest) = (bytes.dropLast(open), bytes.suffix(open))
            // The beginning of a character: some bytes make it whole.
            let ends: [[UInt8]] = [
                [0x80], [0xbf], [0x80, 0x80], [0xbf, 0x80], [0x80, 0x80, 0x80], [0xbf, 0x80, 0x80], [0x9f, 0x80], [0x9f],
            ]
            let isBegun =
                (rest.first ?? 0) >= 0xc0 && ends.contains { String(validating: rest + $0, as: UTF8.self)?.unicodeScalars.count == 1 }
            if isBegun, String(validating: whole, as: UTF8.self) != nil { return whole.count }
        }
        return nil
    }

    @Test func `is the same eight bytes at once and byte by byte`() {
        let pieces: [[UInt8]] = [
            Array("plain text".utf8), Array("ü".utf8), Array("\r\n\t".utf8), [0], [0x1f], [0x7f], [0x80], Array("漢".utf8), Array("🙂".utf8),
            [0xc3], [0xf0, 0x9f],
            Array(" ".utf8),
        ]
        var state: UInt64 = 1
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for _ in 0..<4_000 {
            var bytes: [UInt8] = []
            for _ in 0..<next(12) { bytes += pieces[next(4) == 0 ? next(pieces.count) : [0, 1, 2, 7, 11][next(5)]] }
            for isCut in [false, true] {
                #expect(bytes.rawBytes.textCount(isCut: isCut) == Self.plain(bytes, isCut: isCut), "\(bytes) \(isCut)")
            }
        }
        let controls = [UInt8](repeating: 1, count: 16)
        #expect(controls.rawBytes.textCount(isCut: false) == 16 && (controls + [2]).rawBytes.textCount(isCut: false) == nil)
    }
}
