import Testing

@testable import WebConsole

/// The list of records that a view shows.
@Suite struct RecordIDsTests {
    @Test func `numbers are found by place and by number, also beyond 32 bits`() {
        var ids = RecordIDs()
        let all: [Int64] = [1, 5, 9, Int64(UInt32.max), Int64(UInt32.max) + 1, 1 << 40, 1 << 50]
        ids.append(all)
        #expect(ids.count == all.count && (0..<all.count).map { ids[$0] } == all)
        #expect(ids.slice(from: 2, count: 3) == Array(all[2..<5]) && ids.slice(from: 6, count: 9) == [1 << 50])
        #expect(ids.slice(from: 7, count: 1).isEmpty && ids.slice(from: -1, count: 1).isEmpty)
        for (place, id) in all.enumerated() {
            #expect(ids.place(atLeast: id) == place)
            #expect(ids.place(atLeast: id - 1) == (place > 0 && all[place - 1] == id - 1 ? place - 1 : place))
        }
        #expect(ids.place(atLeast: (1 << 50) + 1) == nil && RecordIDs().place(atLeast: 1) == nil)
    }
}
