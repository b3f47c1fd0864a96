import CaptureFiles
import Dissection
import Testing

/// snoop files, byte by byte (RFC 1761).
struct SnoopRecordsTests {
    /// A file of two packets: `first` is filled up to four bytes, of `second` six of ten bytes were captured.
    private func file(version: UInt32 = 2, type: UInt32 = 4, padding: Int = 3) -> [UInt8] {
        var file = CaptureBytes(isBigEndian: true)
        file.add("snoop\0\0\0")
        file.add(version, type)
        record(&file, "first", seconds: 7, microseconds: 8, padding: padding)
        record(&file, "second", original: 10, seconds: 0xFFFF_FFFF, microseconds: 999_999, padding: 2)
        return file.bytes
    }

    private func record(
        _ file: inout CaptureBytes, _ text: String, original: UInt32? = nil, seconds: UInt32, microseconds: UInt32, padding: Int
    ) {
        let count = UInt32(text.utf8.count)
        file.add(original ?? count, count, 24 + count + UInt32(padding), 0, seconds, microseconds)
        file.add(text)
        file.bytes += [UInt8](repeating: 0, count: padding)
    }

    private let both = ["packet 1 7000008000 link 1 5/5 first", "packet 2 4294967295999999000 link 1 6/10 second"]

    @Test func packetsTimesAndLengths() {
        #expect(listing(of: file()) == both)
        #expect(listing(of: file(), bytesPerRead: 1) == both)
        #expect(listing(of: Compression.gzip(file())) == both)
        #expect(listing(of: Compression.zstd(file())) == both)
        #expect(listing(of: Array(file().prefix(16))) == [])
        // The padding of the last record may be missing.
        #expect(listing(of: Array(file().dropLast(2))) == both)
    }

    @Test("The link types of the registry", arguments: [(0, 1), (2, 6), (4, 1), (8, 10), (9, 0), (14, 0), (26, 0x1_0000 + 26)])
    func linkTypes(number: UInt32, link: Int) {
        #expect(listing(of: file(type: number)).first == "packet 1 7000008000 link \(link) 5/5 first")
    }

    @Test("Surveyor's trailer in the padding gives the other numbers their meaning")
    func surveyor() throws {
        let reader = try CaptureReader(bytes: file(version: 4, type: 12, padding: 19))
        #expect(reader.interfaces.map(\.linkType) == [.ethernet])
        #expect(reader.interfaces.map(\.frameCheckSequenceLength) == [4])
        #expect(listing(of: file(type: 10)) == ["unsupported at 12: packets of the snoop link type 10 are not read"])
    }

    @Test func versions() {
        #expect(listing(of: file(version: 5)) == both)
        #expect(listing(of: file(version: 6)) == ["unsupported at 8: snoop version 6 is not known"])
    }

    @Test("Cut anywhere: what came before, and the cut")
    func cut() {
        let whole = file()
        for length in 12..<whole.count - 2 {
            let lines = listing(of: Array(whole.prefix(length)))
            if [16, 48].contains(length) || 45..<48 ~= length {
                #expect(lines == Array(both.prefix(length / 32)), "\(length)")
            } else {
                #expect(lines.dropLast() == both.prefix(length < 45 ? 0 : 1), "\(length)")
                #expect(lines.last?.hasPrefix("cutShort at") == true, "\(length): \(lines)")
            }
        }
    }

    @Test("Lengths that contradict each other end it")
    func damaged() {
        var bytes = file()
        bytes[16 + 24 + 8 + 11] = 29
        let lines = listing(of: bytes)
        #expect(lines.count == 2)
        #expect(lines.last == "damaged at 48: a packet of 6 bytes is claimed in a record of 29")
        bytes = file()
        bytes[20] = 0xFF
        #expect(listing(of: bytes) == ["damaged at 16: a packet of 4278190085 bytes is claimed in a record of 32"])
    }
}
