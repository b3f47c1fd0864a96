import Dissection
import Support
import Testing

@testable import Reports

/// Walking JSON where it lies, against the reader that makes values of it.
@Suite struct JSONCursorTests {
    private func isValid(_ bytes: [UInt8]) -> Bool {
        var cursor = JSONCursor(bytes.rawBytes)
        return cursor.value() != nil && cursor.isAtEnd()
    }

    private static let samples = [
        #"{"a":[1,-2.5e+10,true,false,null,"x"],"b":{"c":{},"d":[]},"long name with spaces":"a string that is longer than eight bytes"}"#,
        #"["\"","\\\\","\u00e9 caf\u00e9 and more behind it","é😀 in UTF-8, and some text","\b\f\n\r\t\/"]"#,
        #"[[[[[[[[[[{"a":[{"b":[0]}]}]]]]]]]]]]"#, "  [ 1 , 2 ]\r\n", "\"1234567\"", "\"12345678\"", "\"123456789\"", "0", "-0.0", "[]",
        "{}",
        "nul", "trues", "[tru]", "{\"a\":nulll}", "01", "1.", "1e", "-",
    ]

    @Test func `it takes what the reader takes, whatever is changed`() {
        var random = SplitMix(seed: 7)
        let letters = Array("\"\\{}[]:,0a \n\u{1f}\u{7f}é".utf8) + [0x80, 0xff]
        for sample in Self.samples {
            let bytes = Array(sample.utf8)
            for round in 0..<400 {
                var changed = bytes
                for _ in 0..<(round == 0 ? 0 : 1 + Int(random.next() % 2)) where !changed.isEmpty {
                    let place = Int(random.next() % UInt64(changed.count))
                    switch random.next() % 3 {
                    case 0: changed.remove(at: place)
                    case 1: changed[place] = letters[Int(random.next() % UInt64(letters.count))]
                    case _: changed.insert(letters[Int(random.next() % UInt64(letters.count))], at: place)
                    }
                }
                var reader = JSONReader(changed.rawBytes)
                // The reader also wants text to be UTF-8.
                let whole = try? reader.whole()
                let isRead = whole != nil
                guard isRead || changed.rawBytes.isUTF8 else { continue }
                #expect(isValid(changed) == isRead, "\(String(decoding: changed, as: UTF8.self))")
            }
        }
    }

    @Test func `it goes a hundred levels deep and no further`() {
        func nested(_ levels: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: levels) + "1" + String(repeating: close, count: levels)).utf8)
        }
        for (open, close) in [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")] {
            let levels = open.count == 6 ? 50 : 100
            #expect(isValid(nested(levels, open, close)) && !isValid(nested(levels + 1, open, close)), "\(open)")
            // An empty one is a level as well.
            #expect(!isValid(nested(levels, open, close).flatMap { $0 == UInt8(ascii: "1") ? Array("[]".utf8) : [$0] }), "\(open)")
            // What closes is what was opened, on each level.
            var crossed = nested(levels, open, close)
            crossed[crossed.count - 1] = close.last == "}" ? UInt8(ascii: "]") : UInt8(ascii: "}")
            #expect(!isValid(crossed), "\(open)")
        }
    }

    @Test func `a byte is found where it is`() {
        var random = SplitMix(seed: 3)
        for _ in 0..<2_000 {
            let bytes = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next() % 6) &+ 0x7e }
            let start = Int(random.next() % UInt64(bytes.count + 1))
            for wanted in [0x7e, 0x7f, 0x80, 0x81] as [UInt8] {
                #expect(bytes.rawBytes.position(of: wanted, from: start) == bytes[start...].firstIndex(of: wanted))
            }
        }
    }
}
