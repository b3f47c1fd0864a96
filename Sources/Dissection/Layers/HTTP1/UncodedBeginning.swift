/// The first bytes of a body as they came, while it may turn out not to have the coding that its head names.
///
/// Brotli (RFC 7932) begins with anything: text is often the beginning of a stream, of metadata or of a few letters, before it is none. So the
/// bytes are kept until what they become says that they are brotli, and no longer than `most`.
struct UncodedBeginning {
    /// Bytes that are kept. Tables and the first letters of a stream of brotli take a few hundred.
    static let most = 16 << 10

    /// So much text that comes to nothing is no brotli, although the rest of it was not seen.
    static let enoughText = 32

    private(set) var bytes: [UInt8] = []
    private var validator = UTF8Validator()
    private var isText = true

    /// How many more are kept.
    var room: Int { UncodedBeginning.most - bytes.count }

    mutating func append(_ more: RawSpan) {
        bytes.append(copying: more)
        guard isText else { return }
        if validator.check(more) != nil { isText = false }
        // Text has no control characters but tabs and line ends.
        for index in 0..<more.byteCount where more[index] < 0x20 || more[index] == 0x7F {
            if !(0x09...0x0D).contains(more[index]) { isText = false }
        }
    }

    /// Whether they are text, or begin as a file or as another coding does.
    var isSomethingElse: Bool { !bytes.isEmpty && (isText || UncodedBeginning.marks.contains { bytes.starts(with: $0) }) }

    /// Whether they are that, or may be once more of them has come.
    var mayBeSomethingElse: Bool {
        isText || UncodedBeginning.marks.contains { bytes.starts(with: $0) || bytes.count < $0.count && $0.starts(with: bytes) }
    }

    /// How content begins that is often compressed, or never needs to be: gzip (RFC 1952), Zstandard (RFC 8878), PNG, JPEG, WebAssembly, ZIP, PDF,
    /// GIF, RIFF (WebP), WOFF.
    private static let marks: [[UInt8]] = [
        [0x1F, 0x8B, 0x08], [0x28, 0xB5, 0x2F, 0xFD], [0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], [0x00, 0x61, 0x73, 0x6D],
        [0x50, 0x4B, 0x03, 0x04], [0x25, 0x50, 0x44, 0x46], [0x47, 0x49, 0x46, 0x38], [0x52, 0x49, 0x46, 0x46], [0x77, 0x4F, 0x46],
    ]
}
