/// Frames of AMQP 0-9-1 (sections 2.3.5 and 4.2.2): type, channel, length, payload, and a byte that ends them.
///
/// ```
/// 01 │ 00 01 │ 00 00 00 0C │ … CE
/// A M Q P 00 00 09 01             once, before the first frame
/// ```
package enum AMQPGrammar: ProtocolGrammar {
    package static var name: StaticString { "amqp" }
    package static var title: StaticString { "AMQP 0-9-1" }

    package static let frameEnd: UInt8 = 0xCE
    /// What a client sends before its first frame; the last three bytes are the version.
    package static let protocolHeader: [UInt8] = [0x41, 0x4D, 0x51, 0x50, 0x00, 0x00, 0x09, 0x01]
    /// The classes of methods: connection, channel, access, exchange, queue, basic, confirm, tx.
    static let classes: [UInt8] = [10, 20, 30, 40, 50, 60, 85, 90]

    /// Whether frames have this type: method, header, body, heartbeat.
    package static func isType(_ type: UInt8) -> Bool { type == 1 || type == 2 || type == 3 || type == 8 }

    package static func cutter() -> any CuttingMachine { AMQPCutter() }

    package static func search(from side: Side, after loss: FramingLoss) -> (any MessageSearch)? { BoundarySearch(AMQPPlaces()) }

    /// The protocol header, or, of a connection whose beginning was not captured, frames: one with a method of a class that there is, or two
    /// (AMQP 0-9-1, sections 2.3.5 and 4.2.3).
    package static func begins(client: RawSpan, server: RawSpan) -> Recognized {
        let greeting = begin(client, with: protocolHeader)
        guard greeting == .no else { return greeting }
        let (ours, theirs) = (frames(client), frames(server))
        guard ours.answer != .no, theirs.answer != .no else { return .no }
        if ours.answer == .yes || theirs.answer == .yes || ours.count + theirs.count > 1 { return .yes }
        return client.byteCount + server.byteCount > 0 ? .undecided : .no
    }

    /// How many whole frames bytes begin with, as far as that has to be known; undecided where they are nothing else.
    private static func frames(_ bytes: RawSpan) -> (answer: Recognized, count: Int) {
        var (position, count) = (0, 0)
        while count < 2, position < bytes.byteCount {
            let rest = bytes.suffix(from: position)
            guard isType(rest[0]) else { return (.no, count) }
            guard let head = AMQPFrameHead(rest) else { break }
            let (type, length) = (head.type, Int(head.length))
            guard length < 1 << 17, type != 1 || length >= 4, type != 8 || length == 0 else { return (.no, count) }
            // A body that takes long is not waited for: all else would wait for it.
            guard rest.byteCount > 7 + length else {
                if length > mostOpeningBytes || type == 2 || type == 3 { return (.no, count) }
                break
            }
            guard rest[7 + length] == frameEnd else { return (.no, count) }
            if type == 1 { return (rest[7] == 0 && classes.contains(rest[8]) ? .yes : .no, count + 1) }
            count += 1
            position += 8 + length
        }
        return (.undecided, count)
    }
}

/// What each frame begins with.
package struct AMQPFrameHead {
    package let type: UInt8
    package let channel: UInt16
    /// Of the payload.
    package let length: UInt32

    package static let count = 7

    /// Nil where it is not whole.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount >= Self.count else { return nil }
        (type, channel, length) = (bytes[0], bytes.bigEndianUInt16(at: 1), bytes.bigEndianUInt32(at: 3))
    }
}
