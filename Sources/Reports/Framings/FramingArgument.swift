public import Dissection

/// Why the text of a rule is none.
public struct FramingArgumentError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, for after the option and its text.
    public let description: String
}

extension DecodeRule {
    /// Reads a rule of `--framing`: a port, and how its bytes are cut into messages.
    ///
    /// ```
    /// tcp.port=7000=length:u32be                                    both directions alike
    /// tcp.port=7000=length:u16le,self,header=8,offset=2
    /// tcp.port=7000=client=lines;server=delimiter:"\r\n\r\n",max=65536
    /// *=length:varint                                               wherever nothing known is spoken
    /// ```
    public init(framing text: String) throws(FramingArgumentError) {
        guard let rule = PortCondition(text) else {
            throw FramingArgumentError(description: "expected tcp.port=PORT=FRAMING or *=FRAMING, such as tcp.port=7000=lines")
        }
        self.init(port: rule.port, framing: try FramingPair(argument: String(rule.what)))
    }
}

extension FramingPair {
    /// Reads `FRAMING`, or `client=FRAMING;server=FRAMING`.
    init(argument text: String) throws(FramingArgumentError) {
        let parts = text.unquotedParts(at: ";")
        guard parts.contains(where: { $0.hasPrefix("client=") || $0.hasPrefix("server=") }) else {
            let framing = try StreamFraming(argument: text)
            self.init(client: framing, server: framing)
            return
        }
        guard parts.count == 2, let client = parts.first(where: { $0.hasPrefix("client=") }),
            let server = parts.first(where: { $0.hasPrefix("server=") })
        else { throw FramingArgumentError(description: "expected client=FRAMING;server=FRAMING") }
        self.init(
            client: try StreamFraming(argument: String(client.dropFirst(7))),
            server: try StreamFraming(argument: String(server.dropFirst(7))))
    }
}

extension StreamFraming {
    /// Reads how one direction is cut: a word, perhaps with a value after a colon, and options.
    public init(argument text: String) throws(FramingArgumentError) {
        let parts = text.unquotedParts(at: ",")
        let colon = parts[0].firstIndex(of: ":")
        let word = String(parts[0][..<(colon ?? parts[0].endIndex)])
        let value = colon.map { String(parts[0][parts[0].index(after: $0)...]) }
        var options = FramingOptions(Array(parts.dropFirst()))
        switch (word, value) {
        case ("length", let value?): self = .length(try Self.prefix(value, &options))
        case ("delimiter", let value?): self = .delimiter(try Self.delimiter(value), most: try options.takeMost())
        case ("fixed", let value?):
            guard let count = UInt32(value), count > 0, UInt64(count) <= StreamFraming.mostBytes else {
                throw FramingArgumentError(description: "fixed:\(value) is not a number of bytes from 1 to 67108864")
            }
            self = .fixed(count)
        case ("tlv", let value?):
            let type = try Self.width(value)
            guard type != .varint, type.bytes ?? 8 <= 4 else {
                throw FramingArgumentError(description: "a type of tlv has 1 to 4 bytes: u8, u16be, u16le, u24be, u24le, u32be or u32le")
            }
            self = .tlv(type: type, length: try Self.width(try options.takeWord("tlv takes a length: tlv:u8,u16be")))
        case ("lines", nil): self = .lines
        case ("content-length", nil): self = .contentLength
        case ("json", nil): self = .json
        case (_, nil):
            guard let name = FramedProtocol.known.first(where: { "\($0.word)" == word }) else { throw Self.unknown(word) }
            self = .protocol(name)
        case _: throw Self.unknown(word)
        }
        try options.end()
    }

    private static func unknown(_ word: String) -> FramingArgumentError {
        let protocols = FramedProtocol.known.map { "\($0.word)" }.joined(separator: ", ")
        return FramingArgumentError(
            description:
                "\"\(word)\" is not a framing; expected length:WIDTH, delimiter:BYTES, fixed:N, lines, tlv:WIDTH,WIDTH, content-length, json, or one of \(protocols)"
        )
    }

    private static func width(_ text: String) throws(FramingArgumentError) -> LengthPrefix.Width {
        guard let width = LengthPrefix.Width.allCases.first(where: { "\($0.word)" == text }) else {
            let widths = LengthPrefix.Width.allCases.map { "\($0.word)" }.joined(separator: ", ")
            throw FramingArgumentError(description: "\"\(text)\" is not a width; expected one of \(widths)")
        }
        return width
    }

    private static func prefix(_ text: String, _ options: inout FramingOptions) throws(FramingArgumentError) -> LengthPrefix {
        let width = try width(text)
        let countsItself = options.takeFlag("self")
        let offset = try options.takeNumber("offset", 0...UInt64(LengthPrefix.mostHeader - 8))
        let header = try options.takeNumber("header", 1...UInt64(LengthPrefix.mostHeader))
        let most = try options.takeMost()
        let least = (offset ?? 0) + UInt64(width.bytes ?? 1)
        if let header {
            guard width != .varint else {
                throw FramingArgumentError(description: "the header of a varint ends with it; leave header= out")
            }
            guard header >= least else {
                throw FramingArgumentError(description: "a header of \(header) bytes has no room for the length; it ends at byte \(least)")
            }
        }
        return LengthPrefix(
            width, offset: UInt16(offset ?? 0), header: header.map { UInt16($0) }, countsItself: countsItself, most: most)
    }
}

/// The options after a framing, each of which has to be taken.
struct FramingOptions {
    private var parts: [String]

    init(_ parts: [String]) { self.parts = parts }

    mutating func takeFlag(_ name: String) -> Bool {
        guard let index = parts.firstIndex(of: name) else { return false }
        parts.remove(at: index)
        return true
    }

    mutating func takeNumber(_ name: String, _ range: ClosedRange<UInt64>) throws(FramingArgumentError) -> UInt64? {
        guard let index = parts.firstIndex(where: { $0.hasPrefix(name + "=") }) else { return nil }
        let text = parts.remove(at: index).dropFirst(name.count + 1)
        guard let number = UInt64(text), range.contains(number) else {
            throw FramingArgumentError(description: "\(name)=\(text) is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The longest message.
    mutating func takeMost() throws(FramingArgumentError) -> UInt64 {
        try takeNumber("max", 1...UInt64(UInt32.max)) ?? StreamFraming.mostBytes
    }

    /// The next of those that are left.
    mutating func takeWord(_ otherwise: String) throws(FramingArgumentError) -> String {
        guard !parts.isEmpty else { throw FramingArgumentError(description: otherwise) }
        return parts.removeFirst()
    }

    func end() throws(FramingArgumentError) {
        guard let first = parts.first else { return }
        throw FramingArgumentError(description: "\"\(first)\" is not an option of this framing, or there twice")
    }
}
