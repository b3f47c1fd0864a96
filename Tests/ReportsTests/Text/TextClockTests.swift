import Dissection
import Support
import Testing

@testable import Reports

@Suite struct TextClockTests {
    @Test func `UTC is shown as it is`() {
        var clock = TextClock(.utc)
        var words = OutputBuffer()
        words.append(clock.calendar(at: 1_795_383_000), between: 0x20)
        words.append(0x20)
        clock.appendZone(at: 1_795_383_000, to: &words)
        var text: [UInt8] = []
        text.append(copying: words.bytes)
        #expect(String(decoding: text, as: UTF8.self) == "2026-11-22 21:30:00 UTC")
    }

    @Test func `distances from UTC have seconds where a zone has them`() {
        for (offset, shown) in [(7_200, "+02:00"), (-12_600, "-03:30"), (3_208, "+00:53:28"), (-17_762, "-04:56:02")] as [(Int64, String)] {
            var words = OutputBuffer()
            TextClock.append(offset: offset, to: &words)
            var text: [UInt8] = []
            text.append(copying: words.bytes)
            #expect(String(decoding: text, as: UTF8.self) == shown)
        }
    }

    @Test func `moments that no calendar has are no trap`() {
        var clock = TextClock(.local)
        for seconds in [Int64.min, -1, 0, Int64.max, Int64.max / 1_000_000_000] {
            _ = clock.calendar(at: seconds)
            var words = OutputBuffer()
            clock.appendZone(at: seconds, to: &words)
        }
    }
}
