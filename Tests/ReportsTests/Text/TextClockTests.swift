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

    @Test func `moments that no calendar has are no trap`() {
        var clock = TextClock(.local)
        for seconds in [Int64.min, -1, 0, Int64.max, Int64.max / 1_000_000_000] {
            _ = clock.calendar(at: seconds)
            var words = OutputBuffer()
            clock.appendZone(at: seconds, to: &words)
        }
    }
}
