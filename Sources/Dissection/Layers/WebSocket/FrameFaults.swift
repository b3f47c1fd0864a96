/// What the header of a frame breaks, kept until the frame has been told.
struct FrameFaults: OptionSet, Sendable {
    var rawValue: UInt16

    static let maskMissing = FrameFaults(rawValue: 1 << 0)
    static let maskUnexpected = FrameFaults(rawValue: 1 << 1)
    static let rsvUnexpected = FrameFaults(rawValue: 1 << 2)
    static let rsv1OnContinuation = FrameFaults(rawValue: 1 << 3)
    static let rsv1OnControl = FrameFaults(rawValue: 1 << 4)
    static let opcodeReserved = FrameFaults(rawValue: 1 << 5)
    static let controlFragmented = FrameFaults(rawValue: 1 << 6)
    static let controlTooLong = FrameFaults(rawValue: 1 << 7)
    static let continuationUnexpected = FrameFaults(rawValue: 1 << 8)
    static let continuationMissing = FrameFaults(rawValue: 1 << 9)
    static let lengthNotMinimal = FrameFaults(rawValue: 1 << 10)
    static let lengthTopBit = FrameFaults(rawValue: 1 << 11)
    static let afterClose = FrameFaults(rawValue: 1 << 12)
    /// No fault: beside unexpected bits, RSV1 is agreed.
    static let rsv1IsAgreed = FrameFaults(rawValue: 1 << 13)

    /// Faults that no peer commits by mistake in an otherwise good frame: behind a Close frame they mean that these
    /// bytes are no frames at all.
    static let implausible: FrameFaults = [
        .maskMissing, .maskUnexpected, .rsvUnexpected, .opcodeReserved, .controlFragmented, .controlTooLong, .lengthNotMinimal,
        .lengthTopBit,
    ]

    /// What the header alone breaks, whatever came before it.
    @inline(__always)
    static func judge(_ frame: FrameHeader, from side: Side, _ negotiation: WebSocketNegotiation) -> FrameFaults {
        var faults: FrameFaults = []
        // Section 5.1: a client masks, a server does not.
        if frame.masked != (side == .client) { faults.insert(side == .client ? .maskMissing : .maskUnexpected) }
        if frame.rsv != 0 { faults.formUnion(judgeRSV(frame, negotiation)) }
        if !frame.hasKnownOpcode, !negotiation.hasUnknownExtension { faults.insert(.opcodeReserved) }
        if frame.isControl {
            if !frame.fin { faults.insert(.controlFragmented) }
            if frame.length > 125 { faults.insert(.controlTooLong) }
        }
        if !frame.hasMinimalLength { faults.insert(.lengthNotMinimal) }
        if frame.length >> 63 != 0 { faults.insert(.lengthTopBit) }
        return faults
    }

    private static func judgeRSV(_ frame: FrameHeader, _ negotiation: WebSocketNegotiation) -> FrameFaults {
        if negotiation.hasUnknownExtension { return [] }
        var faults: FrameFaults = []
        let mayCompress = negotiation.compression != nil || !negotiation.isKnown
        if frame.rsv1, mayCompress {
            // RFC 7692, section 6.1: only the first frame of a data message has it.
            if frame.isControl { faults.insert(.rsv1OnControl) }
            if frame.opcode == 0 { faults.insert(.rsv1OnContinuation) }
        }
        // Without a handshake nobody knows what the other two were agreed to mean.
        let agreed: UInt8 = !negotiation.isKnown ? 7 : mayCompress ? 4 : 0
        if frame.rsv & ~agreed != 0 {
            faults.insert(.rsvUnexpected)
            if agreed & 4 != 0 { faults.insert(.rsv1IsAgreed) }
        }
        return faults
    }

    /// Tells each fault as a finding.
    func tell<Sink: ConversationSink & ~Copyable>(
        _ frame: FrameHeader, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        func find(_ fault: FrameFaults, _ row: FindingRow, _ a: UInt64 = 0, _ sink: inout Sink) {
            if contains(fault) { context.emit(row, a: a, at: arrival, sink: &sink) }
        }
        find(.maskMissing, .webSocketMaskMissing, 0, &sink)
        find(.maskUnexpected, .webSocketMaskUnexpected, 0, &sink)
        find(.rsvUnexpected, .webSocketRSVUnexpected, UInt64(contains(.rsv1IsAgreed) ? frame.rsv & 3 : frame.rsv), &sink)
        find(.rsv1OnContinuation, .webSocketRSV1OnContinuation, 0, &sink)
        find(.rsv1OnControl, .webSocketRSV1OnControl, UInt64(frame.opcode), &sink)
        find(.opcodeReserved, .webSocketOpcodeReserved, UInt64(frame.opcode), &sink)
        find(.controlFragmented, .webSocketControlFragmented, UInt64(frame.opcode), &sink)
        find(.controlTooLong, .webSocketControlTooLong, frame.length, &sink)
        find(.continuationUnexpected, .webSocketContinuationUnexpected, 0, &sink)
        find(.continuationMissing, .webSocketContinuationMissing, 0, &sink)
        find(.lengthNotMinimal, .webSocketLengthNotMinimal, frame.length, &sink)
        find(.lengthTopBit, .webSocketLengthTopBit, frame.length, &sink)
        find(.afterClose, .webSocketDataAfterClose, UInt64(frame.opcode), &sink)
    }
}
