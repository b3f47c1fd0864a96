import Dissection
import Reports

/// What `frame` has.
enum FrameField: String, CaseIterable, Sendable {
    case opcode, fin, rsv, masked, maskingKey, length, headerLength

    func visit(_ frame: FrameHeader, _ take: ValueVisitor) -> Bool {
        switch self {
        case .opcode: return take(.number(UInt64(frame.opcode)))
        case .fin: return take(.flag(frame.fin))
        case .rsv: return take(.number(UInt64(frame.rsv)))
        case .masked: return take(.flag(frame.masked))
        case .maskingKey:
            guard frame.masked else { return false }
            let key = (0..<4).map { UInt8(truncatingIfNeeded: frame.maskingKey >> UInt32(24 - 8 * $0)) }
            return take(.bytes(key.rawBytes))
        case .length: return take(.number(frame.length))
        case .headerLength: return take(.number(UInt64(frame.headerLength)))
        }
    }
}
