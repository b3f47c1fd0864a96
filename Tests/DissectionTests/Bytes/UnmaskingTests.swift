import Dissection
import Support
import Testing

@Suite struct UnmaskingTests {
    @Test func everyLengthAndPositionOfTheKey() {
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        for count in 0..<140 {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            for position in 0..<5 {
                let masked = plain.enumerated().map { $1 ^ key[($0 + position) % 4] }
                var target = [UInt8](repeating: 0xEE, count: count + 8)
                Unmasking.copy(masked.rawBytes, key: 0x1234_5678, position: UInt64(position), to: &target, at: 3)
                #expect(Array(target[3..<3 + count]) == plain)
                #expect(target[0..<3] == [0xEE, 0xEE, 0xEE] && target[(3 + count)...].allSatisfy { $0 == 0xEE })
            }
        }
    }

    @Test func whatDoesNotFitIsLeftOut() {
        var target = [UInt8](repeating: 0, count: 4)
        Unmasking.copy([1, 2, 3, 4].rawBytes, key: 0, position: 0, to: &target, at: 2)
        Unmasking.copy([9].rawBytes, key: 0, position: 0, to: &target, at: 4)
        Unmasking.copy([9].rawBytes, key: 0, position: 0, to: &target, at: 9)
        #expect(target == [0, 0, 1, 2])
    }
}
