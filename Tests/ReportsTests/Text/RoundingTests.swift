import Testing

@testable import Reports

/// Durations and sizes as people read them: rounded to what is shown, in the unit that the rounded number has.
@Suite struct RoundingTests {
    private func words(_ compose: (inout TextLine) -> Void) -> String {
        var line = TextLine(width: 80, usesColor: false)
        compose(&line)
        return String(decoding: line.buffer.bytes.copy, as: UTF8.self)
    }

    @Test(
        arguments: [
            (344_000, "0.34 ms"), (345_000, "0.35 ms"), (994_999, "0.99 ms"), (996_000, "1.0 ms"), (9_949_000, "9.9 ms"),
            (9_960_000, "10 ms"),
            (999_400_000, "999 ms"), (999_700_000, "1.0 s"), (1_999_820_000, "2.0 s"), (5_999_000_000, "6.0 s"), (9_960_000_000, "10 s"),
            (59_600_000_000, "1 min 0 s"), (-1_960_000_000, "-2.0 s"), (0, "0.00 ms"),
        ] as [(Int64, String)])
    func `a duration is rounded`(nanoseconds: Int64, expected: String) {
        #expect(words { $0.append(span: nanoseconds) } == expected)
    }

    @Test(
        arguments: [
            (999, "999 B"), (1_000, "1.0 kB"), (1_949, "1.9 kB"), (1_950, "2.0 kB"), (9_960, "10 kB"), (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (.max, "18 EB"),
        ] as [(UInt64, String)])
    func `a size is rounded`(bytes: UInt64, expected: String) {
        #expect(words { $0.append(size: bytes) } == expected)
    }
}
