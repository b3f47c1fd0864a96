import Dissection

extension TextLine {
    /// The lines of what carries a payload: what it is, how long, how it came, and its content.
    ///
    /// - Parameters:
    ///   - showsWire: Beside the length of what was compressed, the length that it had on the wire.
    ///   - before: bytes of an event or a message that parts before this one had.
    mutating func appendPayloadEvent(
        _ fact: Fact, _ content: RecordContent, decoded: DecodedPayload? = nil, showsWire: Bool, before: UInt64 = 0
    ) {
        switch fact {
        case .message(let message):
            appendLabel(message.opcode == 1 ? "text" : message.opcode == 2 ? "binary" : "message", message.length)
            if message.frame == nil, message.opcode == 0 || message.opcode > 2 {
                append(" opcode ", grouped: UInt64(message.opcode))
            }
            if message.compressed {
                append(" deflated")
                if showsWire { appendWire(message.wireLength) }
            }
            if message.fragments > 1 {
                append(" in ", grouped: UInt64(message.fragments))
                append(" fragments")
            }
            beginPayload()
            if appendWords(of: decoded) { return }
            appendPayload(
                content.bytes, length: content.shown(message.length), policy: content.policy, claim: message.opcode == 1 ? .text : .binary)
        case .ping:
            appendControl("ping", content)
        case .pong(let pong):
            appendControl("pong", content)
            ink(.faint)
            if let roundTrip = pong.roundTrip {
                space(3)
                append(span: roundTrip)
            }
            if pong.unsolicited {
                space(3)
                append("unsolicited")
            }
            ink(.plain)
        case .close(let close):
            append("close")
            pad(to: 7)
            if let code = close.code {
                append { $0.append(decimal: UInt64(code)) }
                pad(to: Column.detail, least: 2)
                appendCodeName(code)
            } else {
                append("no code")
            }
            if !content.bytes.isEmpty, content.policy != .none {
                append(": \"")
                append(said: content.bytes.prefix(content.policy.limit))
                append("\"")
            }
        case .body(let part):
            appendLabel(part.element?.word ?? "body", part.length.clampedSum(before))
            if before > 0 {
                append(", the last ", size: part.length)
            }
            if !part.encoding.isEmpty {
                append(" ", safe: content.part(part.encoding))
                if showsWire { appendWire(part.wireLength) }
            }
            if part.element == nil, part.part > 1 || !part.final {
                append(" part ", grouped: UInt64(part.part))
                if part.final { append(", the last") }
            }
            beginPayload()
            if appendWords(of: decoded) { return }
            appendPayload(of: part, content, isElement: part.element != nil)
        case .data(let run):
            appendLabel("data", run.length)
            if run.isAfterClose { append(" after the reset") }
            beginPayload()
            if appendWords(of: decoded) { return }
            appendPayload(content.bytes, length: content.shown(run.length), policy: content.policy, claim: .binary)
        case .frame(let frame):
            ink(.faint)
            appendLabel("frame", frame.length)
            beginPayload()
            append("opcode ", grouped: UInt64(frame.opcode))
            if frame.fin { append(", fin") }
            for (bit, name) in [(4, ", rsv1"), (2, ", rsv2"), (1, ", rsv3")] as [(UInt8, StaticString)] where frame.rsv & bit != 0 {
                append(name)
            }
            if frame.masked {
                append(", mask ")
                append(hex: frame.maskingKey, least: 8)
            }
            ink(.plain)
        case .opened, .tls, .request, .response, .upgrade, .control, .gap, .finding, .closed: return
        }
    }

    /// The line of what came after the last element of a body that is streamed.
    mutating func appendRest(_ part: BodyPart, _ content: RecordContent) {
        appendLabel("rest", part.length)
        beginPayload()
        appendPayload(of: part, content, isElement: true)
    }

    private mutating func appendPayload(of part: BodyPart, _ content: RecordContent, isElement: Bool) {
        let payload = content.part(part.payload)
        // The line ends that end an element say nothing.
        let whole = isElement && UInt64(payload.byteCount) == content.shown(part.length) ? payload.withoutLineEnds : payload
        let left = UInt64(payload.byteCount - whole.byteCount)
        appendPayload(whole, length: content.shown(part.length) - left, policy: content.policy, claim: .none)
    }

    /// The payload in the words of its protocol; false where it says itself best what it is.
    private mutating func appendWords(of decoded: DecodedPayload?) -> Bool {
        guard let decoded, !decoded.summary.isEmpty, !decoded.hasStopped else { return false }
        append(words: decoded.summary, of: decoded.format)
        return true
    }

    private mutating func append(words: [UInt8], of format: StaticString) {
        ink(.faint)
        append(format)
        space(1)
        ink(.plain)
        append(said: words.rawBytes)
    }

    /// Why a payload is not told in the words of its format: it is shown as it came.
    mutating func appendProblem(_ reason: [UInt8], at position: UInt64, of format: StaticString) {
        ink(.warning)
        append("not readable as ")
        append(format)
        append(": ", safe: reason.rawBytes)
        append(" (byte ", grouped: position)
        append(")")
        ink(.plain)
    }

    /// The line of a body that came in parts, or of what has come of it.
    mutating func appendBody(_ run: BodyRun, _ policy: PayloadPolicy) {
        appendLabel("body", run.length)
        if !run.encoding.isEmpty {
            append(" ", safe: run.encoding.rawBytes)
        }
        if let element = run.element {
            append(", ")
            append(run.elements, element.word)
            if let duration = run.duration {
                append(" in ", span: duration)
            }
        } else if let rate = run.rate {
            append(", ", size: rate)
            append("/s")
        }
        if !run.isFinal {
            append(run.isFromStart ? " so far" : " more")
        } else if !run.isFromStart {
            append(", the rest")
        }
        guard run.element == nil else { return }
        beginPayload()
        if let said = run.said, !said.words.isEmpty { return append(words: said.words, of: said.format) }
        appendPayload(run.beginning.rawBytes, length: run.length, policy: policy, claim: .none)
    }

    private mutating func appendWire(_ length: UInt64) {
        append(" (", size: length)
        append(" on the wire)")
    }

    mutating func appendCodeName(_ code: UInt16) {
        if let name = codes?.name(code) { return append(name) }
        switch code {
        case 3000, 3003, 3008: append(CloseCodeNames.name(code) ?? "")
        case 3001...3999: append("code of a library")
        case 4000...4999: append("code of the app")
        default: append(CloseCodeNames.name(code) ?? "not a registered code")
        }
    }

    private mutating func appendControl(_ label: StaticString, _ content: RecordContent) {
        let length = UInt64(content.bytes.byteCount)
        appendLabel(label, length)
        beginPayload()
        appendPayload(content.bytes, length: length, policy: content.policy, claim: .binary)
    }

    /// What it is, and its size at the right of a column.
    private mutating func appendLabel(_ label: StaticString, _ length: UInt64) {
        append(label)
        space()
        append(rightIn: max(1, Column.size - reached)) { $0.append(size: length) }
    }

    /// Goes to the next of the columns at which payloads begin.
    private mutating func beginPayload() {
        let isFar = reached > Column.deflatedPayload - 2
        pad(to: isFar ? Column.farDetail : reached > Column.detail - 2 ? Column.deflatedPayload : Column.detail, least: 2)
    }

    /// A payload in readable form: text where it is text, otherwise its bytes, as many as fit.
    private mutating func appendPayload(_ payload: RawSpan, length: UInt64, policy: PayloadPolicy, claim: PayloadForm.Claim) {
        guard policy != .none else { return }
        let shown = payload.prefix(policy.limit)
        // Printable ASCII is text whatever is said of it, and goes into the line in a piece.
        let isPlain = !shown.isEmpty && shown.plainCount(from: 0) == shown.byteCount
        let form = isPlain ? .text : PayloadForm(shown, isCut: UInt64(shown.byteCount) < length, claim: claim)
        if folds, UInt64(shown.byteCount) < length || !fits(shown, form) {
            leftOut = form
            return
        }
        if form == .bytes { return appendBytes(shown, length: length) }
        // A character that was cut off is left out; one that has no end stays to be seen.
        let whole = UInt64(shown.byteCount) < length && !isPlain ? shown.byteCount - unfinishedBytes(at: shown) : shown.byteCount
        if form != .bytes, appendAroundFound(payload, length: length, policy: policy) { return }
        if isPlain, marker == nil { append(printable: shown) } else { append(said: shown.prefix(whole)) }
        if UInt64(whole) < length, !isFull { appendEllipsis() }
        guard form == .mixed, whole == shown.byteCount, shown.byteCount <= 64, !isFull, room >= shown.byteCount * 3 + 3 else { return }
        space(3)
        ink(.faint)
        for index in 0..<shown.byteCount {
            append(hex: UInt32(shown[index]), least: 2)
            space()
        }
        ink(.plain)
    }

    /// Appends what stands around the first place that a filter looks for, where that would be cut off at the end of the line.
    private mutating func appendAroundFound(_ payload: RawSpan, length: UInt64, policy: PayloadPolicy) -> Bool {
        let visible = min(policy.limit, folds ? .max : max(0, room))
        guard payload.byteCount > visible, let range = marker?.highlight(payload), range.upperBound > visible else { return false }
        var start = max(0, range.lowerBound - min(Column.beforeFound, visible / 3))
        // Not between the bytes of a character.
        while start < range.lowerBound, payload[start] & 0xc0 == 0x80 { start += 1 }
        let shown = payload.extracting(start..<payload.byteCount).prefix(policy.limit)
        let isCut = UInt64(start + shown.byteCount) < length
        let whole = isCut ? shown.byteCount - unfinishedBytes(at: shown) : shown.byteCount
        if start > 0 { appendEllipsis() }
        append(said: shown.prefix(whole))
        if isCut, !isFull { appendEllipsis() }
        return true
    }

    /// Bytes in hexadecimal, and as characters beside them.
    private mutating func appendBytes(_ bytes: RawSpan, length: UInt64) {
        // Three columns each for the digits, one for the character, and seven for what stands around them.
        let fitting = max(4, (min(room, 8_192) - 7) / 4)
        let shown = bytes.prefix(fitting)
        for index in 0..<shown.byteCount {
            append(hex: UInt32(shown[index]), least: 2)
            append(0x20)
        }
        if UInt64(shown.byteCount) < length {
            appendEllipsis()
            append(0x20)
        }
        ink(.faint)
        append(" |")
        for index in 0..<shown.byteCount { append(0x20..<0x7f ~= shown[index] ? shown[index] : 0x2e) }
        append("|")
        ink(.plain)
    }
}

/// The bytes at the end, at most three, that begin a character and do not end it.
private func unfinishedBytes(at bytes: RawSpan) -> Int {
    let end = bytes.byteCount
    for back in 1...3 where back <= end && bytes[end - back] >= 0xc0 {
        let sequence = UTF8Sequence(bytes, at: end - back)
        return sequence.kind == .unfinished ? back : 0
    }
    return 0
}

extension RawSpan {
    /// Without the CR and LF at the end.
    var withoutLineEnds: RawSpan {
        @_lifetime(copy self)
        get {
            var end = byteCount
            while end > 0, self[end - 1] == 0x0a || self[end - 1] == 0x0d { end -= 1 }
            return extracting(0..<end)
        }
    }
}
