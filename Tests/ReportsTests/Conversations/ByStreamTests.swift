import Testing

@testable import Reports

@Suite struct ByStreamTests {
    @Test("each stream has a value of its own, and 0 is that of what has no streams")
    func values() {
        var counts = ByStream(vacant: 0)
        counts[0] += 1
        counts[5] += 2
        counts[5] += 3
        #expect(counts[0] == 1 && counts[5] == 5 && counts[7] == 0)
        #expect(counts.all.map(\.stream) == [0, 5])
        counts.remove(5)
        #expect(counts[5] == 0 && counts.all.count == 1)
    }

    @Test("a stream in which something comes now and then stays, however many begin after it")
    func busy() {
        var counts = ByStream(vacant: 0)
        counts[1] += 1
        for stream in 2...1_000 as ClosedRange<UInt32> {
            counts.touch(1)
            counts[stream] += 1
        }
        counts.touch(5_000)
        #expect(counts[1] == 1 && counts[2] == 0 && counts[5_000] == 0)
    }

    @Test("a stream that is silent and open stays where others are over")
    func silent() {
        var counts = ByStream(vacant: 0)
        counts[1] += 1
        for stream in 2...1_000 as ClosedRange<UInt32> {
            counts[stream] += 1
            counts.touch(stream, isOver: true)
        }
        #expect(counts[1] == 1 && counts[2] == 0 && counts[1_000] == 1)
    }

    @Test("beyond the most the stream goes that was not heard of for longest, and is named before")
    func leaving() {
        var counts = ByStream(vacant: 0)
        for stream in 1...256 as ClosedRange<UInt32> { counts[stream] += 1 }
        counts[1] += 1
        #expect(counts.leaving(for: 300) == 2 && counts.leaving(for: 2) == nil && counts.leaving(for: 0) == nil)
        counts[300] += 1
        #expect(counts[2] == 0 && counts[1] == 2 && counts.all.count == 257)
    }

    @Test("what values hold is added up as it is noted, and goes with its stream")
    func heldBytes() {
        var counts = ByStream(vacant: 0)
        for stream in 1...300 as ClosedRange<UInt32> {
            counts[stream] += 1
            counts.note(heldBytes: 1_000_000, of: stream)
        }
        counts.note(heldBytes: 7, of: 0)
        counts.note(heldBytes: 1_000_001, of: 300)
        #expect(counts.count == 256 && counts.heldBytes / 1_000_000 == 256)
        let before = counts.heldBytes
        counts.remove(300)
        #expect(before - counts.heldBytes == 1_000_001)
    }
}
