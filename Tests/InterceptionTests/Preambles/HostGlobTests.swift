import Interception
import Testing

/// `--passthrough`.
@Suite("Host patterns")
struct HostGlobTests {
    @Test(
        "a pattern fits or not",
        arguments: [
            ("example.org", "example.org:443", true), ("EXAMPLE.org", "Example.ORG:443", true), ("example.org", "example.org.:443", true),
            ("example.org", "a.example.org:443", false), ("*.example.org", "a.example.org:1", true),
            ("*.example.org", "a.b.example.org:1", true),
            ("*.example.org", "example.org:1", false), ("*.example.org", "evilexample.org:1", false),
            ("*example.org", "evilexample.org:1", true),
            ("example.org:8443", "example.org:8443", true), ("example.org:8443", "example.org:443", false),
            ("example.org:*", "example.org:9", true),
            ("10.0.0.*", "10.0.0.255:1", true), ("10.0.0.*", "10.0.1.1:1", false), ("*", "anything:1", true),
            ("*:443", "anything:443", true),
            ("*:443", "anything:80", false), ("a*b*c", "aXbYbZc:1", true), ("a*b*c", "acb:1", false), ("**", "x:1", true),
            ("[::1]", "[::1]:1", true), ("[0:0::1]:8443", "[::1]:8443", true), ("[2001:db8::*]", "[2001:0db8:0::7]:1", true),
            ("a.b", "axb:1", false), ("a?b", "axb:1", false), ("*aaaaaaaaaab", String(repeating: "a", count: 200) + ":1", false),
        ])
    func fits(pattern: String, server: String, expected: Bool) throws {
        #expect(try HostGlob(pattern).matches(try HostPort.parse(server.utf8)) == expected)
    }

    @Test("a URL is refused without its password, also where that has a slash")
    func urls() {
        #expect(throws: SpecError("“https://***@h” is not a valid host or pattern: it is a URL; write the host alone: h")) {
            try HostGlob("https://ana:secret@h")
        }
        for text in ["https://ana:se/cret@h", "ana:secret@h"] {
            let fault = #expect(throws: SpecError.self) { try HostGlob(text) }
            #expect(fault?.description.contains("cret") == false)
        }
    }

    @Test(
        "what is no pattern is refused",
        arguments: [
            "", ":443", "https://example.org", "a b", "bücher.example", "h:0", "h:65536", "h:x", "h:", "[::1", "[]", "::1", "[::1]x", "a@b",
        ])
    func faults(pattern: String) {
        #expect(throws: SpecError.self) { try HostGlob(pattern) }
    }

    @Test("a pattern of many asterisks takes no time")
    func linear() throws {
        let pattern = try HostGlob(String(repeating: "*a", count: 120) + "b")
        let started = ContinuousClock.now
        #expect(!pattern.matches(HostPort(host: String(repeating: "a", count: 255), port: 1)))
        #expect(ContinuousClock.now - started < .seconds(5))
    }
}
