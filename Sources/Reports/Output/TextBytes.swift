import Dissection

// Text and parts of bytes, as bytes that are borrowed.

extension String {
    /// Lends the text in UTF-8 for a call.
    @inline(__always)
    package func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        var text = self
        // The span is used no longer than the call, in which the text stays as it is.
        return try text.withUTF8 { try unsafe body(RawSpan(_unsafeElements: $0)) }
    }
}

extension StaticString {
    /// The bytes of a literal, which are there as long as the program.
    package var bytes: RawSpan {
        @_lifetime(immortal)
        get { unsafe _overrideLifetime(RawSpan(_unsafeStart: utf8Start, byteCount: utf8CodeUnitCount), copying: ()) }
    }
}

extension RawSpan {
    /// The first bytes, at most so many.
    @inline(__always)
    @_lifetime(copy self)
    package func prefix(_ most: Int) -> RawSpan { byteCount <= most ? self : extracting(0..<max(0, most)) }

    /// How often a byte comes.
    func count(of byte: UInt8) -> Int {
        var found = 0
        for index in 0..<byteCount where self[index] == byte { found += 1 }
        return found
    }

    /// The end of the last whole line; 0 where none has its line feed.
    var wholeLines: Int {
        var end = byteCount
        while end > 0, self[end - 1] != 0x0a { end -= 1 }
        return end
    }

    /// Whether both are the same bytes.
    package func isEqual(_ other: RawSpan) -> Bool {
        guard byteCount == other.byteCount else { return false }
        for index in 0..<byteCount where self[index] != other[index] { return false }
        return true
    }

    /// A copy.
    package var copy: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(copying: self)
        return bytes
    }

    /// Whether the bytes are this word, which is in lower case, whatever their own case is.
    package func isWord(_ word: StaticString) -> Bool {
        let word = word.bytes
        guard byteCount == word.byteCount else { return false }
        for index in 0..<byteCount {
            let byte = self[index]
            if byte | (0x41...0x5a ~= byte ? 0x20 : 0) != word[index] { return false }
        }
        return true
    }
}
