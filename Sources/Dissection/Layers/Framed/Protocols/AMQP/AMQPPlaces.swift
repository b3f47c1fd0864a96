/// Where a frame of AMQP may begin, whose header and last byte say more than a length alone.
struct AMQPPlaces: PlaceRule {
    var needed: Int { 2 }
    var most: UInt64 { 64 << 10 }

    func mayEnd(with byte: UInt8) -> Bool { byte == AMQPGrammar.frameEnd }

    /// Type, channel and length of a frame (AMQP 0-9-1, section 4.2.3); a method is of a known class.
    func judge(_ bytes: RawSpan) -> PlaceVerdict {
        guard bytes.byteCount > 0 else { return .undecided }
        let type = bytes[0]
        guard AMQPGrammar.isType(type) else { return .no }
        guard bytes.byteCount >= 9, let head = AMQPFrameHead(bytes) else {
            // A heartbeat has no more than its end behind the header.
            return type == 8 && bytes.byteCount == 8 ? judgeHeartbeat(bytes) : .undecided
        }
        if type == 8 { return judgeHeartbeat(bytes) }
        guard head.length <= most else { return .no }
        // Nobody uses `access` any more.
        if type < 3 { guard head.length >= 4, bytes[7] == 0, bytes[8] != 30, AMQPGrammar.classes.contains(bytes[8]) else { return .no } }
        return .ends(Int(head.length) + 8)
    }

    private func judgeHeartbeat(_ bytes: RawSpan) -> PlaceVerdict {
        for index in 1..<7 where bytes[index] != 0 { return .no }
        return .ends(8)
    }
}
