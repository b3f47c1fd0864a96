import Dissection
import Support
import Testing

/// What a finding says of the bytes in place of a length that cannot be, and of messages that do not end.
@Suite("clues of wrong lengths") struct LengthClueTests {
    /// What the finding says after its id, however the bytes are cut.
    private func words(_ framing: StreamFraming, _ bytes: [UInt8], _ id: String = "length-wrong") -> String? {
        let talk = Talk(framing, [.client(bytes), .finish(.client)])
        let whole = talk.findings()
        for cutting in Talk.cuttings where talk.findings(cutting) != whole { return "differs \(cutting)" }
        let sentence = whole.first { $0.contains("framing.\(id)") }?.split(separator: "framing.\(id): ").last.map(String.init)
        return sentence.map { $0.split(separator: "; what follows").first.map(String.init) ?? $0 }
    }

    private func length(_ width: LengthPrefix.Width, most: UInt64 = StreamFraming.mostBytes, self own: Bool = false) -> StreamFraming {
        .length(LengthPrefix(width, countsItself: own, most: most))
    }

    private func join(_ text: String, _ own: Int = 0, _ width: LengthPrefix.Width = .u32be) -> [UInt8] {
        FramedMessages.number(text.utf8.count + own, width) + text.utf8
    }

    @Test(
        "what is spoken instead is named",
        arguments: [
            (Array("GET / HTTP/1.1\r\n".utf8), "an HTTP request (\"GET \") in place of a length: 1195725856"),
            (Array("POST /".utf8), "an HTTP request (\"POST\") in place of a length: 1347375956"),
            (Array("HTTP/1.1 400".utf8), "an HTTP response (\"HTTP\") in place of a length: 1213486160"),
            ([0x16, 3, 1, 4, 0], "a TLS handshake (16 03 01) in place of a length: 369295620"),
            ([0x15, 3, 3, 0, 2], "a TLS alert (15 03 03) in place of a length: 352518912"),
            ([0x1F, 0x8B, 8, 0], "gzip data (1f 8b) in place of a length: 529205248"),
            (Array("{\"a\":1}".utf8), "JSON ({\") in place of a length: 2065850658"),
            // Nearly.
            (Array("GETS".utf8), "one that is too long (\"GETS\"): 1195725907"),
            ([0x16, 3, 9, 4], "one that is too long (16 03 09 04): 369297668"),
            (Array("{a".utf8) + [1, 1], "one that is too long (7b 61 01 01): 2069954817"),
        ] as [([UInt8], String)])
    func spoken(_ bytes: [UInt8], _ expected: String) { #expect(words(length(.u32be), bytes) == "expected a message, found \(expected)") }

    @Test(
        "a length in the other order, or in half the bytes, is named",
        arguments: [
            (LengthPrefix.Width.u32be, [0x18, 0, 0, 0], "one that is too long (18 00 00 00, as u32le it would be 24): 402653184"),
            (.u32le, [0, 0, 0, 0x18], "one that is too long (00 00 00 18, as u32be it would be 24): 402653184"),
            (
                .u64be, [0, 0, 0, 5, 0x68, 0x65, 0x6C, 0x6C],
                "one that is too long (00 00 00 05 68 65 6c 6c, as u32be it would be 5): 23226313836"
            ),
            (
                .u64le, [5, 0, 0, 0, 0x68, 0x65, 0x6C, 0x6C],
                "one that is too long (05 00 00 00 68 65 6c 6c, as u32le it would be 5): 7812730950931972101"
            ),
            // Nearly: no other form is short.
            (.u32be, [0x18, 0, 0, 1], "one that is too long (18 00 00 01): 402653185"),
            (.u32be, [0x80, 0, 0, 0x80], "one that is too long (80 00 00 80): 2147483776"),
        ] as [(LengthPrefix.Width, [UInt8], String)])
    func otherForm(_ width: LengthPrefix.Width, _ bytes: [UInt8], _ expected: String) {
        #expect(words(length(width), bytes) == "expected a message, found \(expected)")
    }

    @Test("a length that counts itself shows in the second message")
    func countsItself() {
        let bytes = join("{\"type\":\"join\"}", 4) + join("{\"type\":\"leave\"}", 4)
        #expect(
            words(length(.u32be), bytes)
                == "expected a message, found JSON ({\") in place of a length (the first message ends with 20, which may be the next length; try the option self): 2065855609"
        )
        #expect(words(length(.u32be, self: true), bytes) == nil)
        // Nearly: the first message ends with no length, and the second is wrong by itself.
        #expect(
            words(length(.u32be), join("{\"type\":\"join\"}") + Array("GET /".utf8))
                == "expected a message, found an HTTP request (\"GET \") in place of a length: 1195725856")
        // What ends so later says nothing: the first messages were right.
        #expect(
            words(length(.u32be), join("a") + join("b\0\0\0\u{14}") + Array("GET /".utf8))
                == "expected a message, found an HTTP request (\"GET \") in place of a length: 1195725856")
    }

    @Test("a length of eight bytes read as one of four shows in the second message")
    func sizeOfOtherWidth() {
        let bytes = join("hello world", 0, .u64le) + join("hi", 0, .u64le)
        #expect(
            words(length(.u32le), bytes)
                == "expected a message, found one that is too long (\"orld\", the first message begins with 00 00 00 00; try length:u64le): 1684828783"
        )
        #expect(words(length(.u64le), bytes) == nil)
        #expect(
            words(length(.u32le), join("hello", 0, .u32le) + Array("orld".utf8))
                == "expected a message, found one that is too long (\"orld\"): 1684828783")
    }

    @Test(
        "a message of which little came says what its bytes may be",
        arguments: [
            (
                LengthPrefix.Width.u16be, Array("GET / HTTP/1.1\r\n\r\n".utf8),
                "18229 of its bytes are missing; it begins like an HTTP request (\"GET \")"
            ),
            (.u24be, [0x16, 3, 1, 4, 2], "1442559 of its bytes are missing; it begins like a TLS handshake (16 03 01)"),
            (.u16be, [4, 0, 1, 2, 3, 4], "1020 of its bytes are missing; as u16le its length would be 4, as much as came"),
            (.u16be, [0, 40, 1, 2, 3, 4], "36 of its bytes are missing"),
        ] as [(LengthPrefix.Width, [UInt8], String)])
    func cut(_ width: LengthPrefix.Width, _ bytes: [UInt8], _ expected: String) {
        #expect(words(length(width), bytes, "message-cut") == "the message is cut: \(expected)")
    }

    @Test("a message without its delimiter says what came instead")
    func delimiters() {
        let crlf = StreamFraming.ended(by: "\r\n")
        #expect(words(.lines, Array("a\0b\0c\0".utf8), "message-cut") == "the message is cut; no LF came, NUL came 3 times")
        #expect(words(.lines, Array("a\rb".utf8), "message-cut") == "the message is cut; no LF came, CR came once")
        #expect(words(crlf, Array("a\nb\nc".utf8), "message-cut") == "the message is cut; no CRLF came, LF came 2 times")
        #expect(words(.ended(by: "\0"), Array("a\nb".utf8), "message-cut") == "the message is cut; no NUL came, LF came once")
        #expect(words(.ended(by: "|"), Array("a\nb".utf8), "message-cut") == "the message is cut; no delimiter came, LF came once")
        // Nearly: nothing else came, and messages that ended.
        #expect(words(.lines, Array("half".utf8), "message-cut") == "the message is cut")
        #expect(words(.lines, Array("half\r".utf8), "message-cut") == "the message is cut")
        #expect(words(crlf, Array("a\r\nb\nc".utf8), "message-cut") == "the message is cut")
        #expect(
            words(.ended(by: "\r\n", most: 4), Array("a\nb\nc\n".utf8))
                == "expected a message, found one that is too long (no CRLF came, LF came 2 times): 5")
        #expect(words(.ended(by: "\r\n", most: 4), Array("abcde".utf8)) == "expected a message, found one that is too long: 5")
    }
}
