import CaptureFiles
import Testing

/// Microsoft Network Monitor files, byte by byte.
struct NetworkMonitorFramesTests {
    /// 2026-11-20 21:48:00.5 UTC.
    private static let start: [UInt16] = [2026, 11, 5, 20, 21, 48, 0, 500]
    private static let startNanoseconds: Int64 = 1_795_211_280_500_000_000

    struct Frame {
        var text: String
        /// Since the beginning: milliseconds in version 1, microseconds in version 2.
        var delta: UInt64 = 0
        var original: UInt32?
        var trailer: [UInt8] = []
    }

    /// A file of version `major`.`minor` whose `frames` lie one behind the other, the table after them.
    ///
    /// - Parameters:
    ///   - order: the frames that the table names, in its order.
    ///   - hole: bytes that nobody names, before the second frame.
    private func file(
        _ frames: [Frame], _ major: UInt8 = 2, _ minor: UInt8 = 0, medium: UInt16 = 1, order: [Int]? = nil, hole: Int = 0,
        start: [UInt16] = start
    ) -> [UInt8] {
        var file = CaptureBytes()
        file.add(major == 1 ? "RTSS" : "GMBU")
        file.bytes += [minor, major]
        file.add(medium)
        for word in start { file.add(word) }
        let tablePlace = file.bytes.count
        file.bytes += [UInt8](repeating: 0, count: 128 - tablePlace)
        var offsets: [UInt32] = []
        for (index, frame) in frames.enumerated() {
            if index == 1 { file.bytes += [UInt8](repeating: 0xEE, count: hole) }
            offsets.append(UInt32(file.bytes.count))
            let count = UInt32(frame.text.utf8.count)
            if major == 1 {
                file.add(UInt32(truncatingIfNeeded: frame.delta))
                file.add(UInt16(frame.original ?? count), UInt16(count))
            } else {
                file.add(frame.delta)
                file.add(frame.original ?? count, count)
            }
            file.add(frame.text)
            file.bytes += frame.trailer
        }
        let table = UInt32(file.bytes.count)
        for index in order ?? Array(frames.indices) { file.add(offsets[index]) }
        var places = CaptureBytes()
        places.add(table, UInt32((order ?? Array(frames.indices)).count * 4))
        file.bytes.replaceSubrange(tablePlace..<tablePlace + 8, with: places.bytes)
        return file.bytes
    }

    private func line(_ number: Int, _ text: String, link: Int = 1, nanoseconds: Int64 = 0, original: Int? = nil) -> String {
        "packet \(number) \(Self.startNanoseconds + nanoseconds) link \(link) \(text.count)/\(original ?? text.count) \(text)"
    }

    private let two = [Frame(text: "first"), Frame(text: "second", delta: 7, original: 10)]

    @Test func versionTwo() {
        let lines = [line(1, "first"), line(2, "second", nanoseconds: 7_000, original: 10)]
        #expect(listing(of: file(two)) == lines)
        #expect(listing(of: file(two), bytesPerRead: 1) == lines)
        #expect(listing(of: Compression.gzip(file(two))) == lines)
        #expect(listing(of: Compression.zstd(file(two))) == lines)
        #expect(listing(of: file([])) == [])
    }

    @Test("Version 1 counts milliseconds")
    func versionOne() {
        #expect(listing(of: file(two, 1, 1)) == [line(1, "first"), line(2, "second", nanoseconds: 7_000_000, original: 10)])
    }

    @Test("From 2.1 on each frame says its medium", arguments: [(1, 0), (2, 4), (3, 13)])
    func media(minor: UInt8, more: Int) {
        func frame(_ text: String, _ medium: UInt16) -> Frame {
            let time = [UInt8](repeating: 0, count: more)
            return Frame(text: text, trailer: [UInt8(medium & 0xFF), UInt8(medium >> 8)] + time)
        }
        let frames = [
            frame("a", 1), frame("b", 3), frame("c", 8), frame("names", 0xFFFE), frame("d", 0xE071), frame("e", 6), frame("f", 0xFFE0),
        ]
        let links = listing(of: file(frames, 2, minor)).map { $0.drop { $0 != "l" }.split(separator: " ")[1] }
        #expect(links == ["1", "10", "101", "113", "131078", "196576"])
    }

    @Test("From 2.3 on each frame has a time of its own, in 100 ns since 1601")
    func universalTimes() {
        // 2026-11-20 21:48:00.1234567.
        var time = CaptureBytes()
        time.add(Self.startNanoseconds / 100 + 116_444_736_000_000_000 - 5_000_000 + 1_234_567)
        let frame = Frame(text: "a", delta: 9, trailer: [1, 0, 0, 0, 0, 0] + time.bytes + [0])
        #expect(listing(of: file([frame], 2, 3)) == [line(1, "a", nanoseconds: -500_000_000 + 123_456_700)])
        let never = Frame(text: "a", trailer: [1, 0, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8) + [0])
        #expect(listing(of: file([never], 2, 3)) == ["packet 1 no time link 1 1/1 a"])
    }

    @Test("A frame from before the beginning, and times that do not exist")
    func times() {
        // Microseconds whose tenfold wraps to -10,000 times 100 ns.
        let early = (UInt64.max - 9_999) / 10 &+ 1
        #expect(listing(of: file([Frame(text: "a", delta: early)])).first?.hasPrefix("packet 1 17952112804") == true)
        #expect(listing(of: file([Frame(text: "a", delta: UInt64.max / 20)])) == ["packet 1 no time link 1 1/1 a"])
        #expect(listing(of: file([Frame(text: "a")], start: [2026, 13, 0, 1, 0, 0, 0, 0])) == ["packet 1 no time link 1 1/1 a"])
    }

    @Test("The table decides which frames there are, and in which order")
    func table() {
        let lines = [line(1, "second", nanoseconds: 7_000, original: 10), line(2, "first")]
        #expect(listing(of: file(two, order: [1, 0], hole: 9)) == lines)
        #expect(listing(of: file(two, order: [1])) == Array(lines.prefix(1)))
        // Where it comes too late the difference is told.
        let compressed = listing(of: Compression.gzip(file(two, order: [1, 0])))
        #expect(compressed.count == 3)
        #expect(compressed.last?.hasPrefix("damaged at 171: the frames do not lie in the order of their table") == true)
    }

    @Test("What the table names is damaged: reading goes on with the next frame")
    func damagedTable() {
        var bytes = file(two)
        bytes.replaceSubrange(bytes.count - 8..<bytes.count - 4, with: [0xFF, 0xFF, 0xFF, 0x7F])
        #expect(
            listing(of: bytes) == [
                "damaged at 171, going on: frame 1 is claimed to lie at byte 2147483647",
                line(1, "second", nanoseconds: 7_000, original: 10),
            ])
        bytes = file(two)
        bytes[128 + 15] = 0x7F
        #expect(
            listing(of: bytes) == [
                "damaged at 128, going on: a packet of 2130706437 bytes is claimed, more than the 262144 that one has at most",
                line(1, "second", nanoseconds: 7_000, original: 10),
            ])
    }

    @Test("A table that names one frame over and over costs no more than the file is long")
    func sameFrame() {
        let frames = [Frame(text: String(repeating: "x", count: 50_000))]
        let lines = listing(of: file(frames, order: [Int](repeating: 0, count: 10_000)))
        #expect(lines.count == 2)
        #expect(lines.last == "damaged at 128: the table leads to the same frames again")
    }

    @Test("Cut anywhere: what came before, and the cut")
    func cut() {
        for (version, header) in [(1, 8), (2, 16)] as [(UInt8, Int)] {
            let whole = file(two, version, 0)
            for length in 4..<whole.count {
                let lines = listing(of: Array(whole.prefix(length)))
                let packets = length < 128 + header + 5 ? 0 : length < 128 + 2 * header + 11 ? 1 : 2
                #expect(lines.count == packets + 1, "\(length): \(lines)")
                #expect(lines.last?.hasPrefix("cutShort at") == true, "\(length): \(lines)")
            }
        }
    }

    @Test func versions() {
        #expect(listing(of: file(two, 3, 0)) == ["unsupported at 4: Network Monitor version 3.0 is not known"])
    }
}
