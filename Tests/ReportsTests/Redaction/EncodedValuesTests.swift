import Dissection
import Foundation
import Testing

@testable import Reports

/// Secrets in base64 inside of other texts.
@Suite struct EncodedValuesTests {
    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// base64url without padding, as web APIs have it.
    private static func url(_ text: String) -> String {
        base64(text).replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private static let secret = #"{"user":"ana","password":"hunter2"}"#
    /// With `/` and `+` in its base64.
    private static let signs = #"{"a":"~~~???>>>","password":"hun~~~???>>>ter2"}"#

    @Test func `JSON with a password, in base64, inside of JSON is hidden`() {
        for encoded in [Self.base64(Self.secret), Self.url(Self.secret), Self.base64("password=hunter2&x=1"), Self.base64(Self.signs)] {
            #expect(Redacted.text(#"{"config":"\#(encoded)","n":1}"#) == #"{"config":"◆","n":1}"#)
            #expect(Redacted.text(#"["\#(encoded)"]"#) == #"["◆"]"#)
            #expect(Redacted.text("a: \(encoded)\nb") == "a: ◆\nb")
            #expect(Redacted.text("/x?state=\(encoded)&a=1", as: .target) == "/x?state=◆&a=1")
        }
        #expect(Self.base64(Self.signs).contains("/") && Self.base64(Self.signs).contains("+"))
        #expect(Redacted.text("data:application/json;base64,\(Self.base64(Self.secret))") == "data:application/json;base64,◆")
    }

    @Test func `signs of base64 may be escaped or percent-encoded`() {
        let encoded = Self.base64(Self.signs)
        #expect(Redacted.text("{\"a\":\"\(encoded.replacing("/", with: "\\/"))\"}") == "{\"a\":\"◆\"}")
        let net = encoded.replacing("+", with: "\\u002B").replacing("/", with: "\\u002f").replacing("=", with: "\\u003D")
        #expect(Redacted.text("{\"a\":\"\(net)\"}") == "{\"a\":\"◆\"}")
        let form = encoded.replacing("+", with: "%2B").replacing("/", with: "%2f").replacing("=", with: "%3D")
        #expect(Redacted.text("a=\(form)&b=1", as: .form) == "a=◆&b=1")
    }

    @Test func `base64 without a secret, of other bytes, or twice encoded stays`() {
        let values = [
            Self.base64(#"{"user":"ana","n":12345}"#), Self.base64("a longer text without anything to hide"),
            Self.base64(Self.base64(Self.secret)),
            Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + Array("password=hunter2 and more".utf8)).base64EncodedString(),
            Data(Array("password=hunter2 ".utf8) + [0xff, 0xfe] + Array("and more text".utf8)).base64EncodedString(),
            "aLongIdentifierOfAProgramThatIsNoBase64", "0123456789abcdef0123456789abcdef", "cHc9MTIz",
        ]
        for value in values { #expect(Redacted.text(#"{"config":"\#(value)","n":1}"#) == #"{"config":"\#(value)","n":1}"#) }
    }

    @Test func `a value that comes in pieces is hidden however it is cut`() {
        let text = Array(#"{"config":"\#(Self.base64(Self.secret))","n":1}"#.utf8)
        for cut in 1..<text.count {
            let told = Redacted.plain(Redacted.text([Array(text.prefix(cut)), Array(text.dropFirst(cut))]))
            #expect(told == #"{"config":"◆","n":1}"#, "\(cut): \(told)")
        }
        #expect(Redacted.plain(Redacted.text(text.map { [$0] })) == #"{"config":"◆","n":1}"#)
        // Longer than what is held back.
        let long = Self.base64(#"{"password":"hunter2","a":"\#(String(repeating: "x", count: 9_000))"}"#)
        let pieces = Array(#"{"config":"\#(long)","n":1}"#.utf8)
        let told = Redacted.plain(Redacted.text([Array(pieces.prefix(6_000)), Array(pieces.dropFirst(6_000))]))
        #expect(told == #"{"config":"◆","n":1}"#, "\(told.prefix(80))")
    }

    @Test(arguments: [
        "eyJhIjoxfSx7", "eyJhIjoxfSx7 ", "eyJhIjoxfSx7eyJhIjoxfSx7+", "eyJhIjoxfSx7eyJhIjoxfSx7\\/", "eyJhIjoxfSx7%2B", "eyJhIjoxfSx7=",
        "eyJhIjoxfSx7\\u002b", "cGFzc3dvcmQ9aHVudGVyMiZ4PTEm ", "cGFzc3dvcmQ9aHVudGVyMiZ4PTEm",
    ])
    func `the time is linear in the text`(_ unit: String) {
        func steps(_ count: Int) -> Int { Redacted.told([Array(repeating: Array(unit.utf8), count: count).flatMap(\.self)]).steps }
        let (small, large) = (steps(2_000), steps(16_000))
        #expect(large < small * 10 + 1_000, "\(small) \(large)")
    }
}
