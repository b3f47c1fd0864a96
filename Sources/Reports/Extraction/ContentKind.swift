import Dissection

/// What a payload is, as the end of a file's name says it.
enum ContentKind {
    private static let extensions: [String: String] = [
        "application/json": "json", "application/xml": "xml", "application/pdf": "pdf", "application/zip": "zip", "application/gzip": "gz",
        "application/javascript": "js", "application/x-javascript": "js", "application/wasm": "wasm", "application/x-ndjson": "ndjson",
        "application/ndjson": "ndjson", "application/jsonl": "jsonl", "application/xhtml+xml": "html", "application/x-protobuf": "pb",
        "application/protobuf": "pb", "application/grpc": "grpc", "application/msgpack": "msgpack", "application/cbor": "cbor",
        "application/x-www-form-urlencoded": "txt", "application/graphql": "graphql", "application/sql": "sql", "application/toml": "toml",
        "application/yaml": "yaml", "application/x-yaml": "yaml", "application/x-tar": "tar", "application/vnd.sqlite3": "sqlite",
        "text/html": "html", "text/css": "css", "text/csv": "csv", "text/javascript": "js", "text/xml": "xml", "text/markdown": "md",
        "text/calendar": "ics", "text/yaml": "yaml", "text/event-stream": "txt", "multipart/form-data": "multipart",
        "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp", "image/svg+xml": "svg", "image/avif": "avif",
        "image/bmp": "bmp", "image/tiff": "tiff", "image/heic": "heic", "image/x-icon": "ico", "image/vnd.microsoft.icon": "ico",
        "audio/mpeg": "mp3", "audio/ogg": "ogg", "audio/wav": "wav", "audio/aac": "aac", "audio/flac": "flac", "audio/mp4": "m4a",
        "video/mp4": "mp4", "video/webm": "webm", "video/mpeg": "mpg", "video/mp2t": "ts", "video/quicktime": "mov",
        "font/woff": "woff", "font/woff2": "woff2", "font/ttf": "ttf", "font/otf": "otf", "application/font-woff": "woff",
        "application/vnd.apple.mpegurl": "m3u8", "application/x-mpegurl": "m3u8", "application/dash+xml": "mpd",
    ]

    /// The extension of a payload, without the dot: by its type where that is known, otherwise by its first bytes. Letters and digits alone.
    ///
    /// - Parameter type: the value of Content-Type; empty where there is none.
    static func fileExtension(type: RawSpan, _ bytes: RawSpan) -> String {
        if let known = byType(type) { return known }
        if let signature = PayloadSignature.of(bytes) { return signature.fileExtension }
        guard PayloadForm(bytes, isCut: bytes.byteCount > PayloadForm.looked, claim: .none) == .text else { return "bin" }
        return looksLikeJSON(bytes) ? "json" : "txt"
    }

    private static func byType(_ type: RawSpan) -> String? {
        var name: [UInt8] = []
        let value = type.prefix(128)
        for index in 0..<value.byteCount {
            let byte = value[index]
            if byte == UInt8(ascii: ";") || byte == 0x20 || byte == 0x09 { break }
            name.append(0x41...0x5a ~= byte ? byte | 0x20 : byte)
        }
        let text = String(decoding: name, as: UTF8.self)
        if let known = extensions[text] { return known }
        if text.hasSuffix("+json") { return "json" }
        if text.hasSuffix("+xml") { return "xml" }
        if text.hasSuffix("+zip") { return "zip" }
        return text.hasPrefix("text/") ? "txt" : nil
    }

    /// Begins and ends as an object or a list does.
    private static func looksLikeJSON(_ bytes: RawSpan) -> Bool {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0a || byte == 0x0d }
        var (first, last) = (0, bytes.byteCount - 1)
        while first < last, isSpace(bytes[first]) { first += 1 }
        while last > first, isSpace(bytes[last]) { last -= 1 }
        guard first < last else { return false }
        return bytes[first] == 0x7b && bytes[last] == 0x7d || bytes[first] == 0x5b && bytes[last] == 0x5d
    }
}
