import Dissection
import Query
import Testing

/// What a regular expression cannot match without, and that looking for it first changes nothing of what is found.
@Suite struct RequiredLiteralTests {
    @Test(
        arguments: [
            ("order-4711", "order-4711"), ("a+bcd", "bcd"), ("order-\\d+", "order-"), ("\"type\": *\"error\"", "\"type\":"),
            ("x?abc", "abc"), ("abcd?", "abc"), ("ab{2}cd", "cd"), ("abc{0}", "ab"), ("{\"id\"", "{\"id\""), ("(?:x|y)zwo", "zwo"),
            ("ab(c|d)e", "ab"), ("^GET$", "GET"), ("a\\.b\\/c", "a.b/c"), ("[a-z]{3}-99", "-99"), ("grüß?", "grü"), ("[]x]yz", "yz"),
            ("[^]]ab", "ab"), ("ord[e]r-\\d+", "order-"), ("ab[c]?de", "ab"), ("a[.]b", "a.b"), ("[]]xy", "xy"), ("a[\\]]bc", "bc"),
            // Not surely understood, or nothing that has to be there.
            ("a|b", nil), ("abc|def", nil), ("(?i)abc", nil), ("(?x)a b c", nil), ("abc(?=d)", nil), ("(*UTF)abc", nil), ("\\Qab\\E", nil),
            ("\\x41bc", nil), ("\\p{L}abc", nil), ("\\101bc", nil), ("a", nil), (".*", nil), ("", nil), ("(abc)", nil),
            ("[[:alpha:]]bc", nil),
            ("a(b[)]c)de", "de"), ("\\bword\\b", "word"), ("a(\\)b)cd", "cd"), ("abc{,3}x", "ab"), ("ab{2,}", nil),
        ] as [(String, String?)])
    func `is the longest run outside of groups that is not optional`(_ pattern: String, _ literal: String?) throws {
        #expect(RequiredLiteral.find(in: pattern, ignoresCase: false).map { String(decoding: $0, as: UTF8.self) } == literal)
        // An expression that has one is one.
        if literal != nil { #expect(throws: Never.self) { try PatternText(pattern) } }
    }

    @Test(
        arguments: [
            ("order-4711", "order-4711"), ("Straße 17", "e 17"), ("kelvin", "elvin"), ("skk", nil), ("no such words", "uch word"),
        ] as [(String, String?)])
    func `has none of the letters that others beyond ASCII are alike with`(_ pattern: String, _ literal: String?) {
        #expect(RequiredLiteral.find(in: pattern, ignoresCase: true).map { String(decoding: $0, as: UTF8.self) } == literal)
    }

    @Test func `finds what is found without it`() throws {
        // The same expression in a group has nothing that is known to be required.
        let patterns = [
            "abc", "a+bc", "b?cab", "ab{0,2}ca", "[ab]cab", "a.ca", "ab$", "^ca", "c{2}a", "c[a]b", "ca[b]*c", "a[.]", "cab|x", "ab\\w",
            "\\.ab", "{a}",
        ]
        let alphabet = Array("abc.{}".utf8)
        var state: UInt64 = 7
        for pattern in patterns {
            let plain = try #require(PatternMatcher(PatternText(pattern)))
            let grouped = try #require(PatternMatcher(PatternText("(?:\(pattern))")))
            for _ in 0..<400 {
                let bytes = (0..<40).map { _ in
                    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                    return alphabet[Int(state >> 33) % alphabet.count]
                }
                for count in [bytes.count, 3] {
                    let part = Array(bytes.prefix(count))
                    #expect(
                        plain.search(part.span.bytes) == grouped.search(part.span.bytes),
                        "\(pattern) in \(String(decoding: part, as: UTF8.self))")
                }
            }
        }
    }
}
