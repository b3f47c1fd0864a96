import Dissection

// User and password in URLs, however their slashes are written.

extension SecretScan {
    /// User and password of a URL are no longer.
    private static let longestUserinfo = 1_024

    /// Two slashes that may stand behind a byte.
    enum Slashes {
        /// The first byte after them.
        case end(Int, isEncoded: Bool)
        case none
        /// The text ends before it is known.
        case unknown
    }

    /// `//`, `\/\/`, `\u002f\u002f` or `%2F%2F`.
    func slashes(from start: Int) -> Slashes {
        var (index, isEncoded) = (start, false)
        for _ in 0..<2 {
            guard index < end else { return isLast ? .none : .unknown }
            switch text[index] {
            case 0x2f: index += 1
            case 0x5c:
                var escape = index
                while escape < end, text[escape] == 0x5c, escape - index < Self.mostBackslashes { escape += 1 }
                if escape < end, text[escape] == 0x2f {
                    index = escape + 1
                } else if isLine(escape, "u002f") || isLine(escape, "u002F") {
                    index = escape + 5
                } else {
                    return escape == end && !isLast || isBeginning(of: "u002f", escape) ? .unknown : .none
                }
            case 0x25:
                guard let code = ValueEnd.encoded(text, index, end), code.byte == 0x2f else {
                    return !isLast && index + 24 > end ? .unknown : .none
                }
                index += code.length
                isEncoded = true
            case _: return .none
            }
        }
        return .end(index, isEncoded: isEncoded)
    }

    /// `//user:password@`, which has no scheme before it.
    mutating func schemeless(at index: Int) -> Step {
        if index > bounds.lowerBound {
            switch text[index - 1] {
            // White space, quotes, `(`, `,`, `<`, `=`, `>`
            case 0x09, 0x0a, 0x0d, 0x20, 0x22, 0x27, 0x28, 0x2c, 0x3c, 0x3d, 0x3e: break
            case _: return .on(index + 1)
            }
        }
        if isBeginning(of: "//", index) { return waits(index) }
        guard isLine(index, "//") else { return .on(index + 1) }
        return userinfo(behind: index, index + 2, needsPassword: true) ?? .on(index + 2)
    }

    /// `user:password@`, behind the slashes of a URL. `nil` where nothing of that kind is there.
    mutating func userinfo(behind anchor: Int, _ start: Int, isEncoded: Bool = false, needsPassword: Bool = false) -> Step? {
        var (index, sign, colon): (Int, Int?, Int?) = (start, nil, nil)
        let most = min(end, start + Self.longestUserinfo)
        looking: while index < most {
            var (byte, length) = (text[index], 1)
            if byte == 0x5c {
                // A character as JSON escapes it.
                var escape = index
                while escape < end, text[escape] == 0x5c, escape - index < Self.mostBackslashes { escape += 1 }
                if escape + 5 > end, !isLast, escape == end || text[escape] == 0x75 { return .more(from: anchor, told: start) }
                guard let code = ValueEnd.escaped(text, escape, end) else { break }
                (byte, length) = (code, escape + 5 - index)
            } else if isEncoded, byte == 0x25, let code = ValueEnd.encoded(text, index, end) {
                (byte, length) = (code.byte, code.length)
                // A space is one in a form.
                if byte == 0x20 { byte = 0x2b }
            }
            switch byte {
            case 0...0x20, 0x2f, 0x3f, 0x23, 0x22, 0x3c, 0x3e, 0x5c: break looking
            case 0x40: sign = index
            case 0x3a: if sign == nil { colon = index }
            case _: break
            }
            index += length
        }
        count(index - start)
        if index >= end, !isLast { return .more(from: anchor, told: start) }
        if sign == nil, index >= end, isCut, colon != nil { sign = end }
        guard let sign, !needsPassword || colon != nil else { return nil }
        if sign > start { add(start..<sign) }
        return .on(max(sign, start))
    }
}
