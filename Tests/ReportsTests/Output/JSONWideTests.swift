import Dissection
import Foundation
import Reports
import Support
import Testing

/// JSON strings are escaped with a step that not every processor has, and without it: both write the same.
@Suite struct JSONWideTests {
    @Test func bothWaysWriteTheSame() throws {
        var random = SplitMix(seed: 5)
        // Text with quotes and backslashes, some of it with controls and letters that are not ASCII.
        for round in 0..<4_000 {
            var text: [UInt8] = []
            while text.count < round % 101 {
                switch random.next() % 24 {
                case 0...2: text.append(0x22)
                case 3: text.append(0x5C)
                case 4 where round % 3 == 0: text.append(UInt8(random.next() % 32))
                case 5 where round % 5 == 0: text += Array("é☕".utf8)
                case 6 where round % 7 == 0: text.append(0x7F)
                case let byte: text.append(0x41 + UInt8(byte))
                }
            }
            let written = JSONTextPath.escaped(text.rawBytes, isWide: false)
            let plain = try #require(written)
            let wide = JSONTextPath.escaped(text.rawBytes, isWide: true)
            #expect(wide == (JSONTextPath.hasWide ? plain : nil))
            let parsed = try JSONSerialization.jsonObject(with: Data([0x22] + plain + [0x22]), options: .fragmentsAllowed)
            #expect(parsed as? String == String(decoding: text, as: UTF8.self))
        }
    }

    @Test func invalidBytesAreRefusedEitherWay() {
        for position in 0..<40 {
            var text = [UInt8](repeating: 0x61, count: 40)
            text[position] = 0xFF
            let wide = JSONTextPath.escaped(text.rawBytes, isWide: true)
            let plain = JSONTextPath.escaped(text.rawBytes, isWide: false)
            #expect(wide == nil && plain == nil)
        }
    }
}
