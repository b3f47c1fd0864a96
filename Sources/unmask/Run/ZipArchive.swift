import Dissection

/// The files of a ZIP archive in memory, by its central directory (APPNOTE 6.3.10, sections 4.3.12 and 4.3.16). ZIP64 and encryption are not read.
struct ZipArchive {
    private let bytes: [UInt8]
    private let directory: Range<Int>

    /// Nil where there is no archive.
    init?(_ bytes: [UInt8]) {
        // The end of the central directory is the last record, before a comment of 65,535 bytes at most.
        let most = bytes.count - 22
        guard most >= 0 else { return nil }
        for start in stride(from: most, through: max(0, most - 0xFFFF), by: -1)
        where bytes[start..<start + 4].elementsEqual([0x50, 0x4B, 5, 6]) {
            let (size, offset) = (Self.number(bytes, start + 12, 4), Self.number(bytes, start + 16, 4))
            guard offset + size <= start else { continue }
            (self.bytes, directory) = (bytes, offset..<offset + size)
            return
        }
        return nil
    }

    /// A file by its name; nil where there is none, where it is damaged, or has more bytes than this.
    func content(of name: StaticString, atMost limit: Int) -> [UInt8]? {
        let wanted = name.withUTF8Buffer { Array($0) }
        var entry = directory.lowerBound
        while entry + 46 <= directory.upperBound, bytes[entry..<entry + 4].elementsEqual([0x50, 0x4B, 1, 2]) {
            let length = number(entry + 28, 2)
            let next = entry + 46 + length + number(entry + 30, 2) + number(entry + 32, 2)
            guard next <= directory.upperBound else { return nil }
            if bytes[entry + 46..<entry + 46 + length].elementsEqual(wanted) { return file(at: entry, atMost: limit) }
            entry = next
        }
        return nil
    }

    /// The file of an entry of the directory: its own header, whose name and extra field may have other lengths, and then its bytes.
    private func file(at entry: Int, atMost limit: Int) -> [UInt8]? {
        let (method, packed, size, header) = (number(entry + 10, 2), number(entry + 20, 4), number(entry + 24, 4), number(entry + 42, 4))
        guard size <= limit, header + 30 <= bytes.count else { return nil }
        let start = header + 30 + number(header + 26, 2) + number(header + 28, 2)
        guard start + packed <= bytes.count else { return nil }
        let data = Array(bytes[start..<start + packed])
        switch method {
        case 0: return packed == size ? data : nil
        case 8: return Self.inflated(data, size)
        case _: return nil
        }
    }

    private static func inflated(_ data: [UInt8], _ size: Int) -> [UInt8]? {
        let inflater = Inflater(windowBits: 15)
        var (position, output) = (0, [UInt8]())
        while output.count <= size {
            let outcome = inflater.inflate(data.rawBytes, from: &position)
            inflater.withPending { output.append(copying: $0) }
            inflater.take()
            switch outcome {
            case .needsRoom: inflater.makeRoom()
            case .needsInput: return output.count == size ? output : nil
            case .overAllowance, .invalid: return nil
            }
        }
        return nil
    }

    private func number(_ offset: Int, _ count: Int) -> Int { Self.number(bytes, offset, count) }

    /// A number of two or four bytes, little-endian.
    private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
        bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
