import Dissection

/// By what content of two recordings is recognised: as it is, without what ids and times may change, and by its form alone.
///
/// The keys are those of this process: they are seeded anew in each.
struct ContentKeys: Hashable, Sendable {
    var exact: UInt64
    /// Numbers, and texts that look like an id or a time, count as one.
    var masked: UInt64
    /// Names and kinds of values alone.
    var shape: UInt64
    /// What kind of message it says that it is: the name of an event, or a member such as `type`.
    var topic: UInt64 = 0

    /// Keys of an element whose content is not known.
    init() { self.init(exact: 0, masked: 0, shape: 0) }

    private init(exact: UInt64, masked: UInt64, shape: UInt64) { (self.exact, self.masked, self.shape) = (exact, masked, shape) }

    /// - Parameters:
    ///   - content: JSON, perhaps after digits (Socket.IO), or anything else.
    ///   - paths: what is left out of JSON.
    init(_ content: RawSpan, ignoring paths: IgnoredPaths) {
        let start = ContentKeys.jsonStart(content)
        if let start, let value = ContentKeys.json(content) {
            let keys = ContentKeys(value, path: Array("$".utf8), ignoring: paths)
            let prefix = contentKey { hasher in for index in 0..<start { hasher.combine(content[index]) } }
            let word = String(decoding: content.prefix(start).copy, as: UTF8.self).utf8.prefix(1).first ?? 0
            self.init(
                exact: contentKey { hasher in
                    hasher.combine(prefix)
                    hasher.combine(keys.exact)
                },
                masked: contentKey { hasher in
                    hasher.combine(word)
                    hasher.combine(keys.masked)
                },
                shape: contentKey { hasher in
                    hasher.combine(word)
                    hasher.combine(keys.shape)
                })
            topic = contentKey { hasher in
                hasher.combine(word)
                hasher.combine(ContentKeys.topic(of: value))
            }
            return
        }
        self.init(exact: contentKey { $0.combine(content) }, masked: ContentKeys.masked(content), shape: 0)
    }

    private init(_ value: JSONValue, path: [UInt8], ignoring paths: IgnoredPaths) {
        func isIgnored(_ path: [UInt8]) -> Bool { paths.matches(path.rawBytes) }
        switch value {
        case .null: self.init(exact: 1, masked: 1, shape: 1)
        case .boolean(let truth): self.init(exact: truth ? 2 : 3, masked: truth ? 2 : 3, shape: 4)
        case .number(let digits): self.init(exact: contentKey { $0.combine(digits) }, masked: 5, shape: 5)
        case .string(let text):
            let exact = contentKey {
                $0.combine(6); $0.combine(text)
            }
            self.init(exact: exact, masked: ContentKeys.looksLikeAnID(text) ? 7 : exact, shape: 6)
        case .array(let values):
            var (exact, masked, shape) = (Hasher(), Hasher(), Hasher())
            for (index, value) in values.enumerated() {
                let inner = paths.isEmpty ? [] : path + Array("[\(index)]".utf8)
                if !paths.isEmpty, isIgnored(inner) { continue }
                let keys = ContentKeys(value, path: inner, ignoring: paths)
                exact.combine(keys.exact)
                masked.combine(keys.masked)
                // Of two lists of the same things one may be longer; a list's first elements may say what it is.
                if index < 2 { shape.combine(keys.shape) }
            }
            self.init(exact: exact.key, masked: masked.key, shape: shape.key &+ 8)
        case .object(let members):
            // The order of members does not count (RFC 8259, section 4).
            var (exact, masked, shape) = (9 as UInt64, 9 as UInt64, 9 as UInt64)
            for member in members {
                let inner = paths.isEmpty ? [] : path + [UInt8(ascii: ".")] + member.name
                if !paths.isEmpty, isIgnored(inner) { continue }
                let keys = ContentKeys(member.value, path: inner, ignoring: paths)
                exact &+= contentKey {
                    $0.combine(member.name); $0.combine(keys.exact)
                }
                masked &+= contentKey {
                    $0.combine(member.name); $0.combine(keys.masked)
                }
                shape &+= contentKey {
                    $0.combine(member.name); $0.combine(keys.shape)
                }
            }
            self.init(exact: exact, masked: masked, shape: shape)
        }
    }

    /// Members that say what kind of message an object is.
    private static let topics: Set<String> = ["type", "event", "method", "op", "action", "kind", "cmd", "command", "topic", "name", "t"]

    /// The first text of an array, or of an object the member that says what it is; empty where there is none.
    private static func topic(of value: JSONValue) -> [UInt8] {
        switch value {
        case .array(let values): values.lazy.prefix(2).compactMap(\.string).first ?? []
        case .object(let members):
            members.first { topics.contains(String(decoding: $0.name, as: UTF8.self)) && $0.value.string != nil }?.value.string ?? [0]
        case .null, .boolean, .number, .string: [1]
        }
    }

    /// Text with `#` for each run of digits.
    static func masked(_ text: RawSpan) -> UInt64 {
        contentKey { hasher in
            var isNumber = false
            for index in 0..<text.byteCount {
                let isDigit = 0x30...0x39 ~= text[index]
                if !isDigit || !isNumber { hasher.combine(isDigit ? UInt8(ascii: "#") : text[index]) }
                isNumber = isDigit
            }
        }
    }

    /// Where JSON begins: at the first byte, or after the digits that Engine.IO and Socket.IO put before it.
    static func jsonStart(_ content: RawSpan) -> Int? {
        var start = 0
        while start < min(content.byteCount, 24), 0x30...0x39 ~= content[start] || content[start] == 0x20 || content[start] == 0x0A {
            start += 1
        }
        guard start < content.byteCount, content[start] == UInt8(ascii: "{") || content[start] == UInt8(ascii: "[") else { return nil }
        return start
    }

    /// The value of JSON, perhaps after digits.
    static func json(_ content: RawSpan) -> JSONValue? {
        guard let start = jsonStart(content) else { return nil }
        var reader = JSONReader(content.suffix(from: start))
        return try? reader.whole()
    }

    /// Numbers, hexadecimal of eight digits and more with a number in it, UUIDs, and dates.
    static func looksLikeAnID(_ text: [UInt8]) -> Bool {
        guard text.count <= 128, text.contains(where: { 0x30...0x39 ~= $0 }) else { return false }
        let isDate =
            text.count >= 10 && text[4] == UInt8(ascii: "-") && text[7] == UInt8(ascii: "-") && text[..<4].allSatisfy { 0x30...0x39 ~= $0 }
        if isDate { return true }
        let isNumber = text.allSatisfy { 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ".") }
        let isHex = text.count >= 8 && text.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 | 0x20 || $0 == UInt8(ascii: "-") }
        return isNumber || isHex
    }
}

/// A key of what is put into a hasher.
func contentKey(_ body: (inout Hasher) -> Void) -> UInt64 {
    var hasher = Hasher()
    body(&hasher)
    return hasher.key
}

extension Hasher {
    var key: UInt64 { UInt64(bitPattern: Int64(finalize())) }

    mutating func combine(_ bytes: RawSpan) {
        // The bytes are lent for the call.
        unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) }
    }
}
