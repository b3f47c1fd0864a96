import Dissection

/// A body in base64 whose messages go on from part to part, or are not whole: grpc-web-text (grpc/grpc, PROTOCOL-WEB.md).
///
/// ```
/// part 1            AAABhsJ7InBhZCI6 … InBhc3N3      as it came
/// part 2            b3JkIjoiaHVudGVyMiJ9 …           ⟨redacted:1f3a02⟩
/// ```
///
/// A mark in the middle of base64 would be no base64: a part with a secret in it, or with what may be the beginning of one, is hidden whole.
struct EncodedBody {
    private var run = RedactionRun()
    /// Letters of a group that is not whole.
    private var rest: [UInt8] = []
    /// Bytes before are missing, or were no base64: nobody knows where a group begins.
    private var isAstray = false

    var heldBytes: Int { run.heldBytes + rest.capacity }

    /// Bytes of the body are missing.
    mutating func lose() {
        isAstray = true
        rest = []
    }

    /// Whether the next part may be shown.
    ///
    /// - Parameters:
    ///   - isLast: nothing follows.
    ///   - isCut: what follows is missing.
    mutating func isClean(_ part: [UInt8], _ rules: RedactionRules, isLast: Bool, isCut: Bool, steps: inout Int) -> Bool {
        defer { if isCut { lose() } }
        if part.isEmpty || RedactionMark.isMark(part[...]) { return true }
        guard !isAstray else { return false }
        let letters = rest + part
        let undone = Base64.decodeJoined(letters.rawBytes)
        let end = undone.problem ?? letters.count
        rest = Array(letters[end...])
        steps += letters.count
        let secrets = BinarySecrets(undone.bytes)
        let isBase64 = rest.count < 4
        guard secrets.places == 0, !finds(secrets.bytes, rules, isLast: isLast || !isBase64, isCut: isCut) else { return false }
        if isBase64 { return true }
        // It is something else, perhaps the text of an error.
        lose()
        return !finds(letters, rules, isLast: isLast, isCut: isCut)
    }

    private mutating func finds(_ bytes: [UInt8], _ rules: RedactionRules, isLast: Bool, isCut: Bool) -> Bool {
        let piece = run.take(bytes, as: .text, rules, isLast: isLast, isCut: isCut)
        // What goes on from earlier parts is taken away without a mark of its own.
        return piece.places > 0 || piece.bytes.count != piece.length || run.held > 0
    }
}

extension Redactor {
    /// Hands on a part of a body in base64 that is not whole messages.
    func handEncoded(
        _ part: BodyPart, _ payload: [UInt8], _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void
    ) {
        let isCut = UInt64(payload.count) < event.shown(part.length)
        var isClean = true
        change(event) { talk, key in
            var side = talk.sides.removeValue(forKey: key) ?? RedactedSide()
            var body = side.encoded ?? EncodedBody()
            isClean = body.isClean(payload, rules, isLast: part.final, isCut: isCut && !part.final, steps: &steps)
            side.encoded = body
            side.last = RedactedSide.Last(place: event.place, part: part)
            // A stream of HTTP/2 carries no other body.
            talk.sides[key] = part.final && key.channel.stream != 0 ? nil : side
        }
        let left = isClean ? payload : rules.marks.mark(of: payload[...])
        handBody(part, RedactionRun.Piece(bytes: left, places: isClean ? 0 : 1, length: payload.count), payload, event, hand)
    }

    /// Bytes of a side are missing: those of any of its bodies.
    func loseEncoded(_ event: borrowing ConversationEvent) {
        guard let from = event.from else { return }
        let keys = talks[event.conversation]?.sides.filter { $0.key.side == from && $0.value.framing == .encodedMessages }.map(\.key)
        for key in keys ?? [] { change(event, key) { talk, key in talk.sides[key]?.lose() } }
    }
}
