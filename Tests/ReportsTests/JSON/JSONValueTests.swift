import Dissection
import Testing

@testable import Reports

@Suite struct JSONValueTests {
    private func read(_ text: String) -> JSONValue? {
        let bytes = Array(text.utf8)
        var reader = JSONReader(bytes.rawBytes)
        return try? reader.whole()
    }

    @Test func `a record is read, with every escape`() {
        let value = read(#" {"kind" : "x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83d", "a":[1,true,false,null,[]], "b":{}, "kind":"last"} "#)
        #expect(value?["kind"]?.string == Array("last".utf8))
        #expect(value?["a"]?.elements?.count == 5)
        #expect(value?["a"]?.elements?[0].unsigned == 1)
        #expect(value?["a"]?.elements?[1].boolean == true)
        #expect(read(#""x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83d""#)?.string == Array("x\"\\/\u{8}\u{c}\n\r\té😀\u{fffd}".utf8))
    }

    @Test(arguments: [
        "", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "tru", "{} {}",
        "\"a\nb\"", "{a:1}", "nul", "[", String(repeating: "[", count: 100_000),
    ])
    func `what is no JSON is refused`(text: String) { #expect(read(text) == nil, "\(text.prefix(20))") }

    @Test func `what lies deeper than anybody looks is passed over, and has to be valid all the same`() {
        func read(_ text: String) -> JSONValue? {
            let bytes = Array(text.utf8)
            var reader = JSONReader(bytes.rawBytes, mostLevels: 2)
            return try? reader.whole()
        }
        let value = read(#"{"a":[1,[2,[3]],{"b":4},"c"],"d":{"e":{"f":5}}}"#)
        #expect(value?["a"]?.elements?.count == 4 && value?["a"]?.elements?[0].unsigned == 1)
        #expect(value?["a"]?.elements?[3].string == Array("c".utf8))
        for deep in [value?["a"]?.elements?[1], value?["a"]?.elements?[2], value?["d"]?["e"]] {
            if case .null? = deep { continue }
            Issue.record("\(String(describing: deep))")
        }
        #expect(read("[[[1,]]]") == nil && read("[[[}]]") == nil && read("[[[1]]]") != nil)
    }

    @Test func `seconds are exact, also as another program writes them`() {
        func nanoseconds(_ text: String) -> Int64? { read(text)?.nanoseconds }
        #expect(nanoseconds("0.000000001") == 1)
        #expect(nanoseconds("1e-09") == 1)
        #expect(nanoseconds("12.5") == 12_500_000_000)
        #expect(nanoseconds("-0.25") == -250_000_000)
        #expect(nanoseconds("9223372036.854775807") == .max)
        #expect(nanoseconds("9223372036.854775808") == nil)
        #expect(nanoseconds("1e300") == nil)
        #expect(nanoseconds("1.x") == nil)
        #expect(read("18446744073709551615")?.unsigned == .max)
        #expect(read("18446744073709551616")?.unsigned == nil)
        #expect(read("-1")?.unsigned == nil)
    }

    @Test func `moments, addresses and Base64 are read as they are written`() {
        func moment(_ text: String) -> Int64? { Timestamp(rfc3339: Array(text.utf8))?.nanoseconds }
        #expect(moment("1970-01-01T00:00:00Z") == 0)
        #expect(moment("2026-11-20T21:48:00.123456789Z") == 1_795_211_280_123_456_789)
        #expect(moment("2026-11-20T22:48:00.5+01:00") == 1_795_211_280_500_000_000)
        #expect(moment("1677-09-21T00:12:43.145224193Z") == -.max)
        #expect(moment("1969-12-31T23:59:59.999999999Z") == -1)
        #expect(moment("2000-02-29T00:00:00Z") == 951_782_400_000_000_000)
        for wrong in ["", "2026-11-20", "2026-13-20T21:48:00Z", "2026-11-20T21:48:00", "9999-11-20T21:48:00Z", "2026-11-20T21:48:00+1"] {
            #expect(moment(wrong) == nil, "\(wrong)")
        }
        #expect(IPAddress(text: "10.1.2.3") == IPAddress(ipv4: 0x0a01_0203))
        #expect(IPAddress(text: "2001:db8::7") == IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 7))
        #expect(IPAddress(text: "x") == nil)
    }
}
