/// What is read of the content of a side's messages, beside what is shown of it: the packet that opens a session of Engine.IO, and the packets
/// of a protocol that the subprotocol names.
///
/// A class, because most sides carry nothing that is read.
final class CarriedContent {
    /// The first message so far, at most `mostOpening` bytes; nil where none is awaited.
    private var opening: [UInt8]?
    private var packets: CarriedPackets?

    private static let mostOpening = 1_024

    private init(opening: [UInt8]?, packets: CarriedPackets?) { (self.opening, self.packets) = (opening, packets) }

    /// Nil where nothing is read of the side, which makes no object.
    static func make(_ negotiation: WebSocketNegotiation, of side: Side) -> CarriedContent? {
        let opening: [UInt8]? = negotiation.opensSession && side == .server ? [] : nil
        let packets = (negotiation.carried?.grammar as? any ProtocolGrammar.Type).map { CarriedPackets($0, side) }
        return opening == nil && packets == nil ? nil : CarriedContent(opening: opening, packets: packets)
    }

    var heldBytes: Int { (opening?.capacity ?? 0) + (packets?.heldBytes ?? 0) }

    /// Takes the next bytes of the content of a message, inflated and without a mask.
    func take(_ content: RawSpan) {
        if let count = opening?.count {
            opening?.append(copying: content.extracting(0..<min(content.byteCount, Self.mostOpening - count)))
        }
        packets?.take(content)
    }

    /// The message has ended, all of whose content was taken, and was shown. Returns whether more is to be read.
    func endMessage<Sink: ConversationSink & ~Copyable>(
        isText: Bool, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) -> Bool {
        if let opening {
            self.opening = nil
            if isText, let session = EngineIOSession(opening: opening.rawBytes) { context.maxPayload = session.maxPayload }
        }
        // Packets of MQTT come in binary messages alone (MQTT 5, section 6.0.0-1).
        if isText { packets = nil }
        packets?.emitFaults(at: arrival, context: &context, sink: &sink)
        if packets?.isLost == true { packets = nil }
        return packets != nil
    }
}

/// Packets of a protocol in the content of a side's messages, which are a stream: a packet may end in the next message, and a message may have
/// several (MQTT 5, section 6.0.0-2).
struct CarriedPackets {
    private let rules: any ProtocolGrammar.Type
    private let side: Side
    private var cutter: any CuttingMachine
    /// What came of the packet that is not whole, at most `mostKept` bytes.
    private var kept: [UInt8] = []
    private var came: UInt64 = 0
    private var faults: [PacketFault] = []
    /// What came is not the protocol: nothing after it is read.
    private(set) var isLost = false

    /// As many bytes of a message as its grammar looks at.
    private static let mostKept = 1_024
    /// Faults of one message; each rule is reported at most so often of a side.
    private static let mostFaults = 100

    init(_ rules: any ProtocolGrammar.Type, _ side: Side) {
        (self.rules, self.side) = (rules, side)
        cutter = rules.cutter()
    }

    var heldBytes: Int { kept.capacity }

    mutating func take(_ content: RawSpan) {
        var position = 0
        while position < content.byteCount, !isLost {
            let rest = content.suffix(from: position)
            switch cutter.advance(over: rest) {
            case .inside:
                keep(rest)
                return
            case .ends(let count):
                let last = rest.extracting(0..<count)
                if came > 0 {
                    keep(last)
                    let packet = kept
                    kept = []
                    note(packet.rawBytes, length: came)
                    came = 0
                } else {
                    note(last, length: UInt64(count))
                }
                position += count
                cutter.restart()
            case .broken: isLost = true
            }
        }
    }

    private mutating func keep(_ bytes: RawSpan) {
        came &+= UInt64(bytes.byteCount)
        kept.append(copying: bytes.extracting(0..<min(bytes.byteCount, max(0, Self.mostKept - kept.count))))
    }

    private mutating func note(_ packet: RawSpan, length: UInt64) {
        guard faults.count < Self.mostFaults, let fault = rules.fault(in: packet, length: length, from: side) else { return }
        faults.append(fault)
    }

    /// Reports what is wrong with the packets that the message has ended.
    mutating func emitFaults<Sink: ConversationSink & ~Copyable>(
        at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        guard !faults.isEmpty else { return }
        for fault in faults { context.emit(fault.row, a: fault.a, at: arrival, content: fault.words.bytes.rawBytes, sink: &sink) }
        faults = []
    }
}
