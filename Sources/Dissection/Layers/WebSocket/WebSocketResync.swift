/// Tells from bytes alone whether a WebSocket frame begins somewhere (RFC 6455, section 5.2).
///
/// A header is two bytes that are mostly free, so one says little. A candidate is believed when what hangs on it would
/// be an unlikely accident: the frames that follow each other from it are each worth some bits of evidence, and so are
/// text that is text after unmasking and a Close code that exists. Where a boundary is likely anyway, at the first byte of
/// a direction or behind a loss, 14 bits are enough (12 where the stream is known to be one); elsewhere, where every byte is a candidate, 28 bits and for
/// unmasked frames four headers, because text in other scripts contains the bytes of headers.
package enum WebSocketResync {
    /// Whether the first bytes of a direction are well supported to be a client's frame.
    package static func clientBoundary(_ bytes: RawSpan, effort: inout ResyncEffort) -> Recognized {
        support(
            bytes, at: 0, masked: true, mayCompress: true, isWebSocket: false, isLikely: true, isEnd: false, effort: &effort)
    }

    /// Whether bytes that nothing follows begin with frames of a client, with no reason to expect any here.
    static func areClientFrames(_ bytes: RawSpan) -> Bool {
        var effort = ResyncEffort()
        let verdict = support(
            bytes, at: 0, masked: true, mayCompress: true, isWebSocket: false, isLikely: false, isEnd: true, effort: &effort)
        if case .yes = verdict { return true }
        return false
    }

    /// Whether bytes can be nothing but frames from the first byte on, of which the last need not be whole.
    static func areFrames(_ bytes: RawSpan, masked: Bool) -> Bool {
        var position = 0
        while position < bytes.byteCount {
            guard let first = plausibleStart(bytes, at: position, masked: masked, mayCompress: true) else { return false }
            guard first, let header = FrameHeaderReader.header(in: bytes, at: position) else { return position > 0 }
            guard isPlausible(header) else { return false }
            position += Int(header.headerLength) + Int(clamping: header.length)
        }
        return position > 0
    }

    /// The first well-supported frame boundary from `start` on, in bytes that nothing follows.
    package static func boundary(in bytes: RawSpan, from start: Int, masked: Bool) -> Int? {
        var position = max(0, start)
        var effort = ResyncEffort()
        while position < bytes.byteCount {
            let supported = support(
                bytes, at: position, masked: masked, mayCompress: true, isWebSocket: false, isLikely: position == 0, isEnd: true,
                effort: &effort)
            if case .yes = supported { return position }
            position += 1
        }
        return nil
    }

    /// More bytes than these are not waited for.
    static let lookahead = 128 << 10

    /// - Parameters:
    ///   - mayCompress: RSV1 may mean a compressed message.
    ///   - isWebSocket: the stream is known to be one, and only its boundaries are not.
    ///   - isLikely: a frame begins here more often than not.
    ///   - isEnd: nothing follows the bytes.
    ///   - effort: where it is undecided, gets how many bytes there have to be before the answer can be another one.
    static func support(
        _ bytes: RawSpan, at start: Int, masked: Bool, mayCompress: Bool, isWebSocket: Bool, isLikely: Bool, isEnd: Bool,
        effort: inout ResyncEffort
    ) -> Recognized {
        let count = bytes.byteCount
        let isLast = isEnd || count - start >= lookahead
        let needed = isLikely ? (isWebSocket ? 12 : 14) : 28
        let neededHeaders = isLikely ? (masked ? 1 : 2) : (masked ? 2 : 4)
        var evidence = 0
        var headers = 0
        var position = start
        var frames = 0
        var chain = Chain.unknown
        while position < count {
            // A chain that says nothing after so many frames is none; it would be walked again for each run that comes.
            frames += 1
            effort.steps += 1
            if frames > 64 { return .no }
            guard let first = plausibleStart(bytes, at: position, masked: masked, mayCompress: mayCompress) else { return .no }
            guard first, let header = FrameHeaderReader.header(in: bytes, at: position) else {
                // The header itself is cut.
                if !isLast {
                    effort.wanted = count + 1
                    return .undecided
                }
                return evidence >= needed && headers >= neededHeaders ? .yes : .no
            }
            // A continuation whose beginning is not here says nothing: many protocols have lengths of two bytes.
            let isOrphan = header.opcode == 0 && chain == .unknown
            guard isPlausible(header), chain.take(header, isOrphan), !isOrphan || isLikely else { return .no }
            let payloadStart = position + Int(header.headerLength)
            let available = min(UInt64(count - payloadStart), header.length)
            let payload = bytes.extracting(payloadStart..<payloadStart + Int(available))
            let isWhole = available == header.length
            let isSettled = isWhole || isLast || !isText(header)
            if !isSettled, !effort.takesText(payload, from: position, key: header.maskingKey) { return .no }
            guard let worth = isSettled ? evidenceOf(payload, of: header, isWhole: isWhole, effort: &effort) : 0 else { return .no }
            // Binary frames full of text are more often something else: the names in a certificate have the tag 0x82.
            let isUnconfirmed = !isWebSocket && !masked && header.opcode == 2 && header.rsv == 0 && isText(payload)
            if !isOrphan, !isUnconfirmed {
                let isMiddle = header.opcode == 0 && !header.fin
                if !isMiddle { headers += 1 }
                evidence += (isMiddle ? 2 : 5) + worth
            }
            guard isWhole else {
                if !isLast {
                    // Each byte that is looked at may show that it is none. Behind them nothing is concluded before the frame is whole,
                    // or so much has come that it need not be.
                    let mayTell = payload.byteCount < (isText(header) ? ResyncEffort.mostText : header.opcode == 8 ? 2 : 0)
                    effort.wanted = mayTell ? count + 1 : min(payloadStart + Int(clamping: header.length), start + lookahead)
                    return .undecided
                }
                return evidence >= needed && headers >= neededHeaders ? .yes : .no
            }
            position = payloadStart + payload.byteCount
            effort.taken = position
            let endsHere = isEnd && position == count
            // Frames that end exactly where the direction ends are worth as much as two more headers.
            if evidence + (endsHere ? 8 : 0) >= needed, headers + (endsHere ? 2 : 0) >= neededHeaders { return .yes }
        }
        if isLast { return .no }
        effort.wanted = count + 1
        return .undecided
    }

    /// Whether fragments follow each other as RFC 6455, section 5.4 has it.
    private enum Chain {
        case unknown
        case open
        case closed

        mutating func take(_ header: FrameHeader, _ isOrphan: Bool) -> Bool {
            if header.isControl || (isOrphan && !header.fin) { return true }
            switch self {
            case .unknown: break
            case .open: if header.opcode != 0 { return false }
            case .closed: if header.opcode == 0 { return false }
            }
            self = header.fin ? .closed : .open
            return true
        }
    }

    /// What the first two bytes say: nil for no header, false where the second is not there.
    @inline(__always)
    private static func plausibleStart(_ bytes: RawSpan, at position: Int, masked: Bool, mayCompress: Bool) -> Bool? {
        let first = bytes[position]
        switch first & 0x8F {
        case 0x00, 0x01, 0x02, 0x80, 0x81, 0x82, 0x88, 0x89, 0x8A: break
        case _: return nil
        }
        switch first & 0x70 {
        case 0x00: break
        case 0x40: if !mayCompress || first & 0x0F == 0 || first & 0x08 != 0 { return nil }
        case _: return nil
        }
        guard position + 1 < bytes.byteCount else { return false }
        return (bytes[position + 1] & 0x80 != 0) == masked ? true : nil
    }

    /// Nothing but printable ASCII, as far as 64 bytes tell.
    private static func isText(_ payload: RawSpan) -> Bool {
        for index in 0..<min(64, payload.byteCount) where !(0x20...0x7E).contains(payload[index]) { return false }
        return payload.byteCount > 0
    }

    private static func isPlausible(_ header: FrameHeader) -> Bool {
        guard header.hasMinimalLength, header.length < 1 << 40 else { return false }
        if header.isControl { return header.length <= 125 && !(header.opcode == 8 && header.length == 1) }
        // Zeros are not frames; neither is compressed data of no bytes at all.
        return header.length > 0 || (header.fin && header.rsv == 0)
    }

    private static func isText(_ header: FrameHeader) -> Bool { header.opcode == 1 && header.rsv == 0 }

    /// Bits of evidence in a payload; nil where it cannot be one.
    private static func evidenceOf(
        _ payload: RawSpan, of header: FrameHeader, isWhole: Bool, effort: inout ResyncEffort
    ) -> Int? {
        if header.opcode == 8, payload.byteCount >= 2 {
            let code = payload.bigEndianUInt16(at: 0) ^ UInt16(truncatingIfNeeded: header.maskingKey >> 16)
            return CloseCode.isPlausible(code) ? 4 : nil
        }
        guard isText(header) else { return 0 }
        // A byte of text is worth half a bit and more: three bytes in eight are printable ASCII.
        var validator = UTF8Validator()
        let looked = min(payload.byteCount, ResyncEffort.mostText)
        effort.steps += looked
        var text = [UInt8](repeating: 0, count: looked)
        Unmasking.copy(payload.extracting(0..<looked), key: header.maskingKey, position: 0, to: &text, at: 0)
        if validator.check(text.rawBytes) != nil { return nil }
        if isWhole, looked == payload.byteCount, validator.finish() != nil { return nil }
        var printable = 0
        for byte in text {
            let isText = byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D
            guard isText else { break }
            printable += 1
        }
        return min(24, printable * 5 / 4)
    }
}
