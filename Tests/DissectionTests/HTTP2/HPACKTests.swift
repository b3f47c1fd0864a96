import Support
import Testing

@testable import Dissection

/// HPACK against the examples of RFC 7541, appendix C, and what else a block may be.
@Suite("HPACK")
struct HPACKTests {
    private func bytes(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
            let start = digits.index(digits.startIndex, offsetBy: index)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    private func fields(_ decoder: inout HPACKDecoder, _ hexadecimal: String) -> [String] {
        var list = FieldList()
        if let problem = decoder.decode(bytes(hexadecimal).rawBytes, into: &list) { return ["\(problem)"] }
        return list.fields.map { field in
            field.isUnknown
                ? "?"
                : String(decoding: list.bytes[field.name], as: UTF8.self) + ": " + String(decoding: list.bytes[field.value], as: UTF8.self)
        }
    }

    private func decoder(_ size: Int? = nil) -> HPACKDecoder {
        var decoder = HPACKDecoder(limits: Limits())
        if let size {
            var list = FieldList()
            decoder.allowedSize = max(size, 4_096)
            let update: [UInt8] = [0x3F, UInt8((size - 31) & 127) | 128, UInt8((size - 31) >> 7)]
            _ = decoder.decode(update.rawBytes, into: &list)
        }
        return decoder
    }

    @Test("integers (C.1)")
    func integers() {
        for (text, bits, value) in [("0A", 5, 10), ("1F9A0A", 5, 1_337), ("2A", 8, 42)] {
            var position = 0
            #expect(HPACKDecoder.integer(bytes(text).rawBytes, at: &position, bits: bits) == value)
        }
        for text in ["FF", "FFFFFFFFFFFFFFFFFFFFFFFF01", "FF80808080808080808080"] {
            var position = 0
            #expect(HPACKDecoder.integer(bytes(text).rawBytes, at: &position, bits: 5) == nil)
        }
    }

    @Test("fields by themselves (C.2)")
    func singleFields() {
        for (text, field, size) in [
            ("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572", "custom-key: custom-header", 55),
            ("040c 2f73 616d 706c 652f 7061 7468", ":path: /sample/path", 0),
            ("1008 7061 7373 776f 7264 0673 6563 7265 74", "password: secret", 0), ("82", ":method: GET", 0),
        ] {
            var decoder = decoder()
            #expect(fields(&decoder, text) == [field])
            #expect(decoder.table.size == size)
        }
    }

    @Test("responses without Huffman code, in a table of 256 bytes (C.5)")
    func responses() {
        var decoder = decoder(256)
        let more = ["cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com"]
        #expect(
            fields(
                &decoder,
                "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d"
            ) == [":status: 302"] + more)
        #expect(decoder.table.size == 222)
        #expect(fields(&decoder, "4803 3330 37c1 c0bf") == [":status: 307"] + more)
        #expect(decoder.table.size == 222)
        #expect(
            fields(
                &decoder,
                "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31"
            ) == [
                ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT", "location: https://www.example.com",
                "content-encoding: gzip", "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
            ])
        #expect(decoder.table.size == 215)
    }

    @Test("requests without Huffman code (C.3)")
    func requests() {
        var decoder = decoder()
        #expect(
            fields(&decoder, "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d")
                == [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"])
        #expect(decoder.table.size == 57)
        #expect(
            fields(&decoder, "8286 84be 5808 6e6f 2d63 6163 6865")
                == [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"])
        #expect(decoder.table.size == 110)
        #expect(
            fields(&decoder, "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65")
                == [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"])
        #expect(decoder.table.size == 164)
    }

    @Test("requests with Huffman code (C.4)")
    func codedRequests() {
        var decoder = decoder()
        #expect(
            fields(&decoder, "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff")
                == [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com"])
        #expect(
            fields(&decoder, "8286 84be 5886 a8eb 1064 9cbf")
                == [":method: GET", ":scheme: http", ":path: /", ":authority: www.example.com", "cache-control: no-cache"])
        #expect(
            fields(&decoder, "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf")
                == [":method: GET", ":scheme: https", ":path: /index.html", ":authority: www.example.com", "custom-key: custom-value"])
    }

    @Test("responses that drive entries out of a table of 256 bytes (C.6)")
    func codedResponses() {
        var decoder = decoder(256)
        #expect(
            fields(
                &decoder,
                "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3"
            ) == [
                ":status: 302", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com",
            ])
        #expect(decoder.table.size == 222)
        #expect(
            fields(&decoder, "4883 640e ffc1 c0bf") == [
                ":status: 307", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:21 GMT", "location: https://www.example.com",
            ])
        #expect(decoder.table.size == 222)
        #expect(
            fields(
                &decoder,
                "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07"
            ) == [
                ":status: 200", "cache-control: private", "date: Mon, 21 Oct 2013 20:13:22 GMT", "location: https://www.example.com",
                "content-encoding: gzip", "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
            ])
        #expect(decoder.table.size == 215)
    }

    @Test("each of the 256 bytes has its code (appendix B), and what follows the last one is padding")
    func huffman() {
        var text: [UInt8] = []
        #expect(HuffmanCode.decode(bytes(HPACKTests.allBytes).rawBytes, into: &text) == nil)
        #expect(text == Array(0...255))
        // All ones are padding up to seven bits, and too many from eight on.
        text = []
        #expect(HuffmanCode.decode([0xFF].rawBytes, into: &text) == .padding)
        #expect(HuffmanCode.decode([0xFF, 0xFF, 0xFF, 0xFF].rawBytes, into: &text) == .endSymbol)
        #expect(HuffmanCode.decode([0x00, 0x00].rawBytes, into: &text) == .padding)
        #expect(text.prefix(3) == Array("000".utf8)[...])
    }

    /// The bytes from 0 to 255, as another encoder codes them.
    private static let allBytes = """
        ffc7fffd8fffffe2fffffe3fffffe4fffffe5fffffe6fffffe7fffffe8ffffeafffffff3fffffa7fffffabffffffdfffffebfffffecfffffedfffffe
        efffffefffffff0ffffff1ffffff2fffffffbfffffcffffffd3fffffd7fffffdbfffffdffffffe3fffffe7fffffebfffffed4fe3f9ffaffcabf1febf
        afefe7fdfd2cbb00089969b71d79fb9f7fff20ffbff3ff50ddbd7f061c58f265cd9f469d5af66dddbf871e5f9cff7ff7fffc3ff9ffe45fff4719242c
        b34e6e9d68a6a3d7dac426defe3cfaf7fffbfe7ffbffdffffffcfffe6ffff4bfff9ffffa3fffd3ffff53fffd5ffffb3fffeb7fffdaffffb7ffff73ff
        feeffffdeffffebffffbfffffd9ffffdbfffebffffe0ffffeeffffc3ffff8bffff1ffffe4fffee7fffb1ffff97fffd9ffffcdffff9fffffbffffdaff
        feeffff4ffffb7fffee7fffe8ffffd3fffdeffffd5fffeeffffbdffffe1fffdfffff7fffff5ffffecffff07fff87fffe0ffff17fffedffff87ffff77
        fffeffffeaffff8bfffe3ffff93ffff87fffcbffff37ffff1fffff83ffffe1fffebfffe3ffff3fffff2ffffa3ffffd9fffff17ffffc7fffff27ffffd
        efffffbffffff2fffff8fffffb7fff97fff8fffffe6fffffc1fffff87ffffe7fffffc5ffffe5fffe4ffff2fffffd1fffff4ffffffefffffe3fffffc9
        fffff97fffb3ffffcffffb7fffcdffff4ffff9ffffd1ffffcffffeaffffafffffddffffeffffff4fffff5fffffabffffa7ffffd7fffff9bffffecfff
        ffb7fffff3fffffe8fffffd3fffffabfffff5fffffff7ffffecfffffdbfffffbbfffff7ffffff0fffffbbf
        """

    @Test("a block of many references to a long name costs no more than what is kept of it")
    func sharedNames() {
        var decoder = decoder()
        var list = FieldList()
        let name = [UInt8](repeating: 0x61, count: 3_000)
        // A literal that goes into the table, then as many that have its name, and an empty value.
        let block = [0x40, 0x7F, 0xB9, 0x16] + name + [0x00] + (0..<30_000).flatMap { _ in [0x0F, 0x2F, 0x00] as [UInt8] }
        #expect(decoder.decode(block.rawBytes, into: &list) == nil)
        #expect(list.fields.count == 2 && list.omitted == 29_999 && list.bytes.count == 6_000)
        #expect(decoder.table.count == 1)
    }

    @Test("a table that is made smaller and larger loses its oldest entries")
    func resized() {
        var decoder = decoder()
        #expect(fields(&decoder, "4001 6101 62 4001 6301 64 bf be") == ["a: b", "c: d", "a: b", "c: d"])
        // 34 bytes: one of them stays, also when there is room again.
        #expect(fields(&decoder, "3f03 be bf") == ["index"])
        var other = self.decoder()
        #expect(fields(&other, "4001 6101 62 4001 6301 64") == ["a: b", "c: d"])
        #expect(fields(&other, "3f03 3fe1 1f be") == ["c: d"])
        #expect(other.table.count == 1 && other.table.mostSize == 4_096)
        // Size 0 empties it; an entry that is larger than the table does too (RFC 7541, section 4.4).
        #expect(fields(&other, "20 be") == ["index"])
    }

    @Test("what is no block")
    func problems() {
        for (block, problem) in [
            ("80", "index"), ("be", "index"), ("40", "cut"), ("4003 6162", "cut"), ("3fe2 1f", "size"), ("8220", "lateSize"),
            ("0081 ff00", "huffman"), ("ffff ffff ffff ff", "integer"), ("00 01 61 7f", "cut"),
        ] {
            var decoder = decoder()
            #expect(fields(&decoder, block) == [problem], "\(block)")
        }
    }

    @Test("entries from before the capture are unknown until the table is full of those that were seen")
    func unknown() {
        var decoder = decoder()
        decoder.lose()
        #expect(fields(&decoder, "82be") == [":method: GET", "?"])
        // One is made, and is the newest.
        #expect(fields(&decoder, "4001 6101 62 be bf") == ["a: b", "a: b", "?"])
        // 4,096 bytes: 120 entries of 34 bytes, and 16 bytes are left, in which there is no other.
        for _ in 0..<119 { _ = fields(&decoder, "4001 6101 62") }
        #expect(decoder.table.count == 120)
        #expect(fields(&decoder, "ff 36") == ["a: b"])
        #expect(fields(&decoder, "ff 37") == ["index"])
    }

    @Test("a byte that names a large entry again is counted, and no copy is made", arguments: [20, 200])
    func repeatedEntries(count: Int) {
        var decoder = decoder()
        var list = FieldList()
        let value = [UInt8](repeating: 0x62, count: 3_000)
        let first: [UInt8] = [0x40, 1, 0x61, 127, 0xB9, 22] + value
        #expect(decoder.decode(first.rawBytes, into: &list) == nil)
        #expect(decoder.decode([UInt8](repeating: 0xBE, count: count).rawBytes, into: &list) == nil)
        #expect(list.fields.count == 2 && list.bytes.count == 6_002)
        #expect(list.omitted == UInt64(count - 2) && list.size == UInt64(count * 3_033))
        // The name of an entry that the block has made itself.
        let named: [UInt8] = [0x40, 127, 0xB9, 22] + value + [0]
        #expect(decoder.decode((named + (0..<count).flatMap { _ in [0x7E, 0] }).rawBytes, into: &list) == nil)
        #expect(list.bytes.count == 6_000 && list.omitted == UInt64(count - 1))
    }

    @Test("a table is as large as was agreed on, up to a megabyte")
    func largeTable() {
        var decoder = HPACKDecoder(limits: Limits())
        var list = FieldList()
        decoder.allowedSize = 200_000
        #expect(decoder.decode([0x3F, 0xA1, 0x9A, 0x0C].rawBytes, into: &list) == nil)
        // 150 entries of a thousand bytes.
        for number in 0..<150 {
            let value = [UInt8](repeating: UInt8(number), count: 966)
            #expect(decoder.decode(([0x40, 1, 0x61, 127, 0xC7, 6] + value).rawBytes, into: &list) == nil)
        }
        #expect(decoder.decode([0xFF, 0x54].rawBytes, into: &list) == nil)
        #expect(list.unknown == 0 && list.bytes.last == 0)
    }
}
