/// What the bytes in place of a length show, where the length cannot be: for the sentence of a finding. Programs that read a length from a port
/// where something else is spoken report such numbers: 1195725856 is `GET `, 369295617 a ClientHello.
///
/// | bytes | read as | words |
/// | --- | --- | --- |
/// | `47 45 54 20` | 1195725856 | an HTTP request ("GET ") in place of a length |
/// | `18 00 00 00` | 402653184 | one that is too long (18 00 00 00, as u32le it would be 24) |
/// | `7B 22 74 79`, after a message that ends with `00 00 00 13` | 2065855609 | … (the first message ends with 19, which may be the next length; try the option self) |
///
/// Only bytes up to the end of the length are looked at, so that nothing depends on what came together.
enum LengthClues {
    private struct Beginning {
        let bytes: [UInt8]
        let words: String

        init(_ bytes: [UInt8], _ words: String) { (self.bytes, self.words) = (bytes, words) }

        /// What is known by a word of text.
        init(_ text: String, _ words: String) { self.init(Array(text.utf8), "\(words) (\"\(text)\")") }
    }

    /// How what is no length begins; the longer of two first.
    private static let beginnings: [Beginning] =
        ["GET ", "POST", "PUT ", "HEAD", "OPTI", "DELE", "PATC", "CONN"].map { Beginning($0, "an HTTP request") } + [
            Beginning("HTTP", "an HTTP response"), Beginning("PRI ", "an HTTP/2 connection preface"), Beginning("SSH-", "an SSH greeting"),
            Beginning("<?xm", "XML"),
        ]
        + (0...4).map { Beginning([0x16, 3, $0], "a TLS handshake (16 03 0\($0))") }
        + (0...4).map { Beginning([0x15, 3, $0], "a TLS alert (15 03 0\($0))") } + [
            Beginning([0x28, 0xB5, 0x2F, 0xFD], "Zstandard data (28 b5 2f fd)"), Beginning([0x1F, 0x8B], "gzip data (1f 8b)"),
            Beginning(Array("{\"".utf8), "JSON ({\")"), Beginning(Array("[{".utf8), "JSON ([{)"),
        ]

    /// A length in another form is believed up to this.
    private static let mostLikely: UInt64 = 1 << 20

    /// What begins so, and by which bytes; nil where that is not known.
    static func beginning(_ bytes: RawSpan) -> String? {
        beginnings.first { beginning in
            beginning.bytes.count <= bytes.byteCount && beginning.bytes.indices.allSatisfy { beginning.bytes[$0] == bytes[$0] }
        }?.words
    }

    /// What a length that is too long is.
    ///
    /// - Parameters:
    ///   - header: the bytes of the message up to the end of its length.
    ///   - first: the message before, where it was the first of the side.
    static func tooLong(_ header: RawSpan, _ prefix: LengthPrefix, after first: PayloadEnds?) -> String {
        let beginning = beginning(header)
        var notes: [String] = []
        if beginning == nil, let bytes = lengthBytes(header, prefix) { notes.append(bytes) }
        if let reason = first?.reason(prefix) {
            notes.append(reason)
        } else if beginning == nil, let other = otherForm(header, prefix) {
            notes.append(other)
        }
        let found = beginning.map { "\($0) in place of a length" } ?? "one that is too long"
        return notes.isEmpty ? found : "\(found) (\(notes.joined(separator: ", ")))"
    }

    /// The length as its bytes are: text, or hexadecimal; nil of a varint.
    private static func lengthBytes(_ header: RawSpan, _ prefix: LengthPrefix) -> String? {
        let start = Int(prefix.offset)
        guard let count = prefix.width.bytes, start + count <= header.byteCount else { return nil }
        let bytes = (start..<start + count).map { header[$0] }
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) }) { return "\"\(String(decoding: bytes, as: UTF8.self))\"" }
        return bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }

    /// What the length would be in another form.
    private static func otherForm(_ header: RawSpan, _ prefix: LengthPrefix) -> String? {
        for width in otherWidths(prefix.width) {
            guard let length = number(header, width, at: Int(prefix.offset)), length > 0, length <= min(prefix.most, mostLikely),
                !prefix.countsItself || length >= UInt64(prefix.header)
            else { continue }
            return "as \(width) it would be \(length)"
        }
        return nil
    }

    /// What a message shows of which the side brought little, for the end of a sentence; empty where that is nothing.
    ///
    /// - Parameter bytes: all that came of it.
    static func cut(_ bytes: RawSpan, _ prefix: LengthPrefix) -> String {
        if let beginning = beginning(bytes) { return "; it begins like \(beginning)" }
        guard Int(prefix.header) == Int(prefix.offset) + (prefix.width.bytes ?? 0) else { return "" }
        let header = Int(prefix.offset)
        for width in [prefix.width.turned] + [.u16be, .u16le, .u32be, .u32le, .u64be, .u64le] where width != prefix.width {
            let whole = header + (width.bytes ?? 0)
            guard let length = number(bytes, width, at: header), length > 0 else { continue }
            let expected = prefix.countsItself ? UInt64(bytes.byteCount) : UInt64(max(0, bytes.byteCount - whole))
            if length == expected { return "; as \(width) its length would be \(length), as much as came" }
        }
        return ""
    }

    /// In which other forms the bytes of a length may be one: in the other order, or in half the bytes.
    private static func otherWidths(_ width: LengthPrefix.Width) -> [LengthPrefix.Width] {
        switch width {
        case .u64be: [.u64le, .u32be, .u32le]
        case .u64le: [.u64be, .u32le, .u32be]
        case .u8, .varint: []
        case .u16be, .u16le, .u24be, .u24le, .u32be, .u32le: [width.turned]
        }
    }

    /// The number of a width that begins at a byte; nil where not all of it came.
    static func number(_ bytes: RawSpan, _ width: LengthPrefix.Width, at offset: Int) -> UInt64? {
        guard let count = width.bytes, offset + count <= bytes.byteCount else { return nil }
        var number: UInt64 = 0
        for index in 0..<count {
            number = number << 8 | UInt64(bytes[offset + (width.isLittleEndian ? count - 1 - index : index)])
        }
        return number
    }
}

extension LengthPrefix.Width {
    /// The same in the other order of bytes.
    fileprivate var turned: Self {
        switch self {
        case .u16be: .u16le
        case .u16le: .u16be
        case .u24be: .u24le
        case .u24le: .u24be
        case .u32be: .u32le
        case .u32le: .u32be
        case .u64be: .u64le
        case .u64le: .u64be
        case .u8, .varint: self
        }
    }
}
