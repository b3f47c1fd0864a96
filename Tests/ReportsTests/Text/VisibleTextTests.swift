import Reports
import Testing

/// Names that come from anywhere, as they stand on standard error.
@Suite struct VisibleTextTests {
    @Test func `what a terminal would obey is shown`() {
        #expect("talk.pcapng: plain".visible == "talk.pcapng: plain")
        #expect("\u{1b}[2J\u{7}\u{7f}\u{9b}31m".visible == "␛[2J␇␡\\u{9b}31m")
        #expect("a\nunmask: all is well\r".visible == "a␊unmask: all is well␍")
        #expect("\u{202e}gnp.exe\u{2066}\u{feff}\u{2028}".visible == "\\u{202e}gnp.exe\\u{2066}\\u{feff}\\u{2028}")
        #expect("Grüße, 世界, ไม้, 👨‍👩‍👧".visible == "Grüße, 世界, ไม้, 👨‍👩‍👧")
    }

    @Test func `what a font shows nothing of is written out`() {
        for value: UInt32 in [
            0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x180b, 0x180e, 0x200b, 0x200e, 0x2060, 0x2064, 0x206a, 0x3164, 0xfe00, 0xfe0d,
            0xfeff, 0xffa0, 0xfff8, 0xfffe, 0x1bca0, 0x1d173, 0xe0001, 0xe0100, 0xe01ef, 0x1ffff,
        ] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect("a\(Character(scalar))b".visible == "a\\u{\(String(value, radix: 16))}b")
        }
        #expect("⚠\u{fe0f} 한글 ก\u{200c}ข".visible == "⚠\u{fe0f} 한글 ก\u{200c}ข")
    }

    @Test func `line ends of ours stay`() {
        #expect("Error: \u{1b}[31m\nUsage: unmask\n".visibleLines == "Error: ␛[31m\nUsage: unmask\n")
    }

    @Test func `marks that pile up on one character end in an ellipsis`() {
        let marks = String(repeating: "\u{301}", count: 20_000)
        #expect("e\(marks)f\u{301}".visible == "e\u{301}\u{301}\u{301}\u{301}…f\u{301}")
        #expect(marks.visible.utf8.count == 4 * 2 + 3)
    }
}
