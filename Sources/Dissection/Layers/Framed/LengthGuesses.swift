/// Whether the first bytes of both sides are messages with a length in front: each likely form of a length is followed through them, and given
/// up as soon as it does not fit. A turn has to end where a message does.
///
/// ```
/// client  00 00 00 05 h e l l o                       u32be fits, and so it does in the answer: two messages, two turns
/// server                       00 00 00 02 o k        u16be (0, 5, …) does not: a turn ends inside of a message
/// ```
struct LengthGuesses {
    private struct Candidate {
        var prefix: LengthPrefix
        var client: LengthCutter
        var server: LengthCutter
        /// Messages with a payload, of each side.
        var messages: (client: Int, server: Int) = (0, 0)
        var empty = 0
        /// Messages of one byte.
        var singles = 0
        /// Turns that ended with a message.
        var turns = 0
        /// Pauses of a side before its next bytes, all of them where a message had ended; nil once one was inside of a message.
        var pauses: Int? = 0
        var firstLength: UInt64?
        /// Of a header with more than the length: how each message begins.
        var magic: (UInt8, UInt8)?
        var lengthsDiffer = false
        /// Bytes of all payloads.
        var payloadBytes: UInt64 = 0
        /// It is followed on while bytes are shown as they come, and has to fit better.
        var isWeak: Bool
        /// Whether a message has ended in the turn under way, and another has begun.
        var isInside = false
        var hasMessage = false

        init(_ prefix: LengthPrefix, isWeak: Bool) {
            self.prefix = prefix
            self.isWeak = isWeak
            client = LengthCutter(prefix)
            server = LengthCutter(prefix)
        }

        /// Whether messages come one by one.
        var isPaced: Bool { pauses ?? 0 >= LengthGuesses.leastPauses }

        /// Whether so much fits that chance has no part in it.
        ///
        /// Four bytes that are exactly the length of a turn, once on each side, happen by chance once in 2^40 times. Of two bytes and of one
        /// that says less, more is wanted.
        var isCertain: Bool {
            let all = messages.client + messages.server
            let isBoth = messages.client > 0 && messages.server > 0
            if isWeak {
                guard isBoth, lengthsDiffer, empty * 4 <= all, turns >= 4, all >= 6 else { return false }
                // A byte is soon the length of what follows, where numbers are small.
                return prefix.width != .u8 || turns >= 8 && payloadBytes >= UInt64(6 * all)
            }
            switch prefix.width {
            case .u32be, .u32le, .u64be, .u64le:
                if prefix.offset > 0 { fallthrough }
                return empty <= all && (isBoth && turns >= 2 || all >= 4 && (turns >= 1 || isPaced) || all >= 16)
            // Structures with many zeros fit a length of one byte, whose messages are mostly empty then.
            // So do small numbers, whose messages are short then.
            case _:
                // A type of 1 and a short length of two bytes, such as 01 00 05: each message would have one of a single byte before it.
                if prefix.width == .varint, singles * 2 >= all { return false }
                return empty * 4 <= all && isBoth && all >= 4 && turns >= 4 && lengthsDiffer && payloadBytes >= UInt64(3 * all)
            }
        }
    }

    /// A side that sends alone has no turns, but its messages come one by one: each pause is where one has ended.
    static let leastPauses = 3

    /// Lengths of eight bytes, of four, three and two, and varints; longer messages do not wait so long.
    private static let forms: [LengthPrefix] = [
        // Eight bytes first: of shorter ones in them, each message would have an empty one before it.
        LengthPrefix(.u64be, most: 1 << 20), LengthPrefix(.u64le, most: 1 << 20),
        LengthPrefix(.u64be, countsItself: true, most: 1 << 20), LengthPrefix(.u64le, countsItself: true, most: 1 << 20),
        LengthPrefix(.u32be, most: 1 << 20), LengthPrefix(.u32le, most: 1 << 20),
        LengthPrefix(.u32be, countsItself: true, most: 1 << 20), LengthPrefix(.u32le, countsItself: true, most: 1 << 20),
        // A magic number and a type, then the length.
        LengthPrefix(.u32be, offset: 4, most: 65_535), LengthPrefix(.u32le, offset: 4, most: 65_535),
        LengthPrefix(.u24be, most: 65_535), LengthPrefix(.u24le, most: 65_535),
        LengthPrefix(.u24be, countsItself: true, most: 65_535), LengthPrefix(.u24le, countsItself: true, most: 65_535),
        LengthPrefix(.u16be, most: 8_191), LengthPrefix(.u16le, most: 8_191),
        LengthPrefix(.u16be, countsItself: true, most: 8_191), LengthPrefix(.u16le, countsItself: true, most: 8_191),
        LengthPrefix(.varint, most: 16_383),
    ]

    /// Lengths of one byte, and those after a type of one byte or two, which says nothing by itself. Nothing waits for them: nearly any bytes
    /// may be a length of one byte for a while.
    private static let weakForms: [LengthPrefix] = [
        LengthPrefix(.u16be, offset: 1, most: 8_191), LengthPrefix(.u16le, offset: 1, most: 8_191),
        LengthPrefix(.u16be, offset: 1, countsItself: true, most: 8_191), LengthPrefix(.u16le, offset: 1, countsItself: true, most: 8_191),
        LengthPrefix(.u16be, offset: 2, most: 8_191), LengthPrefix(.u16le, offset: 2, most: 8_191),
        LengthPrefix(.u16be, offset: 2, countsItself: true, most: 8_191), LengthPrefix(.u16le, offset: 2, countsItself: true, most: 8_191),
        LengthPrefix(.u32be, offset: 1, most: 1 << 20), LengthPrefix(.u32le, offset: 1, most: 1 << 20),
        LengthPrefix(.u32be, offset: 1, countsItself: true, most: 1 << 20),
        LengthPrefix(.u32le, offset: 1, countsItself: true, most: 1 << 20),
        LengthPrefix(.u32be, offset: 2, most: 1 << 20), LengthPrefix(.u32le, offset: 2, most: 1 << 20),
        LengthPrefix(.u32be, offset: 2, countsItself: true, most: 1 << 20),
        LengthPrefix(.u32le, offset: 2, countsItself: true, most: 1 << 20),
        LengthPrefix(.u8, most: 255), LengthPrefix(.u8, countsItself: true, most: 255), LengthPrefix(.u8, offset: 1, most: 255),
    ]

    /// What is followed on in bytes that are shown as they come.
    static var weak: Self { Self(weakForms, isWeak: true) }

    init() { self.init(Self.forms, isWeak: false) }

    private init(_ forms: [LengthPrefix], isWeak: Bool) { candidates = forms.map { Candidate($0, isWeak: isWeak) } }

    private var candidates: [Candidate]
    private var firsts: (client: UInt8?, server: UInt8?)
    private var counts = (client: 0, server: 0)
    private var speaker: Side?
    /// The form that was the first to be certain, with room for longer messages.
    private(set) var decided: LengthPrefix?

    /// No form fits any more.
    var isOver: Bool { candidates.isEmpty }

    var heldBytes: Int { candidates.capacity * MemoryLayout<Candidate>.stride }

    /// The other side has spoken; now `side` does.
    mutating func endTurn(before side: Side) {
        if let speaker, speaker != side { endTurn() }
        speaker = side
    }

    /// The side that spoke last goes on after a pause.
    mutating func pause() {
        for index in candidates.indices {
            if candidates[index].isInside {
                candidates[index].pauses = nil
            } else if let pauses = candidates[index].pauses {
                candidates[index].pauses = pauses + 1
            }
        }
    }

    /// Whether messages of one form may come one by one, and a few more make it certain: bytes that wait do so no longer in vain.
    ///
    /// Of lengths that say so much by themselves: those of four and eight bytes.
    var mayBePaced: Bool {
        candidates.contains { candidate in
            guard candidate.prefix.offset == 0, !candidate.isWeak, let pauses = candidate.pauses, pauses > 0 else { return false }
            switch candidate.prefix.width {
            case .u32be, .u32le, .u64be, .u64le: return candidate.messages.client + candidate.messages.server >= max(1, candidate.empty)
            case _: return false
            }
        }
    }

    /// A side has ended.
    mutating func finish(_ side: Side) {
        guard speaker == side else { return }
        endTurn()
        speaker = nil
    }

    private mutating func endTurn() {
        candidates.removeAll { $0.isInside }
        for index in candidates.indices {
            if candidates[index].hasMessage { candidates[index].turns += 1 }
            candidates[index].hasMessage = false
            if candidates[index].isCertain { decide(candidates[index]) }
        }
    }

    /// The form that is certain where a turn has just ended, with room for longer messages.
    var certain: LengthPrefix? { candidates.first { $0.isCertain && !$0.isInside }.map { Self.prefix(of: $0) } }

    private static func prefix(of candidate: Candidate) -> LengthPrefix {
        LengthPrefix(candidate.prefix.width, offset: candidate.prefix.offset, countsItself: candidate.prefix.countsItself)
    }

    private mutating func decide(_ candidate: Candidate) {
        guard decided == nil else { return }
        decided = Self.prefix(of: candidate)
    }

    /// Takes the next bytes of a side. Returns where in them a form became the first to be certain.
    @discardableResult
    mutating func receive(_ bytes: RawSpan, from side: Side) -> Int? {
        guard !candidates.isEmpty, bytes.byteCount > 0 else { return nil }
        var best: (position: Int, candidate: Candidate)?
        var index = 0
        while index < candidates.count {
            let (isAlive, certainAt) = Self.follow(bytes, side, &candidates[index])
            if let certainAt, certainAt < best?.position ?? .max { best = (certainAt, candidates[index]) }
            if isAlive { index += 1 } else { candidates.remove(at: index) }
        }
        noteText(bytes, side)
        guard let best, decided == nil else { return nil }
        decide(best.candidate)
        return best.position
    }

    /// Follows a form through the next bytes: whether it still fits, and where it became certain.
    private static func follow(_ bytes: RawSpan, _ side: Side, _ candidate: inout Candidate) -> (isAlive: Bool, certainAt: Int?) {
        var position = 0
        var certainAt: Int?
        while position < bytes.byteCount {
            let rest = bytes.suffix(from: position)
            let cut = side == .client ? candidate.client.advance(over: rest) : candidate.server.advance(over: rest)
            switch cut {
            case .broken: return (false, certainAt)
            case .inside:
                candidate.isInside = true
                return (true, certainAt)
            case .ends(let count):
                position += count
                let payload = (side == .client ? candidate.client.payload : candidate.server.payload) ?? 0
                if candidate.prefix.offset > 0, !candidate.isWeak {
                    let header = side == .client ? candidate.client.headerBytes : candidate.server.headerBytes
                    guard header.count > 1, header[0] | header[1] > 0, candidate.magic.map({ $0 == (header[0], header[1]) }) ?? true
                    else { return (false, nil) }
                    candidate.magic = (header[0], header[1])
                }
                if side == .client { candidate.client.restart() } else { candidate.server.restart() }
                candidate.isInside = false
                if payload == 0 {
                    candidate.empty += 1
                } else {
                    candidate.hasMessage = true
                    candidate.payloadBytes &+= payload
                    if payload == 1 { candidate.singles += 1 }
                    if side == .client { candidate.messages.client += 1 } else { candidate.messages.server += 1 }
                    if let first = candidate.firstLength, first != payload { candidate.lengthsDiffer = true }
                    candidate.firstLength = payload
                }
                if certainAt == nil, candidate.isCertain { certainAt = position }
            }
        }
        return (true, certainAt)
    }

    /// A side that begins with two printable characters speaks text, which is shown at once: they are not taken for a length. In any form
    /// that would be one of more than 8 KiB, but for a varint: before JSON it is one, which does not begin with another character.
    private mutating func noteText(_ bytes: RawSpan, _ side: Side) {
        let count = side == .client ? counts.client : counts.server
        guard count < 2 else { return }
        let first = count == 0 ? bytes[0] : side == .client ? firsts.client : firsts.server
        let second: UInt8? = count == 1 ? bytes[0] : bytes.byteCount > 1 ? bytes[1] : nil
        if side == .client {
            firsts.client = first
            counts.client += bytes.byteCount
        } else {
            firsts.server = first
            counts.server += bytes.byteCount
        }
        if let first, let second, (0x20...0x7E).contains(first), (0x20...0x7E).contains(second) {
            let isBeforeJSON = Self.beginsJSON(second) && !Self.beginsJSON(first)
            candidates.removeAll { !isBeforeJSON || $0.prefix.width != .varint }
        }
    }

    private static func beginsJSON(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }
}
