import Dissection
import Reports

/// The way to a value in JSON, or a JSON Pointer (RFC 6901), which begins with a slash.
extension JSONPath {
    /// A way over keys alone.
    init(keys: some Sequence<[UInt8]>) { self.init(steps: keys.map { .key($0) }) }

    /// - Returns: nil with the character at which it is no way.
    static func parse(_ text: String) -> (path: JSONPath?, wrongAt: Int) {
        let path: JSONPath
        if text.hasPrefix("/") {
            // In an array it is a number, in an object a name: a value is asked for both.
            path = JSONPath(
                keys: text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
                    Array($0.replacing("~1", with: "/").replacing("~0", with: "~").utf8)
                })
        } else {
            do throws(Problem) { path = try JSONPath(Array(text.utf8)) } catch {
                return (nil, String(decoding: text.utf8.prefix(error.position), as: UTF8.self).count)
            }
        }
        // One step for each level of JSON that is read.
        return path.steps.count <= JSONCursor.mostLevels ? (path, 0) : (nil, text.count)
    }

    /// The longest name that has to stand in a payload for it to have such a value; nil where there is none. A name of digits may be a place.
    var longestKey: [UInt8]? {
        steps.compactMap { step in
            guard case .key(let key) = step, !key.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
            return key
        }.max { $0.count < $1.count }
    }

    /// Hands on each value that stands there, until one is taken; of JSON that is cut those before the end.
    ///
    /// - Parameter isAny: The whole may be any value; otherwise it has to be an object or an array.
    func visit(_ bytes: RawSpan, isAny: Bool = false, _ take: ValueVisitor) -> Bool {
        var cursor = JSONCursor(bytes)
        cursor.skipBlanks()
        guard let first = cursor.current, isAny || first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return false }
        return visit(bytes, from: cursor.position, 0, take)
    }

    /// - Parameter start: where a value begins, which is looked into by the step `index`.
    private func visit(_ bytes: RawSpan, from start: Int, _ index: Int, _ take: ValueVisitor) -> Bool {
        var cursor = JSONCursor(bytes, at: start)
        guard index < steps.count else {
            guard let range = cursor.value() else { return false }
            return JSONPath.hand(value: bytes.extracting(range), take)
        }
        let isObject = cursor.take(UInt8(ascii: "{"))
        guard isObject || cursor.take(UInt8(ascii: "[")) else { return false }
        if cursor.take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return false }
        var place = 0
        repeat {
            var isIt = false
            if isObject {
                guard let name = cursor.string(), cursor.take(UInt8(ascii: ":")) else { return false }
                isIt = steps[index].isName(bytes.extracting(name))
            } else {
                isIt = steps[index].isPlace(place)
                place += 1
            }
            cursor.skipBlanks()
            if isIt, visit(bytes, from: cursor.position, index + 1, take) { return true }
            guard cursor.value() != nil else { return false }
        } while cursor.take(UInt8(ascii: ","))
        return false
    }

    /// Hands on one value of JSON: an object or an array as it is written.
    private static func hand(value: RawSpan, _ take: ValueVisitor) -> Bool {
        guard value.byteCount > 0 else { return false }
        switch value[0] {
        case UInt8(ascii: "\""):
            let inner = value.extracting(1..<max(1, value.byteCount - 1))
            guard inner.contains(UInt8(ascii: "\\")) else { return take(.text(inner)) }
            let text = inner.unescapedJSON
            return take(.text(text.rawBytes))
        case UInt8(ascii: "t"): return take(.flag(true))
        case UInt8(ascii: "f"): return take(.flag(false))
        case UInt8(ascii: "n"): return take(.nothing)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return take(.text(value))
        case _:
            if let whole = value.smallNumber { return take(.signed(whole)) }
            let digits = String(decoding: value.copy, as: UTF8.self)
            if let whole = Int64(digits) { return take(.signed(whole)) }
            if let whole = UInt64(digits) { return take(.number(whole)) }
            return take(.real(Double(digits) ?? .nan))
        }
    }
}

extension JSONPath.Step {
    /// - Parameter name: as it is written, between its quotes.
    fileprivate func isName(_ name: RawSpan) -> Bool {
        guard case .key(let key) = self else { return self == .anything }
        if !name.contains(UInt8(ascii: "\\")) { return name.isEqual(key.rawBytes) }
        return name.unescapedJSON == key
    }

    func isPlace(_ place: Int) -> Bool {
        switch self {
        case .index(let index): index == place
        case .every, .anything: true
        // Of a pointer.
        case .key(let key): Array(String(place).utf8) == key
        }
    }
}

extension RawSpan {
    /// A whole number of at most 18 digits.
    fileprivate var smallNumber: Int64? {
        let isNegative = self[0] == UInt8(ascii: "-")
        let start = isNegative ? 1 : 0
        guard byteCount > start, byteCount - start <= 18 else { return nil }
        var value: Int64 = 0
        for index in start..<byteCount {
            guard 0x30...0x39 ~= self[index] else { return nil }
            value = value * 10 + Int64(self[index] - 0x30)
        }
        return isNegative ? -value : value
    }

    fileprivate func contains(_ byte: UInt8) -> Bool {
        for index in 0..<byteCount where self[index] == byte { return true }
        return false
    }
}
