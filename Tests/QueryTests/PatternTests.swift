import Dissection
import Query
import Testing

@Suite("a regular expression over bytes")
struct PatternTests {
    private func search(_ pattern: String, in bytes: [UInt8], ignoringCase: Bool = false) throws -> PatternMatcher.Outcome {
        let matcher = try #require(PatternMatcher(PatternText(pattern, ignoresCase: ignoringCase)))
        return matcher.search(bytes.span.bytes)
    }

    @Test("is found where it first matches, in bytes")
    func found() throws {
        #expect(try search("b+", in: Array("äabbb".utf8)) == .found(3..<6))
        #expect(try search("B+", in: Array("äabbb".utf8)) == .nowhere)
        #expect(try search("B+", in: Array("äabbb".utf8), ignoringCase: true) == .found(3..<6))
        #expect(try search("^$", in: []) == .found(0..<0))
        #expect(try search("", in: Array("x".utf8)) == .found(0..<0))
        #expect(try search(".", in: Array("ä".utf8)) == .found(0..<2))
    }

    @Test("finds text beside bytes that are none")
    func invalid() throws {
        #expect(try search("chat", in: [0xff, 0xc3] + Array("chat".utf8) + [0xed, 0xa0]) == .found(2..<6))
        #expect(try search("a.b", in: [0x61, 0xff, 0x62]) == .nowhere)
    }

    @Test("that would take time without end is given up")
    func costly() throws {
        let letters = [UInt8](repeating: 0x61, count: 64)
        #expect(try search("(a+)+$", in: letters + [0x62]) == .tooCostly)
        #expect(try search("^(([a-z])+.)+[A-Z]([a-z])+$", in: letters) == .tooCostly)
    }

    @Test("that is none is refused, with the place")
    func refused() {
        let problem = #expect(throws: PatternText.Problem.self) { try PatternText("a(b|c") }
        #expect(problem?.description == "missing closing parenthesis (at byte 6)")
        #expect(throws: PatternText.Problem.self) { try PatternText("a\\Cb") }
        #expect(throws: PatternText.Problem.self) { try PatternText("*") }
    }

    @Test(
        "finds letters of either case, also those beyond ASCII that are alike",
        arguments: [
            ("no such words", "x NO SUCH WORDS y"), ("no such words", "no \u{17f}uch words"), ("kelvin", "\u{212a}ELVIN"),
            ("order-17", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxORDER-17"), ("a@b", "A@B"), ("größe", "GRÖßE"), ("é1", "É1"),
        ])
    func eitherCase(pattern: String, text: String) throws {
        let outcome = try search(pattern, in: Array(text.utf8), ignoringCase: true)
        #expect(outcome != .nowhere)
        // In a group nothing is known that could be looked for first.
        #expect(try search("(?:\(pattern))", in: Array(text.utf8), ignoringCase: true) == outcome)
    }

    @Test(
        "takes no sign for a letter of the other case",
        arguments: [("a@b", "a`b"), ("z[1]{2}", "Z{1}"), ("ab\\[", "AB{"), ("\\^ab", "~ab")])
    func signs(pattern: String, text: String) throws {
        #expect(try search(pattern, in: Array(text.utf8), ignoringCase: true) == .nowhere)
    }
}
