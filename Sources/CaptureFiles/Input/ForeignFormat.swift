import Dissection

/// Formats that are not read here, told by their first bytes so that the refusal can name them.
enum ForeignFormat {
    /// What the input looks like and what to do, or nil for bytes that say nothing.
    static func recognise(_ head: RawSpan) -> (name: String, advice: String)? {
        for entry in signatures where starts(head, with: entry.signature) { return (entry.name, entry.advice) }
        if isText(head) { return ("text", "give a pcap or pcapng file") }
        return nil
    }

    private static let convert = "convert it first, for example with `editcap -F pcapng IN OUT`"
    private static let decompress = "decompress it first; gzip and zstd are undone here"

    private static let signatures: [(signature: [UInt8], name: String, advice: String)] = [
        (Array("XCP\0".utf8), "a NetXray or Windows Sniffer capture", convert),
        (Array("TRSNIFF data".utf8), "a DOS Sniffer capture", convert),
        (Array("iptrace ".utf8), "an AIX iptrace capture", convert),
        (Array("btsnoop\0".utf8), "a Bluetooth btsnoop capture", convert),
        (Array("EyeSDN".utf8), "an EyeSDN capture", convert),
        ([0x05, 0x56, 0x4E, 0x46], "a Visual Networks capture", convert),
        ([0x54, 0x00, 0x00, 0x00, 0x53, 0x00, 0x00, 0x00], "an Event Tracing for Windows log", convert),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "data compressed with xz", decompress),
        (Array("BZh".utf8), "data compressed with bzip2", decompress),
        ([0x04, 0x22, 0x4D, 0x18], "data compressed with lz4", decompress),
        (Array("LZIP".utf8), "data compressed with lzip", decompress),
        ([0x1F, 0x9D], "data compressed with compress", decompress),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive", "unpack it first"),
        (Array("PK\u{3}\u{4}".utf8), "a zip archive", "unpack it first"),
        (Array("Rar!".utf8), "a RAR archive", "unpack it first"),
        (Array("SQLite format 3\0".utf8), "an SQLite database", "a session file is read by its name, not from standard input"),
        (Array("\u{7F}ELF".utf8), "an executable", "give a pcap or pcapng file"),
    ]

    private static func starts(_ head: RawSpan, with signature: [UInt8]) -> Bool {
        guard head.byteCount >= signature.count else { return false }
        for index in signature.indices where head[index] != signature[index] { return false }
        return true
    }

    /// Printable ASCII and line breaks alone, or bytes of UTF-8 beside them; at most the first 256 bytes are looked at.
    private static func isText(_ head: RawSpan) -> Bool {
        let count = min(head.byteCount, 256)
        guard count > 0 else { return false }
        for index in 0..<count {
            switch head[index] {
            case 0x09, 0x0A, 0x0D, 0x1B, 0x20...0x7E, 0x80...0xFF: continue
            default: return false
            }
        }
        return head[0] < 0x80
    }
}
