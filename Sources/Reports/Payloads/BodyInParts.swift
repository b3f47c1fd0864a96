import Dissection

/// A body that comes in parts, put together again for the format that reads it.
///
/// A body longer than 64 KiB is told in parts (`BodyPart`), and what a format reads is whole. So:
///
/// ```
/// part 1 ── no format may read it ─────────── nothing is kept
///        ── a picture: its head is enough ─── decoded with this part, nothing is kept
///        ── otherwise ─────────────────────── kept … the last part: decoded with it, and given back
/// ```
///
/// The elements of a body that is streamed (an event, a line, a message of gRPC) are read in the same way, each by itself: one that came in
/// several parts is decoded with the one that ends it. What follows the last of them is no element, and not read.
///
/// At most `mostBytes` of one body are kept, and so much of all together as `PayloadReader` allows; then those that were not used for longest
/// are given up. Such a body, and one of which bytes are missing, is decoded nowhere; where its format is known, an error says why. What is
/// kept belongs to the head before the body, and goes with the next head of its side, or with the conversation.
struct BodyInParts: Sendable {
    /// What may be made of a body, by its first part.
    enum Prospect: Sendable {
        /// Nothing has come yet.
        case unknown
        /// No format reads it.
        case none
        /// The first part is enough.
        case head
        /// A format may read it when it is whole; which one, where that is sure.
        case whole(StaticString?)
    }

    /// What a part makes known.
    enum Turn: Sendable {
        case nothing
        /// The part is all of it.
        case alone
        /// The part is the first one, and enough.
        case head
        /// The body, or the element, is here.
        case whole([UInt8])
        /// It has ended, and cannot be read. After so many bytes that was clear.
        case lost(StaticString, reason: StaticString, at: Int)
    }

    /// Bytes of one body, or of one element of it, that are kept.
    static let mostBytes = 1 << 20

    private static let tooLong: StaticString = "a body, or an element of one, in parts that come to more than 1 MiB is not put together"
    private static let missing: StaticString = "bytes of it are missing, or are not kept"
    private static let givenUp: StaticString = "it was given up, to stay within the memory for bodies that come in parts"

    /// What may be made of it.
    var prospect = Prospect.unknown
    private var bytes: [UInt8] = []
    /// The number of the last part.
    private var last: UInt32 = 0
    /// It has parts that end with an element.
    private var isStreamed = false
    /// Parts before this one belong to what is read.
    private var isBegun = false
    /// What is read has ended with the last part.
    private var isOver = false
    /// Why it cannot be read, and after how many bytes that was clear.
    private var loss: (reason: StaticString, at: Int)?

    /// Bytes of memory that it takes beside itself.
    var heldBytes: Int { bytes.capacity }

    /// Takes the next part, which is not the only one.
    ///
    /// - Parameter isCut: bytes of the part are not at hand.
    mutating func take(_ payload: RawSpan, _ part: BodyPart, isCut: Bool) {
        if isOver { begin() }
        if part.part != last &+ 1 { lose() }
        last = part.part
        if part.element != nil { isStreamed = true }
        isOver = part.element != nil || part.final
        if isOver, !isBegun { return }
        isBegun = true
        guard case .whole = prospect, loss == nil else { return }
        if isCut {
            lose(Self.missing)
        } else if payload.byteCount > Self.mostBytes - bytes.count {
            lose(Self.tooLong)
        } else {
            bytes.append(copying: payload)
        }
    }

    /// What the part that was taken last makes known.
    mutating func turn(of part: BodyPart) -> Turn {
        guard part.part == last else { return .nothing }
        guard isOver else {
            if part.part == 1, case .head = prospect { return .head }
            return .nothing
        }
        // The end of a body whose elements are all told, with its trailers.
        if part.element == nil, isStreamed { return part.length == 0 && !part.trailers.isEmpty ? .alone : .nothing }
        guard isBegun || loss != nil else { return .alone }
        guard case .whole(let format) = prospect else { return .nothing }
        if let loss { return format.map { .lost($0, reason: loss.reason, at: loss.at) } ?? .nothing }
        defer { bytes = [] }
        return .whole(bytes)
    }

    /// What is read now begins with the next part.
    private mutating func begin() {
        isOver = false
        isBegun = false
        loss = nil
        bytes = []
    }

    /// Bytes are lost before the next part. Between two elements it is not known that any is missing of one of them.
    mutating func lose() {
        if isOver || isStreamed && !isBegun { return }
        lose(Self.missing)
    }

    /// Frees what is kept, to stay within the memory for all bodies.
    mutating func giveUp() {
        guard !bytes.isEmpty else { return }
        lose(Self.givenUp)
    }

    private mutating func lose(_ reason: StaticString) {
        if loss == nil { loss = (reason, bytes.count) }
        bytes = []
    }
}

extension PayloadTable {
    /// What may be made of a body that begins with these bytes.
    func prospect(of bytes: RawSpan, in context: PayloadContext) -> BodyInParts.Prospect {
        if let (_, row) = rules.first(where: { $0.rule.fits(context) }) { return row.map { .whole(rows[$0].name) } ?? .none }
        var surest: (row: PayloadRow, likelihood: PayloadLikelihood)?
        for row in rows {
            let likelihood = row.format.likelihood(of: bytes, in: context)
            // The first of several.
            if likelihood > surest?.likelihood ?? .no { surest = (row, likelihood) }
        }
        if let surest {
            var memory = PayloadMemory()
            var head = DecodedPayload(format: surest.row.name)
            if surest.row.format.readsHead { surest.row.format.decode(bytes, in: context, memory: &memory, into: &head) }
            if surest.row.format.readsHead, !head.hasStopped { return .head }
            return .whole(surest.likelihood >= .typed ? surest.row.name : nil)
        }
        // JSON is recognised by its end.
        var first = 0
        while first < bytes.byteCount, bytes[first] <= 0x20 { first += 1 }
        let beginsJSON = first < bytes.byteCount && (bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "["))
        return beginsJSON ? .whole(nil) : .none
    }
}
