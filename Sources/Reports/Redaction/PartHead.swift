import Dissection

/// The head of a part of multipart/form-data, as far as it names the part (RFC 7578, section 4.2; RFC 2183, section 2).
struct PartHead {
    enum Content {
        /// A secret, from here on.
        case secret(Int)
        /// It has another name, that ends here.
        case other(Int)
        /// What follows has to be known.
        case unknown
    }

    let text: [UInt8]
    let bounds: Range<Int>
    let isLast: Bool
    private(set) var steps = 0

    private static let longestHead = 2_048

    init(_ text: [UInt8], _ bounds: Range<Int>, isLast: Bool) {
        self.text = text
        self.bounds = bounds
        self.isLast = isLast
    }

    /// Whether this is the parameter `name` of a Content-Disposition, which may be folded.
    mutating func isName(_ name: ArraySlice<UInt8>) -> Bool {
        guard name.count == 4, isWord(name.startIndex, "name") else { return false }
        let floor = max(bounds.lowerBound, name.startIndex - SecretScan.mostContext)
        var index = name.startIndex
        defer { steps += name.startIndex - index }
        while index > floor {
            index -= 1
            if isWord(index, "form-data") { return true }
            if text[index] == 0x0a, !isBlank(index + 1) { return isWord(index + 1, "content-disposition") }
        }
        return index == bounds.lowerBound && isWord(index, "content-disposition")
    }

    /// What a part holds whose name begins at a byte.
    ///
    /// - Parameter isExtended: as `name*=UTF-8''x` has it (RFC 8187, section 3.2).
    mutating func content(namedFrom afterSign: Int, isExtended: Bool) -> Content {
        let end = bounds.upperBound
        var start = afterSign
        while start < end, isBlank(start) { start += 1 }
        guard start < end else { return isLast ? .other(end) : .unknown }
        let isQuoted = text[start] == 0x22 || text[start] == 0x27 && !isExtended
        var close = isQuoted ? start + 1 : start
        let first = close
        let most = min(end, close + SecretNames.longest)
        while close < most, isQuoted ? text[close] != text[start] || text[close - 1] == 0x5c : text[close] != 0x3b && !text[close].isSpace {
            close += 1
        }
        steps += close - afterSign
        if close == end, !isLast { return .unknown }
        var name = text[first..<close]
        if isExtended, let quote = name.lastIndex(of: 0x27) { name = name[(quote + 1)...] }
        let isSecret = SecretNames.isSecret(name, in: .query) || SecretNames.isSecret(name.filter { $0 != 0x5c }[...], in: .query)
        return isSecret ? secret(after: close) : .other(close)
    }

    /// What follows the lines of the head that are left, and the empty one.
    private mutating func secret(after close: Int) -> Content {
        let end = bounds.upperBound
        var index = close
        let last = min(end, close + Self.longestHead)
        defer { steps += index - close }
        while index < last {
            if text[index] == 0x0a {
                let next = index + 1 < end && text[index + 1] == 0x0d ? index + 2 : index + 1
                if next < end, text[next] == 0x0a { return .secret(next + 1) }
            }
            index += 1
        }
        return last == end && !isLast ? .unknown : .other(close)
    }

    private func isBlank(_ index: Int) -> Bool { index < bounds.upperBound && (text[index] == 0x20 || text[index] == 0x09) }

    private func isWord(_ index: Int, _ word: StaticString) -> Bool {
        let word = word.bytes
        guard index >= bounds.lowerBound, index + word.byteCount <= bounds.upperBound else { return false }
        for offset in 0..<word.byteCount where text[index + offset] | 0x20 != word[offset] { return false }
        return true
    }
}

extension SecretScan {
    /// Hides the part of multipart/form-data whose name follows a sign; nil where none does.
    mutating func part(named name: ArraySlice<UInt8>, at sign: Int, from afterSign: Int) -> Step? {
        var head = PartHead(text, bounds, isLast: isLast)
        defer { count(head.steps) }
        guard head.isName(name) else { return nil }
        switch head.content(namedFrom: afterSign, isExtended: name.endIndex < sign && text[name.endIndex] == 0x2a) {
        case .secret(let start): return value(from: start, .part, lookedFor: sign)
        case .other(let place): return .on(place)
        case .unknown: return waits(sign)
        }
    }
}
