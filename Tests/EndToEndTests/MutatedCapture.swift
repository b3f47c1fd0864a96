import Foundation
import Support

/// Captures that were damaged on purpose, the same ones for the same number.
enum MutatedCapture {
    /// The fixtures, then what UNMASK_CAPTURES names.
    static let files: [String] = {
        var folders = [GoldenTests.fixtures.path]
        if let more = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"] { folders.append(more) }
        return folders.flatMap { folder in
            let found = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
            return found.filter { path in [".pcap", ".pcapng", ".cap", ".gz", ".zst"].contains { path.hasSuffix($0) } }.sorted()
                .map { "\(folder)/\($0)" }
        }
    }()

    /// Longer captures are cut, so that each costs about the same.
    private static let longest = 256 << 10

    /// The file of a number, and what became of it; nil where it cannot be read.
    static func make(_ number: Int) -> (file: String, bytes: [UInt8])? {
        let file = files[number % files.count]
        guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.read(upToCount: longest), !data.isEmpty else {
            return nil
        }
        var random = SplitMix(seed: UInt64(number))
        var capture = Records([UInt8](data))
        for _ in 0...random.next() % 4 { capture.mutate(&random) }
        return (file, capture.bytes)
    }

    /// A capture file as its header and its records. What is no capture is one record.
    struct Records {
        private var header: ArraySlice<UInt8>
        private var records: [[UInt8]] = []
        private let isPcapNG: Bool
        private let isBigEndian: Bool
        /// Bytes at the end that are cut off.
        private var cut = 0

        init(_ file: [UInt8]) {
            isPcapNG = file.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
            isBigEndian = isPcapNG ? file.count > 8 && file[8] == 0x1A : file[0] == 0xA1
            header = file[..<(isPcapNG ? 0 : min(24, file.count))]
            var start = header.endIndex
            while start < file.count {
                let length = isPcapNG ? Self.integer(file, start + 4, isBigEndian) : 16 + Self.integer(file, start + 8, isBigEndian)
                let end = length >= 12 && length <= file.count - start ? start + length : file.count
                records.append(Array(file[start..<end]))
                start = end
            }
        }

        private static func integer(_ bytes: [UInt8], _ at: Int, _ isBigEndian: Bool) -> Int {
            guard at + 4 <= bytes.count else { return 0 }
            let four = isBigEndian ? Array(bytes[at..<at + 4]) : bytes[at..<at + 4].reversed()
            return four.reduce(0) { $0 << 8 | Int($1) }
        }

        var bytes: [UInt8] {
            let all = Array(header) + records.joined()
            return Array(all.prefix(max(0, all.count - cut)))
        }

        mutating func mutate(_ random: inout SplitMix) {
            guard !records.isEmpty else { return }
            // The first record of pcapng says how the rest is to be read.
            let index = Int.random(in: 0..<records.count, using: &random)
            let other = Int.random(in: 0..<records.count, using: &random)
            switch random.next() % 11 {
            case 0, 1: flip(index, in: 0..<90, &random)
            case 2, 3: flip(index, in: 60..<max(61, records[index].count), &random)
            case 4, 5: setLength(index, &random)
            case 6: records.removeSubrange(index..<min(records.count, index + 1 + Int(random.next() % 4)))
            case 7: records.insert(records[index], at: other)
            case 8: records.swapAt(index, other)
            case 9: truncate(index, &random)
            default: cut = Int.random(in: 0...bytes.count, using: &random) / (random.next() % 4 == 0 ? 1 : 16)
            }
        }

        private mutating func flip(_ index: Int, in range: Range<Int>, _ random: inout SplitMix) {
            for _ in 0...random.next() % 8 {
                let at = range.lowerBound + Int(random.next() % UInt64(max(1, range.count)))
                if at < records[index].count { records[index][at] ^= 1 << UInt8(random.next() % 8) }
            }
        }

        /// Writes what lengths should not be, in headers of the file or of the packet.
        private mutating func setLength(_ index: Int, _ random: inout SplitMix) {
            let values: [UInt64] = [0, 1, 0xFF, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x8000_0000, 0x0000_FFFF, random.next() % 2_000, random.next()]
            let value = values[Int(random.next() % UInt64(values.count))]
            let width = [1, 2, 4][Int(random.next() % 3)]
            let at = Int(random.next() % 120) / width * width
            for offset in 0..<width where at + offset < records[index].count {
                records[index][at + offset] = UInt8(truncatingIfNeeded: value >> UInt64(8 * (isBigEndian ? width - 1 - offset : offset)))
            }
        }

        /// Leaves fewer bytes of a packet, as a snapshot length does.
        private mutating func truncate(_ index: Int, _ random: inout SplitMix) {
            let (headerLength, at) = isPcapNG ? (28, 20) : (16, 8)
            let room = records[index].count - headerLength - (isPcapNG ? 4 : 0)
            guard room > 0 else { return }
            let kept = Int(random.next() % UInt64(room))
            if !isPcapNG { records[index].removeLast(room - kept) }
            for offset in 0..<4 {
                let shift = 8 * (isBigEndian ? 3 - offset : offset)
                records[index][at + offset] = UInt8(truncatingIfNeeded: kept >> shift)
            }
        }
    }
}
