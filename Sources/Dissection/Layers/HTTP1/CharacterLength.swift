/// Whether the length of a body counts its characters: then as many of its bytes come after its end as its characters have more bytes than one.
///
/// ```
/// Content-Length: 9   { " a " : " C3 A9 " │ }      nine characters, ten bytes
/// ```
///
/// A class, because few bodies have other characters than those of ASCII, and none is made for the others.
final class CharacterLength {
    /// Bytes of the body as its length has them.
    private let announced: UInt64
    /// Bytes of it that continue a character, and those that begin one of four bytes, which is two units of UTF-16.
    private var continuations: UInt64 = 0
    private var wide: UInt64 = 0
    /// Of the bytes after it: all, those that begin a character, and those that begin one of four bytes.
    private var rest: UInt64 = 0
    private var restBegins: UInt64 = 0
    private var restWide: UInt64 = 0
    /// A control character is none of a text.
    private var isText = true
    /// Where the body ends by its length; nil before that.
    var end: UInt64?
    /// Where bytes come after it that are no message.
    var beyond: Arrival?

    /// A longer body is not looked through.
    static let longest: UInt64 = 64 << 10

    init(announced: UInt64) { self.announced = announced }

    /// Takes bytes of the body.
    func add(_ bytes: RawSpan) {
        var index = bytes.firstNonASCII(from: 0)
        while index < bytes.byteCount {
            let byte = bytes[index]
            if byte & 0xC0 == 0x80 { continuations += 1 } else if byte >= 0xF0 { wide += 1 }
            index = bytes.firstNonASCII(from: index + 1)
        }
    }

    /// Takes bytes after it.
    func add(beyond bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            let byte = bytes[index]
            rest += 1
            if byte & 0xC0 != 0x80 { restBegins += 1 }
            if byte >= 0xF0 { restWide += 1 }
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { isText = false }
        }
    }

    /// The length of the body in bytes, where the one that was announced counts characters, or units of UTF-16; nil where it does not.
    var bytes: UInt64? {
        guard rest > 0, continuations > 0, isText else { return nil }
        let isOfCharacters = restBegins == continuations
        let isOfUnits = restBegins + restWide + wide == continuations
        return isOfCharacters || isOfUnits ? announced + rest : nil
    }

    /// The length that was announced.
    var length: UInt64 { announced }
}

extension RawSpan {
    /// The first byte from `start` on that is not ASCII; the end where there is none.
    fileprivate func firstNonASCII(from start: Int) -> Int {
        let others: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index + 32 <= byteCount {
            let first = nativeInteger(at: index, as: UInt64.self) | nativeInteger(at: index + 8, as: UInt64.self)
            let second = nativeInteger(at: index + 16, as: UInt64.self) | nativeInteger(at: index + 24, as: UInt64.self)
            guard (first | second) & others == 0 else { break }
            index += 32
        }
        while index < byteCount {
            if index + 8 <= byteCount, nativeInteger(at: index, as: UInt64.self) & others == 0 {
                index += 8
            } else if self[index] < 0x80 {
                index += 1
            } else {
                return index
            }
        }
        return byteCount
    }

    /// Whether all of it is ASCII.
    fileprivate var isASCII: Bool { firstNonASCII(from: 0) == byteCount }
}

extension FindingRow {
    package static let httpLengthInCharacters = FindingRow(
        id: "http.length-in-characters", severity: .warning, reference: "RFC 9110 8.6",
        detail: "the Content-Length {a} of the message before this counts characters; its body has {b} {b|byte|bytes}",
        explanation: """
            Content-Length is in bytes, and characters that are not ASCII have two to four of them in UTF-8. The sender took the length of \
            a string (`length`, `count`, `len`) and not that of its bytes, so that the receiver reads a body without its end, and the rest is \
            taken for the next message. Reported where the bytes up to the next start line, or the end of the connection, are exactly \
            as many characters, or units of UTF-16, as are missing; for bodies of text, JSON or XML of up to 64 KiB without a content coding.
            """)
}

extension HTTP1Layer {
    /// A body that is read by its length begins.
    mutating func beginCharacters(of side: Side, _ length: UInt64, _ summary: HeadSummary) {
        forgetCharacters(of: side)
        guard length <= CharacterLength.longest, summary.marks.contains(.textBody), summary.codings.isEmpty else { return }
        self[side].marks.insert(.isText)
    }

    /// Some of the body was not seen, or another begins.
    mutating func forgetCharacters(of side: Side) {
        if self[side].characters != nil { self[side].characters = nil }
        self[side].marks.remove(.isText)
    }

    /// Takes bytes of a body that is read by its length.
    mutating func countCharacters(_ bytes: RawSpan, of side: Side) {
        guard self[side].marks.contains(.isText) else { return }
        if self[side].characters == nil {
            guard !bytes.isASCII else { return }
            self[side].characters = CharacterLength(announced: self[side].announced)
        }
        self[side].characters?.add(bytes)
    }

    /// What comes after a body is no message, from `arrival` on.
    mutating func beginBeyond(at arrival: Arrival) {
        guard let characters = self[arrival.side].characters else { return }
        if characters.end == arrival.offset, isBoundaryCertain(arrival.side) {
            characters.beyond = arrival
        } else {
            self[arrival.side].characters = nil
        }
    }

    /// What comes after a body has ended: reports where it is the rest of that.
    ///
    /// - Parameter bytes: what is not counted of it.
    mutating func endBeyond<Sink: ConversationSink & ~Copyable>(
        _ side: Side, _ bytes: RawSpan = RawSpan(), context: inout ConversationContext, sink: inout Sink
    ) {
        guard let characters = self[side].characters else { return }
        self[side].characters = nil
        characters.add(beyond: bytes)
        guard let arrival = characters.beyond, let length = characters.bytes else { return }
        context.emit(.httpLengthInCharacters, a: characters.length, b: length, at: arrival, sink: &sink)
    }

    /// A side has ended in what would be a head: of the rest of a body not even a line is whole.
    mutating func endBeyond<Sink: ConversationSink & ~Copyable>(
        inHeadOf side: Side, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !context.endIsUnseen, self[side].emptyBytes == 0 else { return }
        beginBeyond(at: Arrival(side: side, offset: self[side].start, place: self[side].place))
        let rest = self[side].buffer
        endBeyond(side, rest.rawBytes, context: &context, sink: &sink)
    }
}
