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

    @Test func `line ends of ours stay`() {
        #expect("Error: \u{1b}[31m\nUsage: unmask\n".visibleLines == "Error: ␛[31m\nUsage: unmask\n")
    }

    @Test func `marks that pile up on one character end in an ellipsis`() {
        let marks = String(repeating: "\u{301}", count: 20_000)
        #expect("e\(marks)f\u{301}".visible == "e\u{301}\u{301}\u{301}\u{301}…f\u{301}")
        #expect(marks.visible.utf8.count == 4 * 2 + 3)
    }
}
