/// The first lines of messages in words: what a search for messages holds against each line. Stricter than the machines that cut, so that a
/// line that happens to begin alike is not taken for one.
enum MessageWords {
    /// The words of a line, without its end; nil while it has none.
    static func words(_ bytes: RawSpan, from start: Int = 0) -> (words: [[UInt8]], next: Int, isCRLF: Bool)? {
        var words: [[UInt8]] = []
        var word: [UInt8] = []
        for index in start..<bytes.byteCount {
            let byte = bytes[index]
            if byte == 0x0A {
                let isCRLF = word.last == 0x0D
                if isCRLF { word.removeLast() }
                if !word.isEmpty { words.append(word) }
                return (words, index + 1, isCRLF)
            }
            if byte == 0x20 || byte == 0x09 {
                if !word.isEmpty { words.append(word) }
                word = []
            } else {
                word.append(byte)
            }
        }
        return nil
    }

    static func number(_ word: some Collection<UInt8>) -> UInt64? {
        guard (1...10).contains(word.count) else { return nil }
        var number: UInt64 = 0
        for byte in word {
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + UInt64(byte - 0x30)
        }
        return number
    }
}
