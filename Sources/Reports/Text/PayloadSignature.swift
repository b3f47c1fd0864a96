import Dissection

/// First bytes that give a format of files away.
struct PayloadSignature: Sendable {
    let bytes: [UInt8]
    /// Where they stand.
    private let start: Int
    /// How the name of such a file ends.
    let fileExtension: String
    /// What follows is text.
    private let isOfText: Bool

    private init(_ bytes: [UInt8], at start: Int = 0, _ fileExtension: String, isOfText: Bool = false) {
        (self.bytes, self.start, self.fileExtension, self.isOfText) = (bytes, start, fileExtension, isOfText)
    }

    private init(_ text: String, at start: Int = 0, _ fileExtension: String, isOfText: Bool = false) {
        self.init(Array(text.utf8), at: start, fileExtension, isOfText: isOfText)
    }

    private static let all = [
        PayloadSignature([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "png"), PayloadSignature([0xff, 0xd8, 0xff], "jpg"),
        PayloadSignature("GIF8", "gif"), PayloadSignature("WEBP", at: 8, "webp"), PayloadSignature("WAVE", at: 8, "wav"),
        PayloadSignature("ftypavif", at: 4, "avif"), PayloadSignature("ftyp", at: 4, "mp4"), PayloadSignature("%PDF-", "pdf"),
        PayloadSignature([0x50, 0x4b, 0x03, 0x04], "zip"), PayloadSignature([0x1f, 0x8b, 0x08], "gz"),
        PayloadSignature([0x28, 0xb5, 0x2f, 0xfd], "zst"), PayloadSignature([0x00, 0x61, 0x73, 0x6d], "wasm"),
        PayloadSignature("OggS", "ogg"), PayloadSignature("ID3", "mp3"), PayloadSignature("fLaC", "flac"),
        PayloadSignature([0x1a, 0x45, 0xdf, 0xa3], "webm"), PayloadSignature("wOFF", "woff"), PayloadSignature("wOF2", "woff2"),
        PayloadSignature("SQLite format 3", "sqlite"), PayloadSignature("<?xml", "xml", isOfText: true),
        PayloadSignature("<!doctype html", "html", isOfText: true), PayloadSignature("<html", "html", isOfText: true),
        PayloadSignature("<svg", "svg", isOfText: true),
    ]

    /// That of a payload; nil where it begins with none that is known. Letters of any case are the same.
    static func of(_ payload: RawSpan) -> PayloadSignature? { all.first { $0.begins(payload) } }

    /// Whether a payload begins as a binary format does. A word that a text may begin with as well is one only where the payload is not text.
    static func isBinary(_ payload: RawSpan, isText: Bool) -> Bool {
        guard let signature = of(payload), !signature.isOfText else { return false }
        return !isText || !signature.bytes.allSatisfy { 0x20..<0x7f ~= $0 }
    }

    private func begins(_ payload: RawSpan) -> Bool {
        guard payload.byteCount >= start + bytes.count else { return false }
        for index in 0..<bytes.count {
            let byte = payload[start + index]
            if byte != bytes[index], !(0x41...0x5a ~= byte && byte | 0x20 == bytes[index]) { return false }
        }
        return true
    }
}
