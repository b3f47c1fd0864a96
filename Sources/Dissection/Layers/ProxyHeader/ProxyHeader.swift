/// The header that a load balancer sends before the client's bytes, so that the server learns the client's address: the
/// PROXY protocol of HAProxy (proxy-protocol.txt), version 1 in text, version 2 in binary.
///
/// ```
/// PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n
/// 0d 0a 0d 0a 00 0d 0a 51 55 49 54 0a | 21 | 11 | 00 0c | two addresses, two ports | TLVs
/// signature                             version family length
///                                       command
/// ```
struct ProxyHeader {
    /// Which version; 1 or 2.
    var version: UInt8
    /// Bytes of the header.
    var length: Int
    /// The client's address and the one that it asked for, as text; empty where the header names none: the proxy speaks
    /// for itself (a health check), or does not know.
    var client: [UInt8] = []
    var server: [UInt8] = []

    enum Reading {
        case whole(ProxyHeader)
        case unfinished
        /// It begins like a header, and is none.
        case malformed
    }

    /// The longest header of version 1, its line end included (proxy-protocol.txt, section 2.1).
    private static let longestText = 107
    /// Bytes of the path of a Unix socket, filled up with zeros (section 2.2).
    private static let longestPath = 108
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// So many bytes say whether such a header begins.
    static let decisiveBytes = 13

    /// Whether a client's first bytes begin such a header.
    static func begins(_ bytes: RawSpan) -> Recognized {
        guard bytes.byteCount > 0 else { return .undecided }
        if bytes[0] == signature[0] {
            for index in 0..<min(signature.count, bytes.byteCount) where bytes[index] != signature[index] { return .no }
            guard bytes.byteCount > signature.count else { return .undecided }
            return bytes[signature.count] >> 4 == 2 ? .yes : .no
        }
        guard bytes[0] == UInt8(ascii: "P") else { return .no }
        var answer = Recognized.no
        for start in ["PROXY TCP4 ", "PROXY TCP6 ", "PROXY UNKNOWN"] as [StaticString] {
            let count = min(start.utf8CodeUnitCount, bytes.byteCount)
            var isSame = true
            // A static string has as many bytes as it says.
            for index in 0..<count where unsafe bytes[index] != start.utf8Start[index] { isSame = false }
            guard isSame else { continue }
            if count == start.utf8CodeUnitCount { return .yes }
            answer = .undecided
        }
        return answer
    }

    /// Reads the header that a client's first bytes begin.
    static func read(_ bytes: RawSpan) -> Reading {
        guard bytes.byteCount > 0 else { return .unfinished }
        return bytes[0] == signature[0] ? readBinary(bytes) : readText(bytes)
    }

    // MARK: - Version 1

    private static func readText(_ bytes: RawSpan) -> Reading {
        let end = min(bytes.byteCount, longestText)
        guard let lineFeed = bytes.firstIndex(of: 0x0A, from: 0, to: end) else {
            return bytes.byteCount < longestText ? .unfinished : .malformed
        }
        guard lineFeed > 0, bytes[lineFeed - 1] == 0x0D else { return .malformed }
        var header = ProxyHeader(version: 1, length: lineFeed + 1)
        var words: [Range<Int>] = []
        var position = 0
        while position < lineFeed - 1 {
            let space = bytes.firstIndex(of: 0x20, from: position, to: lineFeed - 1) ?? lineFeed - 1
            words.append(position..<space)
            position = space + 1
        }
        if bytes[6] == UInt8(ascii: "U") { return .whole(header) }
        guard words.count == 6, let from = port(bytes, words[4]), let to = port(bytes, words[5]) else { return .malformed }
        let isSix = bytes[9] == UInt8(ascii: "6")
        guard isAddress(bytes, words[2], isSix), isAddress(bytes, words[3], isSix) else { return .malformed }
        header.client = endpoint(copy(bytes, words[2]), isSix, from)
        header.server = endpoint(copy(bytes, words[3]), isSix, to)
        return .whole(header)
    }

    private static func port(_ bytes: RawSpan, _ word: Range<Int>) -> UInt16? {
        guard (1...5).contains(word.count) else { return nil }
        var number: UInt32 = 0
        for index in word {
            guard bytes[index].isDigit else { return nil }
            number = number * 10 + UInt32(bytes[index] &- 0x30)
        }
        return UInt16(exactly: number)
    }

    /// Whether a word has the characters of an address of its family; what it means is for the reader.
    private static func isAddress(_ bytes: RawSpan, _ word: Range<Int>, _ isSix: Bool) -> Bool {
        guard word.count >= 2 else { return false }
        var points = 0
        var colons = 0
        for index in word {
            switch bytes[index] {
            case UInt8(ascii: "."): points += 1
            case UInt8(ascii: ":"): colons += 1
            case let byte: guard isSix ? byte.hexValue != nil : byte.isDigit else { return false }
            }
        }
        return isSix ? colons >= 2 : points == 3 && colons == 0
    }

    // MARK: - Version 2

    private static func readBinary(_ bytes: RawSpan) -> Reading {
        let fixed = signature.count + 4
        guard bytes.byteCount >= fixed else { return .unfinished }
        let command = bytes[signature.count] & 0x0F
        let family = bytes[signature.count + 1] >> 4
        let length = Int(bytes.bigEndianUInt16(at: signature.count + 2))
        var header = ProxyHeader(version: 2, length: fixed + length)
        let width = family == 1 ? 4 : family == 2 ? 16 : 0
        guard command <= 1, family <= 3, command == 0 || length >= (family == 3 ? 2 * longestPath : width == 0 ? 0 : width * 2 + 4) else {
            return .malformed
        }
        guard bytes.byteCount >= header.length else { return .unfinished }
        // LOCAL: what follows the length is not to be looked at.
        guard command == 1 else { return .whole(header) }
        if family == 3 {
            header.client = socketPath(bytes, fixed..<fixed + longestPath)
            header.server = socketPath(bytes, fixed + longestPath..<fixed + 2 * longestPath)
        }
        guard width > 0 else { return .whole(header) }
        let ports = fixed + width * 2
        header.client = endpoint(text(bytes, fixed..<fixed + width), width == 16, bytes.bigEndianUInt16(at: ports))
        header.server = endpoint(text(bytes, fixed + width..<ports), width == 16, bytes.bigEndianUInt16(at: ports + 2))
        return .whole(header)
    }

    // MARK: - Text

    private static func copy(_ bytes: RawSpan, _ range: Range<Int>) -> [UInt8] {
        var copy: [UInt8] = []
        copy.append(copying: bytes.extracting(range))
        return copy
    }

    /// The address of a Unix socket: its path up to the first zero; after a zero, with `@` for that, a name that is no path.
    private static func socketPath(_ bytes: RawSpan, _ range: Range<Int>) -> [UInt8] {
        let isAbstract = bytes[range.lowerBound] == 0
        let start = range.lowerBound + (isAbstract ? 1 : 0)
        let end = bytes.firstIndex(of: 0, from: start, to: range.upperBound) ?? range.upperBound
        return Array("unix:".utf8) + (isAbstract && end > start ? [UInt8(ascii: "@")] : []) + copy(bytes, start..<end)
    }

    private static func endpoint(_ address: [UInt8], _ isSix: Bool, _ port: UInt16) -> [UInt8] {
        let digits = Array(String(port).utf8)
        return isSix ? [0x5B] + address + [0x5D, 0x3A] + digits : address + [0x3A] + digits
    }

    private static func text(_ bytes: RawSpan, _ range: Range<Int>) -> [UInt8] {
        Array((IPAddress(networkBytes: copy(bytes, range))?.literal ?? "").utf8)
    }
}
