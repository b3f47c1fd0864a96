import Dissection

/// The values in `_webSocketMessages` of an entry, as ranges of its bytes.
struct HARMessages: ~Escapable {
    private var cursor: JSONCursor
    private var isInside = false
    /// It is no list.
    private(set) var isOther = false

    /// - Parameter entry: an object that is valid JSON.
    @_lifetime(copy entry)
    init(_ entry: RawSpan) {
        cursor = JSONCursor(entry)
        guard cursor.take(UInt8(ascii: "{")) else { return }
        repeat {
            guard let name = cursor.string(), cursor.take(UInt8(ascii: ":")) else { return }
            if entry.extracting(name).isEqual(StaticString("_webSocketMessages").bytes) {
                isInside = cursor.take(UInt8(ascii: "["))
                isOther = !isInside && cursor.current != UInt8(ascii: "n")
                return
            }
            guard cursor.value() != nil else { return }
        } while cursor.take(UInt8(ascii: ","))
    }

    /// Whether one is left.
    var hasNext: Bool {
        mutating get {
            guard isInside else { return false }
            _ = cursor.take(UInt8(ascii: ","))
            cursor.skipBlanks()
            return cursor.current != UInt8(ascii: "]")
        }
    }

    mutating func next() -> Range<Int>? {
        guard hasNext, let range = cursor.value() else {
            isInside = false
            return nil
        }
        return range
    }
}

extension JSONValue {
    /// The value of a header field in `headers`; of several, what they are together.
    func header(_ wanted: StaticString) -> [UInt8]? {
        var found: [UInt8]?
        for field in self["headers"]?.elements ?? [] {
            guard let name = field["name"]?.string, name.rawBytes.isWord(wanted), let value = field["value"]?.string else { continue }
            found = found.map { $0 + Array(", ".utf8) + value } ?? value
        }
        return found
    }

    /// A moment in seconds since 1970, as Chromium writes it, or in milliseconds, as Playwright does.
    var moment: Timestamp? {
        guard case .number(let text) = self else { return nil }
        if let seconds = nanoseconds, seconds.magnitude < Self.mostSeconds { return Timestamp(nanoseconds: seconds) }
        // A number of milliseconds is at most 2^53 in the programs that write it so.
        guard let milliseconds = Double(String(decoding: text, as: UTF8.self)), milliseconds.magnitude < 9e12 else { return nil }
        let whole = milliseconds.rounded(.towardZero)
        return Timestamp(nanoseconds: Int64(whole) * 1_000_000 + Int64(((milliseconds - whole) * 1_000).rounded()) * 1_000)
    }

    /// 2128: later ones have been milliseconds since 1970.
    private static var mostSeconds: UInt64 { 5_000_000_000_000_000_000 }
}
