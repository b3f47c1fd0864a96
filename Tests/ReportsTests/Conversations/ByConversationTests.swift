import Reports
import Testing

@Suite struct ByConversationTests {
    @Test func `it has what was put there, whatever came and went between`() {
        var table = ByConversation<Int>(vacant: -1)
        var expected: [UInt64: Int] = [:]
        var state: UInt64 = 3
        for step in 0..<20_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = 1 + (state >> 33) % 300
            switch state >> 60 {
            case 0..<5:
                let (removed, expectedRemoved) = (table.remove(number), expected.removeValue(forKey: number))
                #expect(removed == expectedRemoved)
            case 5..<12:
                if let place = table.placeAdding(number) { table[place] = step }
                expected[number] = step
            case _:
                let found = table.place(of: number).map { table[$0] }
                #expect(found == expected[number])
            }
            #expect(table.count == expected.count && table.isEmpty == expected.isEmpty)
        }
        for number in 0...301 as ClosedRange<UInt64> {
            let found = table.place(of: number).map { table[$0] }
            #expect(found == expected[number])
        }
    }

    @Test func `what was removed is gone, and what is added begins anew`() throws {
        var table = ByConversation<[Int]>(vacant: [])
        let first = table.placeAdding(7)
        let place = try #require(first)
        table[place].append(1)
        let (removed, none) = (table.remove(7), table.remove(7))
        #expect(removed == [1] && none == nil)
        let second = table.placeAdding(7)
        let again = try #require(second)
        #expect(table[again] == [])
        // Zero is the input itself.
        let zero = table.placeAdding(0)
        #expect(zero == nil && table.place(of: 0) == nil)
    }

    @Test func `it takes any numbers, and grows with what is in it`() {
        var table = ByConversation<UInt64>(vacant: 0)
        let numbers = (0..<5_000).map { UInt64($0) << 48 | 1 } + [.max, .max - 1]
        for number in Set(numbers) { if let place = table.placeAdding(number) { table[place] = number } }
        for number in numbers {
            let found = table.place(of: number).map { table[$0] }
            #expect(found == number)
        }
        #expect(table.heldBytes >= 5_000 * 16 && table.heldBytes <= 5_000 * 16 * 8)
    }
}
