/// The form of a request target (RFC 9112, section 3.2), judged by the method that it goes with.
enum HTTP1Target {
    enum Verdict: Equatable {
        case wellFormed
        /// Not a form that the method allows.
        case wrongForm
        /// A byte that no URI has (RFC 3986, section 2).
        case badCharacter(UInt8)
    }

    static func judge(_ head: RawSpan, _ line: RequestLine) -> Verdict {
        let target = line.target.start..<line.target.end
        guard let first = target.first else { return .wrongForm }
        for index in target where isForbidden(head[index]) { return .badCharacter(head[index]) }
        let isConnect = line.method.count == 7 && head.hasPrefix("connect", at: line.method.start)
        if isConnect { return isAuthority(head, target) ? .wellFormed : .wrongForm }
        switch head[first] {
        case UInt8(ascii: "/"): return .wellFormed
        case UInt8(ascii: "*"):
            let isOptions = line.method.count == 7 && head.hasPrefix("options", at: line.method.start)
            return isOptions && target.count == 1 ? .wellFormed : .wrongForm
        default: return hasScheme(head, target) || isOpaque(head, target) ? .wellFormed : .wrongForm
        }
    }

    /// Control characters, non-ASCII, the delimiters that RFC 3986 leaves out, and `#`, which begins a fragment.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x20, 0x09: false
        case 0..<0x20, 0x7F...0xFF: true
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"), UInt8(ascii: "^"),
            UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "#"):
            true
        default: false
        }
    }

    /// An absolute URI without an authority, such as `urn:isbn:…` (RFC 3986, section 4.3); what looks like host and port is none.
    private static func isOpaque(_ head: RawSpan, _ target: Range<Int>) -> Bool {
        guard let colon = target.first(where: { head[$0] == UInt8(ascii: ":") }), colon + 1 < target.upperBound, !isAuthority(head, target)
        else { return false }
        guard head[target.lowerBound].lowercased &- 0x61 < 26 else { return false }
        return (target.lowerBound..<colon).allSatisfy { index in
            let byte = head[index]
            return byte.isDigit || byte.lowercased &- 0x61 < 26 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    /// host ":" port, the port in digits.
    private static func isAuthority(_ head: RawSpan, _ target: Range<Int>) -> Bool {
        var index = target.upperBound
        while index > target.lowerBound, head[index - 1].isDigit { index -= 1 }
        guard index < target.upperBound, index > target.lowerBound + 1, head[index - 1] == UInt8(ascii: ":") else { return false }
        for position in target where head[position] == UInt8(ascii: "/") || head[position] == UInt8(ascii: "@") { return false }
        return true
    }

    /// Whether the bytes from `start` on may be the beginning of a target that makes an unknown method a request: a path, an
    /// asterisk, or a scheme that may go on.
    static func mayBegin(_ bytes: RawSpan, from start: Int) -> Bool {
        guard start < bytes.byteCount else { return true }
        if bytes[start] == UInt8(ascii: "/") || bytes[start] == UInt8(ascii: "*") { return true }
        var index = start
        // Longer than any scheme there is.
        while index < bytes.byteCount, index - start < 32 {
            let byte = bytes[index]
            if byte == UInt8(ascii: ":") { return true }
            let isLetter = byte.lowercased &- 0x61 < 26
            let isOther = byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            guard isLetter || index > start && isOther else { return false }
            index += 1
        }
        return index == bytes.byteCount
    }

    /// scheme ":" (RFC 3986, section 3.1), with something behind it.
    static func hasScheme(_ head: RawSpan, _ target: Range<Int>) -> Bool {
        guard head[target.lowerBound].lowercased &- 0x61 < 26 else { return false }
        var index = target.lowerBound
        while index < target.upperBound {
            let byte = head[index]
            if byte == UInt8(ascii: ":") { return head.hasPrefix("://", at: index) && index + 3 < target.upperBound }
            guard
                byte.isDigit || byte.lowercased &- 0x61 < 26 || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: ".")
            else { return false }
            index += 1
        }
        return false
    }
}

/// The methods of the IANA registry (RFC 9110, section 16.1.1) that go over HTTP/1.
enum HTTP1Methods {
    /// Whether what stands there is no method that there is, but the end of a usual one whose first letters may be missing.
    static func isRest(_ head: RawSpan, _ method: ByteRange) -> Bool {
        func isEnd(of text: StaticString) -> Bool {
            let missing = text.utf8CodeUnitCount - method.count
            guard missing > 0 else { return false }
            for index in 0..<method.count {
                // A static string has as many bytes as it says.
                if unsafe head[method.start + index].lowercased != text.utf8Start[missing + index] { return false }
            }
            return true
        }
        guard !isRegistered(head, method) else { return false }
        return isEnd(of: "get") || isEnd(of: "head") || isEnd(of: "post") || isEnd(of: "put") || isEnd(of: "connect")
            || isEnd(of: "delete") || isEnd(of: "options") || isEnd(of: "patch") || isEnd(of: "trace")
    }

    static func isRegistered(_ head: RawSpan, _ method: ByteRange) -> Bool {
        let range = method.start..<method.end
        func isOne(_ first: StaticString) -> Bool { head.equals(first, in: range) }
        switch method.count {
        case 3: return isOne("get") || isOne("put") || isOne("acl") || isOne("pri")
        case 4: return isOne("post") || isOne("head") || isOne("bind") || isOne("copy") || isOne("link") || isOne("lock") || isOne("move")
        case 5: return isOne("patch") || isOne("trace") || isOne("label") || isOne("merge") || isOne("mkcol") || isOne("query")
        case 6:
            return isOne("delete") || isOne("rebind") || isOne("report") || isOne("search") || isOne("unbind") || isOne("unlink")
                || isOne("unlock") || isOne("update")
        case 7: return isOne("options") || isOne("connect") || isOne("checkin")
        case 8: return isOne("checkout") || isOne("propfind")
        case 9: return isOne("proppatch")
        case 10: return isOne("mkactivity") || isOne("mkcalendar") || isOne("orderpatch") || isOne("uncheckout")
        case 11: return isOne("mkworkspace")
        case 13: return isOne("mkredirectref")
        case 15: return isOne("version-control")
        case 16: return isOne("baseline-control")
        case 17: return isOne("updateredirectref")
        default: return false
        }
    }
}
