/// The header before each message of language servers and debug adapters, byte by byte (Language Server Protocol 3.17, "Header Part"): lines as
/// in HTTP, of which one is `Content-Length`, and an empty line.
///
/// ```
/// Content-Length: 45\r\n Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n \r\n │ { … 45 bytes
/// ```
///
/// Lines may end with LF alone, and there may be others: programs take both.
struct ContentLengthHead {
    enum Step: Equatable {
        /// The header goes on.
        case inside
        /// It is over, and so many bytes follow.
        case ends(UInt64)
        case broken(CutFault)
    }

    /// A longer header is none.
    private static let most = 1_024
    private static let name = Array("content-length".utf8)

    /// The first line has to be `Content-Length`: where a header is searched for.
    private let beginsWithLength: Bool
    /// Bytes so far.
    private(set) var count = 0
    private var isFirstLine = true
    private var isInName = true
    private var nameCount = 0
    /// The name of the line is `Content-Length`, or the beginning of it.
    private var isLength = true
    private var lastIsCR = false
    /// The number of the line, and whether something follows it.
    private var number: UInt64?
    private var isNumberOver = false
    private var length: UInt64?

    init(beginsWithLength: Bool = false) { self.beginsWithLength = beginsWithLength }

    mutating func take(_ byte: UInt8) -> Step {
        count += 1
        guard count <= Self.most else { return .broken(.malformed) }
        if byte == 0x0A { return endLine() }
        guard !lastIsCR else { return .broken(.malformed) }
        if byte == 0x0D {
            lastIsCR = true
            return isInName && nameCount > 0 ? .broken(.malformed) : .inside
        }
        return isInName ? takeName(byte) : takeValue(byte)
    }

    private mutating func endLine() -> Step {
        if isInName {
            guard nameCount == 0, let length else { return .broken(.malformed) }
            return length <= StreamFraming.mostBytes ? .ends(length) : .broken(.tooLong(length))
        }
        if isLength {
            // Twice the same is one, as in HTTP (RFC 9110, section 8.6).
            guard let number, number == length ?? number else { return .broken(.malformed) }
            length = number
        }
        (isFirstLine, isInName, nameCount, isLength, lastIsCR, number, isNumberOver) = (false, true, 0, true, false, nil, false)
        return .inside
    }

    private mutating func takeName(_ byte: UInt8) -> Step {
        if byte == UInt8(ascii: ":") {
            isLength = isLength && nameCount == Self.name.count
            isInName = false
            return nameCount == 0 || beginsWithLength && isFirstLine && !isLength ? .broken(.malformed) : .inside
        }
        isLength = isLength && nameCount < Self.name.count && Self.lowercase(byte) == Self.name[nameCount]
        nameCount += 1
        return !Self.isTokenByte(byte) || beginsWithLength && isFirstLine && !isLength ? .broken(.malformed) : .inside
    }

    private mutating func takeValue(_ byte: UInt8) -> Step {
        let isBlank = byte == 0x20 || byte == 0x09
        guard isLength else { return byte >= 0x20 || isBlank ? .inside : .broken(.malformed) }
        if isBlank {
            isNumberOver = number != nil
            return .inside
        }
        guard !isNumberOver, (0x30...0x39).contains(byte) else { return .broken(.malformed) }
        let (product, isOver) = (number ?? 0).multipliedReportingOverflow(by: 10)
        number = isOver || product > .max - 9 ? .max : product + UInt64(byte - 0x30)
        return .inside
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte + 0x20 : byte }

    /// A byte of a name (RFC 9110, section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"), UInt8(ascii: "'"): true
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        case UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"): true
        case _: false
        }
    }
}

extension ContentLengthHead {
    /// Whether one of the sides has begun so: with a whole header, `Content-Length` first, and an object or array of JSON after it.
    static func begun(client: RawSpan, server: RawSpan) -> Recognized {
        let (one, other) = (begins(client), begins(server))
        if one == .yes || other == .yes { return .yes }
        return one == .undecided || other == .undecided ? .undecided : .no
    }

    private static func begins(_ bytes: RawSpan) -> Recognized {
        guard bytes.byteCount > 0 else { return .no }
        var head = ContentLengthHead(beginsWithLength: true)
        for index in 0..<bytes.byteCount {
            switch head.take(bytes[index]) {
            case .inside: continue
            case .broken: return .no
            case .ends(let length):
                guard length > 0 else { return .no }
                guard index + 1 < bytes.byteCount else { return .undecided }
                let first = bytes[index + 1]
                return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .yes : .no
            }
        }
        return .undecided
    }
}
