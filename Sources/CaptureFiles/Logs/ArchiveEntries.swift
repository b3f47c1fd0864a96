import Dissection

/// Finds the entries of an HTTP archive (HAR 1.2) one after another, wherever its line breaks are, and keeps none of what stands around them.
///
/// Archives that somebody has joined follow each other; an archive may have `entries` twice, of which other readers take the last.
struct ArchiveEntries {
    /// What comes next.
    enum Found {
        /// An object of that many bytes.
        case entry(Int)
        /// Something else in the place of an entry; it was passed over.
        case notAnObject
        case end
        /// The input ended within or before an entry.
        case cutShort
        /// The input ended after the entries, before the archive did.
        case openEnd
        /// An object that is longer than may be; it was passed over.
        case tooLong
        /// What was read to its end had no entries, not even none.
        case noEntries
        /// Something that is no archive follows one; it was passed over, to the end of the input.
        case rest

        var isEntry: Bool { if case .entry = self { true } else { false } }
    }

    /// Where a walk through JSON stands: in a string or not, and how deep.
    private struct Walk {
        var depth = 0
        private(set) var isInString = false
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
    /// Within the list of entries.
    private var isInside = false
    /// What is around the entries.
    private var outside = Walk()
    /// Whether the archive that is read has had its list.
    private var hasList = false
    /// Whether the end of an archive was reached.
    private var hasWhole = false

    /// Whether an input begins as an archive does: with an object that has a member `log` which is an object, after others perhaps. It was seen to
    /// begin with an object.
    ///
    /// Waits for no more than the end of that object: what a record of a log has first is known by then.
    static func begins(_ source: inout ByteSource) -> Bool {
        var walk = Walk()
        /// The last string of the object itself, where it was no longer than any that is looked for.
        var name: [UInt8] = []
        var isValue = false
        var position = 0
        while position < mostBefore, source.ensure(position + 1) {
            let byte = source.buffer[source.start + position]
            position += 1
            let wasInString = walk.isInString
            _ = walk.take(byte)
            if walk.isInString || wasInString {
                if !wasInString { name = [] }
                if walk.depth == 1, !isValue, name.count < 8 { name.append(byte) }
                continue
            }
            // A byte order mark is what some programs begin with.
            if byte.isBlankOrLineEnd || position <= 3 && byte.isMark { continue }
            guard walk.depth > 0 else { return false }
            if walk.depth == 2, byte == UInt8(ascii: "{"), isValue, name == logName { return true }
            guard walk.depth == 1 else { continue }
            if byte == UInt8(ascii: ":") {
                // What a record of ours begins with.
                if name == kindName { return false }
                isValue = true
            } else if byte == UInt8(ascii: ",") {
                isValue = false
            }
        }
        return false
    }

    /// Bytes in which `log` has to begin.
    private static let mostBefore = 64 << 10
    private static let logName = Array("\"log\"".utf8)
    private static let kindName = Array("\"kind\"".utf8)

    /// The next entry, which lies at the start of the source then.
    mutating func next(_ source: inout ByteSource, longest: Int) -> Found {
        while true {
            if !isInside { if let found = enter(&source) { return found } }
            isInside = true
            while source.ensure(1) {
                let byte = source.buffer[source.start]
                if byte == UInt8(ascii: "{") { return entry(&source, longest: longest) }
                if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") { break }
                guard byte.isBlankOrLineEnd || byte == UInt8(ascii: ",") else { return passValue(&source) }
                source.consume(1)
            }
            guard source.available > 0 else { return .cutShort }
            isInside = false
        }
    }

    /// Goes to what follows `"entries":[`. Returns nil there, and otherwise what was found instead of it.
    private mutating func enter(_ source: inout ByteSource) -> Found? {
        /// Bytes of the key that have been seen, then its colon and bracket.
        var matched = 0
        while source.ensure(1) {
            let byte = source.buffer[source.start]
            if outside.depth == 0, !outside.isInString, byte != UInt8(ascii: "{") {
                guard byte.isBlankOrLineEnd || byte.isMark else { return passRest(&source) }
            }
            source.consume(1)
            let isOutside = outside.take(byte)
            if outside.depth <= 0, isOutside, byte == UInt8(ascii: "}") {
                let hadList = hasList
                (outside, hasList, hasWhole, matched) = (Walk(), false, true, 0)
                if !hadList { return .noEntries }
                continue
            }
            if matched >= Self.key.count {
                if byte.isBlankOrLineEnd { continue }
                if matched == Self.key.count, byte == UInt8(ascii: ":") {
                    matched += 1
                    continue
                }
                if matched > Self.key.count, byte == UInt8(ascii: "[") {
                    hasList = true
                    return nil
                }
                matched = 0
            }
            if outside.depth == 2, byte == Self.key[matched], matched > 0 || byte == UInt8(ascii: "\"") {
                matched += 1
            } else {
                matched = byte == UInt8(ascii: "\"") && !isOutside ? 1 : 0
            }
        }
        if outside.depth == 0 { return hasWhole ? .end : .cutShort }
        return hasList ? .openEnd : .cutShort
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

    /// Passes over a value that is no object, up to the comma or the bracket after it.
    private func passValue(_ source: inout ByteSource) -> Found {
        var walk = Walk()
        while source.ensure(1) {
            let byte = source.buffer[source.start]
            let isEnd = byte == UInt8(ascii: ",") || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}")
            if walk.depth == 0, !walk.isInString, isEnd { return .notAnObject }
            source.consume(1)
            _ = walk.take(byte)
        }
        return .cutShort
    }

    private func passRest(_ source: inout ByteSource) -> Found {
        while source.ensure(1) { source.consume(source.available) }
        return .rest
    }
}

extension UInt8 {
    /// Whether it is of a byte order mark.
    fileprivate var isMark: Bool { self == 0xef || self == 0xbb || self == 0xbf }
}
