import Dissection
import Query
import Reports
import Testing

/// Moments as users give them.
@Suite struct TimeBoundTests {
    /// 2026-11-20 21:48:00.123456789 UTC
    private static let beginning = Timestamp(nanoseconds: 1_795_211_280_123_456_789)

    @Test(arguments: [
        ("2026-11-20T21:48:00Z", 1_795_211_280_000_000_000), ("2026-11-20 21:48:00.5Z", 1_795_211_280_500_000_000),
        ("2026-11-20T22:48:00+01:00", 1_795_211_280_000_000_000), ("2026-11-20T18:18:00-03:30", 1_795_211_280_000_000_000),
        ("2026-11-20T21:48:00", 1_795_211_280_000_000_000), ("2026-11-20T21:48", 1_795_211_280_000_000_000),
        ("2026-11-20", 1_795_132_800_000_000_000), ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999999999Z", -1),
        ("2024-02-29T00:00:00Z", 1_709_164_800_000_000_000), ("21:48", 1_795_211_280_000_000_000),
        ("21:47:59.25", 1_795_211_279_250_000_000), ("00:00", 1_795_132_800_000_000_000), ("+90s", 1_795_211_370_123_456_789),
        ("+90", 1_795_211_370_123_456_789), ("+1.5s", 1_795_211_281_623_456_789), ("+250ms", 1_795_211_280_373_456_789),
        ("+2m", 1_795_211_400_123_456_789), ("+1h", 1_795_214_880_123_456_789), ("+0", 1_795_211_280_123_456_789),
        ("2262-04-11T23:47:16Z", 9_223_372_036_000_000_000), ("+99999999h", .max),
    ])
    func `a moment is what it says`(_ text: String, _ nanoseconds: Int64) throws {
        let bound = try #require(TimeBound(text) ?? (nanoseconds == .max ? .after(.max) : nil))
        #expect(bound.moment(from: Self.beginning, .utc).nanoseconds == nanoseconds)
    }

    @Test(arguments: [
        "", "+", "-5s", "5", "5s", "+5x", "+5ss", "+s", "+1.s", "+1.", "24:00", "21:60", "21:48:61", "21:4", "21:48:", "2026-13-01",
        "2026-02-29", "2026-00-10", "2026-11-20T", "2026-11-20T25:00", "2026-11-20T21:48:00+1", "2026-11-20T21:48:00+24:00", "yesterday",
        "2026-11-20T21:48:00Zx", "9999-01-01T00:00:00Z", "+999999999999d", "+9999999999999", "٢١:٤٨", "2026-11-20T21:48:00ZZ", "\0", "nan",
    ])
    func `what is none is refused`(_ text: String) { #expect(TimeBound(text) == nil) }

    @Test func `a time of day is of the day on which the run begins, also before 1970`() throws {
        let bound = try #require(TimeBound("12:00"))
        #expect(bound.moment(from: Timestamp(nanoseconds: -1), .utc).nanoseconds == -43_200_000_000_000)
        #expect(
            bound.moment(from: Timestamp(nanoseconds: .min), .utc).nanoseconds
                < bound.moment(from: Timestamp(nanoseconds: 0), .utc).nanoseconds)
    }

    @Test func `random text never traps`() {
        var random = SystemRandomNumberGenerator()
        let letters = Array("0123456789:-+TZ.smhd ".unicodeScalars)
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0..<26, using: &random) { text.unicodeScalars.append(letters.randomElement(using: &random) ?? "0") }
            for zone in [TextClock.Zone.utc, .local] {
                _ = TimeBound(text)?.moment(from: Timestamp(nanoseconds: .random(in: .min ... .max, using: &random)), zone)
            }
        }
    }
}
