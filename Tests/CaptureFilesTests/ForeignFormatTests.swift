import CaptureFiles
import Testing

/// What is no capture is refused in words that say what it looks like.
struct ForeignFormatTests {
    private func refusal(_ bytes: [UInt8]) -> String {
        do {
            _ = try CaptureReader(bytes: bytes, name: "in")
            return "read"
        } catch {
            return error.description
        }
    }

    @Test func knownSignatures() {
        let btsnoop = refusal(Array("btsnoop\0\0\0\0\u{1}".utf8))
        #expect(btsnoop.hasPrefix("in: is not pcap or pcapng but looks like a Bluetooth btsnoop capture; convert"))
        #expect(refusal(Array("XCP\0....".utf8)).contains("a NetXray or Windows Sniffer capture"))
        #expect(refusal([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00, 0, 0]).contains("looks like data compressed with xz; decompress it first"))
        #expect(refusal([0x1F, 0x9D, 0x90, 0]).contains("compressed with compress"))
        #expect(refusal(Array("{\"log\": {}}".utf8)) == "in: is not pcap or pcapng but looks like text; give a pcap or pcapng file")
    }

    @Test func nothingKnown() {
        #expect(refusal([]) == "in: is empty")
        #expect(refusal(Compression.gzip([])) == "in: decompresses to nothing")
        #expect(refusal([1, 0, 0xFE]) == "in: is not pcap or pcapng: it starts with the bytes 01 00 fe")
        #expect(refusal(Compression.zstd(Array("hello, world".utf8))).contains("looks like text"))
    }

    @Test("Relatives of pcap whose records nobody documents are named")
    func undocumentedVariants() {
        #expect(refusal([0xA1, 0xB2, 0x34, 0xCD]).contains("Mesquita"))
        #expect(refusal([0x4D, 0x3C, 0x2B, 0xA1]).contains("Navtel"))
    }
}
