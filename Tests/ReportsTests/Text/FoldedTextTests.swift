import Dissection
import Support
import Testing

@testable import Reports

@Suite struct FoldedTextTests {
    private func folded(_ line: String, width: Int, indent: Int = 4) -> [Substring] {
        String(decoding: FoldedText(Array(line.utf8).rawBytes, width: width, indent: indent).bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
    }

    @Test func `a line is broken between words and goes on indented`() {
        #expect(
            folded("closed by the client with a Close frame: 1000 normal closure", width: 30)
                == ["closed by the client with a", "    Close frame: 1000 normal", "    closure"])
        #expect(folded("short", width: 30) == ["short"])
        #expect(folded(String(repeating: "x", count: 30), width: 30) == [String(repeating: "x", count: 30)[...]])
    }

    @Test func `a word that is longer than a line is broken in its middle`() {
        let shown = folded("a " + String(repeating: "x", count: 70), width: 30)
        #expect(shown.allSatisfy { $0.count <= 30 } && shown.count == 3)
        #expect(shown.joined().filter { $0 == "x" }.count == 70)
    }

    @Test func `a number and its unit stay in one line`() {
        #expect(folded("aaaa bbbb cccc dddd 419 B", width: 23) == ["aaaa bbbb cccc dddd", "    419 B"])
        #expect(folded("aaaa bbbb cccc dddd 419 bytes", width: 23) == ["aaaa bbbb cccc dddd 419", "    bytes"])
    }

    @Test func `what a side sent stays with its sign`() {
        #expect(
            folded("4.2 s, packets 1-13   > 12 messages 3.4 kB   < 1 message 120 kB", width: 44)
                == ["4.2 s, packets 1-13   > 12 messages 3.4 kB", "    < 1 message 120 kB"])
        // A sign in the midst of words is none.
        #expect(folded("aaaa bbbb cccc > dddd eeee", width: 22) == ["aaaa bbbb cccc > dddd", "    eeee"])
    }

    @Test func `colours take no column and wide characters take two`() {
        #expect(folded("\u{1b}[31maaaa bbbb cccc dddd\u{1b}[0m", width: 20) == ["\u{1b}[31maaaa bbbb cccc dddd\u{1b}[0m"])
        #expect(folded("漢字漢字漢 字漢字漢字", width: 20) == ["漢字漢字漢", "    字漢字漢字"])
    }

    @Test func `findings and closing lines keep within the terminal at each width`() {
        for width in [20, 37, 80, 120] {
            let shown = Dialogue.text(TextSettings(width: width, follows: width % 2 == 0)) {
                $0.chat()
                $0.say(3, .server, .finding(Finding(.webSocketAcceptWrong)), "HSmrc0sMlYUkAGmm5OPpG2HaGWk=".bytes)
                $0.say(4, nil, .closed(Closing(by: .server, how: .fin)))
            }
            for line in shown.split(separator: "\n") { #expect(line.count <= width, "\(width): \(line)") }
            #expect(shown.split(separator: "\n").joined(separator: " ").contains("HSmrc0sM"))
        }
    }

    @Test func `a window that changes is followed`() {
        let terminal = TerminalColumns(40)
        let shown = Dialogue.text(TextSettings(width: 40, follows: true, terminal: terminal)) {
            $0.message(0, .client, String(repeating: "x", count: 300).bytes)
            terminal.columns = 100
            $0.message(1, .client, String(repeating: "x", count: 300).bytes)
            terminal.columns = nil
            $0.message(2, .client, "y".bytes)
        }
        #expect(shown.split(separator: "\n").map(\.count).filter { $0 == 40 || $0 == 100 } == [40, 100])
    }
}
