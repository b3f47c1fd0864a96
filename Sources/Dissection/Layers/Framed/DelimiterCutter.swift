/// Messages that end with the same bytes (Knuth, Morris, Pratt: each byte is looked at once), or with LF or CRLF.
struct DelimiterCutter: CuttingMachine {
    private let delimiter: ShortBytes
    /// Where to go on in the delimiter after a mismatch, by how much of it had matched.
    private let fallback: [UInt8]
    private var most: UInt64
    private let isLines: Bool
    /// A control character other than those of lines is no part of a message: of what was taken for text.
    var isText = false
    private var matched = 0
    private var came: UInt64 = 0
    private var lastIsCR = false
    /// Bytes of the delimiter that ended the message.
    private(set) var trailer = 0
    /// Bytes of the run that were looked at when the message became too long.
    private(set) var lookedAt = 0

    /// - Parameter delimiter: at least one byte.
    init(_ delimiter: ShortBytes, most: UInt64) {
        self.init(delimiter, most: most, isLines: false)
    }

    /// Ended by LF or CRLF.
    init(lines most: UInt64) { self.init(ShortBytes([0x0A]) ?? ShortBytes(), most: most, isLines: true) }

    private init(_ delimiter: ShortBytes, most: UInt64, isLines: Bool) {
        self.delimiter = delimiter
        self.most = most
        self.isLines = isLines
        var fallback = [UInt8](repeating: 0, count: max(1, delimiter.count))
        var length = 0
        var index = 1
        while index < delimiter.count {
            if delimiter[index] == delimiter[length] {
                length += 1
                fallback[index] = UInt8(length)
                index += 1
            } else if length > 0 {
                length = Int(fallback[length - 1])
            } else {
                index += 1
            }
        }
        self.fallback = fallback
    }

    mutating func restart() {
        matched = 0
        came = 0
        lastIsCR = false
        trailer = 0
    }

    /// Goes on to look for the end of a message that is too long.
    mutating func forgetBound() { most = .max }

    /// As this one, at the beginning of a message of any length.
    var unbound: DelimiterCutter { DelimiterCutter(delimiter, most: .max, isLines: isLines) }

    mutating func advance(over bytes: RawSpan) -> Cut {
        let last = delimiter.count - 1
        for index in 0..<bytes.byteCount {
            let byte = bytes[index]
            while matched > 0, byte != delimiter[matched] { matched = Int(fallback[matched - 1]) }
            if last >= 0, byte == delimiter[matched] { matched += 1 }
            if matched == last + 1 {
                trailer = isLines && lastIsCR ? 2 : last + 1
                return .ends(index + 1)
            }
            if isText, byte < 0x20, byte != 0x09, byte != 0x0D {
                lookedAt = index + 1
                return .broken(.malformed)
            }
            lastIsCR = byte == 0x0D
            came += 1
            if came - UInt64(matched) > most {
                lookedAt = index + 1
                return .broken(.tooLong(came))
            }
        }
        return .inside
    }
}
