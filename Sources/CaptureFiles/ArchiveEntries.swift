/// Finds the entries of an HTTP archive (HAR 1.2) one after another, wherever its line breaks are, and keeps none of what stands around them.
struct ArchiveEntries {
    /// What comes next.
    enum Found {
        /// An object of that many bytes.
        case entry(Int)
        case end
        /// The input ended within something.
        case cutShort
        /// An object that is longer than may be; it was passed over.
        case tooLong
    }

    /// Where a walk through JSON stands: in a string or not, and how deep.
    private struct Walk {
        var depth = 0
        private var isInString = false
        private var isEscaped = false

        /// Takes a byte. Returns whether it stands outside of strings.
        mutating func take(_ byte: UInt8) -> Bool {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                return false
            }
            switch byte {
            case UInt8(ascii: "\""):
                isInString = true
                return false
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case _: break
            }
            return true
        }
    }

    private static let key = Array("\"entries\"".utf8)
    private var isInside = false

    /// Whether an input begins as an archive does: with an object whose first member is `log`. It was seen to begin with an object.
    static func begins(_ source: inout ByteSource) -> Bool {
        var wanted = Array("{\"log\":".utf8)[...]
        var position = 0
        while let next = wanted.first, position < 64, source.ensure(position + 1) {
            let byte = source.buffer[source.start + position]
            position += 1
            // A byte order mark is what some programs begin with.
            if byte.isBlank || position <= 3 && [0xef, 0xbb, 0xbf].contains(byte) { continue }
            guard byte == next else { return false }
            wanted = wanted.dropFirst()
        }
        return wanted.isEmpty
    }

    /// The next entry, which lies at the start of the source then.
    mutating func next(_ source: inout ByteSource, longest: Int) -> Found {
        if !isInside {
            guard enter(&source) else { return .cutShort }
            isInside = true
        }
        while source.ensure(1) {
            let byte = source.buffer[source.start]
            if byte == UInt8(ascii: "{") { return entry(&source, longest: longest) }
            guard byte.isBlank || byte == UInt8(ascii: ",") else { return .end }
            source.consume(1)
        }
        return .cutShort
    }

    /// Goes to what follows `"entries":[`.
    private func enter(_ source: inout ByteSource) -> Bool {
        var walk = Walk()
        /// Bytes of the key that have been seen, then its colon and bracket.
        var matched = 0
        while source.ensure(1) {
            let byte = source.buffer[source.start]
            source.consume(1)
            let isOutside = walk.take(byte)
            if matched >= Self.key.count {
                if byte.isBlank { continue }
                if matched == Self.key.count, byte == UInt8(ascii: ":") {
                    matched += 1
                    continue
                }
                if matched > Self.key.count, byte == UInt8(ascii: "[") { return true }
                matched = 0
            }
            if walk.depth == 2, byte == Self.key[matched], matched > 0 || byte == UInt8(ascii: "\"") {
                matched += 1
            } else {
                matched = byte == UInt8(ascii: "\"") && !isOutside ? 1 : 0
            }
        }
        return false
    }

    /// Measures the object that the source stands before.
    private func entry(_ source: inout ByteSource, longest: Int) -> Found {
        var walk = Walk()
        var count = 0
        while source.ensure(count + 1) {
            let byte = source.buffer[source.start + count]
            count += 1
            if walk.take(byte), walk.depth == 0 { return .entry(count) }
            if count > longest { return pass(&source, walk, count) }
        }
        return .cutShort
    }

    /// Passes over the rest of an object.
    private func pass(_ source: inout ByteSource, _ begun: Walk, _ seen: Int) -> Found {
        var walk = begun
        source.consume(seen)
        while source.ensure(1) {
            let byte = source.buffer[source.start]
            source.consume(1)
            if walk.take(byte), walk.depth == 0 { return .tooLong }
        }
        return .cutShort
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0d || self == 0x0a }
}
