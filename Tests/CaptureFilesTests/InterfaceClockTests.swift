import CaptureFiles
import Dissection
import Testing

@testable import CaptureFiles

/// Ticks of every resolution that if_tsresol can name.
struct InterfaceClockTests {
    private func time(_ ticks: UInt64, _ resolution: UInt8, offset: Int64 = 0) -> Int64? {
        let interface = CaptureInterface(
            linkType: .ethernet, resolution: TimestampResolution(rawValue: resolution), timestampOffset: offset)
        return InterfaceClock(interface).time(ofTicks: ticks)?.nanoseconds
    }

    @Test("Powers of ten: three seconds in ticks, or nothing left of so few ticks", arguments: 0...127 as ClosedRange<UInt8>)
    func decimal(exponent: UInt8) {
        var ticks: UInt64 = 3
        for _ in 0..<min(exponent, 18) { ticks *= 10 }
        switch exponent {
        case 0...18: #expect(time(ticks, exponent) == 3_000_000_000)
        case 19...27:
            var expected: Int64 = 3_000_000_000
            for _ in 18..<exponent { expected /= 10 }
            #expect(time(ticks, exponent) == expected)
        default: #expect(time(ticks, exponent) == 0)
        }
    }

    @Test("Powers of two: three seconds in ticks, or nothing left of so few ticks", arguments: 0...127 as ClosedRange<UInt8>)
    func binary(exponent: UInt8) {
        let ticks = UInt64(3) << UInt64(min(exponent, 62))
        if exponent <= 62 {
            #expect(time(ticks, 0x80 | exponent) == 3_000_000_000)
        } else {
            let shift = exponent - 62
            #expect(time(ticks, 0x80 | exponent) == (shift < 63 ? 3_000_000_000 >> Int64(shift) : 0))
        }
    }

    @Test("Times outside what a timestamp holds are none")
    func outOfRange() {
        #expect(time(.max, 9) == nil)
        #expect(time(UInt64(Int64.max), 9) == .max)
        #expect(time(UInt64(Int64.max) + 1, 9) == nil)
        #expect(time(.max, 0) == nil)
        #expect(time(9_223_372_036, 0) == 9_223_372_036_000_000_000)
        #expect(time(9_223_372_037, 0) == nil)
        #expect(time(.max, 0x80) == nil)
        #expect(time(.max, 19) == 1_844_674_407)
    }

    @Test("An offset can bring a time back into range, or out of it")
    func offsets() {
        #expect(time(5, 0, offset: -7) == -2_000_000_000)
        #expect(time(1_500_000, 6, offset: 1_600_000_000) == 1_600_000_001_500_000_000)
        #expect(time(UInt64(Int64.max) + 1_000_000_000, 9, offset: -1) == .max)
        #expect(time(UInt64(Int64.max) + 1_000_000_001, 9, offset: -1) == nil)
        #expect(time(0, 6, offset: .max) == nil)
        #expect(time(0, 6, offset: .min) == nil)
        #expect(time(.max, 0, offset: .min) == nil)
    }
}
