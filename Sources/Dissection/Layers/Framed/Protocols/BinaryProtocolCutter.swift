/// Control packets of MQTT (MQTT 5, section 2.1) and frames of AMQP 0-9-1 (sections 2.3.5 and 4.2.2), whose headers have a length.
///
/// ```
/// MQTT   30 │ 0B │ …                 type and flags, remaining length as a varint
/// AMQP   01 │ 00 01 │ 00 00 00 0C │ … CE    type, channel, length, payload, end of the frame
///        A M Q P 00 00 09 01        once, before the first frame
/// ```
struct BinaryProtocolCutter: CuttingMachine {
    let isMQTT: Bool
    private var frame: LengthCutter
    private var hasBegun = false
    /// Bytes of the protocol header of AMQP that are still to come; nil for a frame.
    private var greeting: Int?
    /// Bytes of the run that were looked at when the message broke.
    private(set) var lookedAt = 0

    init(mqtt: Bool) {
        isMQTT = mqtt
        frame =
            mqtt
            ? LengthCutter(LengthPrefix(.varint, offset: 1, most: 268_435_455))
            : LengthCutter(LengthPrefix(.u32be, offset: 3, header: 7), extra: 1)
    }

    var remaining: UInt64? { greeting.map { UInt64($0) } ?? frame.remaining }

    mutating func advance(over bytes: RawSpan) -> Cut {
        if !hasBegun, bytes.byteCount > 0 {
            hasBegun = true
            let first = bytes[0]
            if isMQTT {
                // 0 is reserved.
                guard first >> 4 != 0 else { return .broken(.malformed) }
            } else if first == UInt8(ascii: "A") {
                greeting = 8
            } else if first != 1, first != 2, first != 3, first != 8 {
                return .broken(.malformed)
            }
        }
        if let left = greeting {
            guard bytes.byteCount >= left else {
                greeting = left - bytes.byteCount
                return .inside
            }
            return .ends(left)
        }
        let before = frame.came
        let cut = frame.advance(over: bytes)
        if case .ends(let count) = cut, !isMQTT, bytes[count - 1] != 0xCE {
            lookedAt = count
            return .broken(.malformed)
        }
        if case .broken = cut { lookedAt = Int(frame.came - before) }
        return cut
    }
}
