extension StreamFraming {
    /// What finds the ends of messages.
    ///
    /// - Parameter isText: what ends with a delimiter is a message as long as it is text.
    func cutter(isText: Bool) -> any CuttingMachine {
        switch self {
        case .length, .tlv: return LengthCutter(prefix ?? LengthPrefix(.u8))
        case .fixed(let count): return FixedCutter(count)
        case .contentLength: return ContentLengthCutter()
        case .json: return JSONCutter()
        case .protocol(let name): return name.rules?.cutter() ?? FixedCutter(1)
        case .delimiter(let bytes, let most):
            var machine = DelimiterCutter(bytes, most: most)
            machine.isText = isText
            return machine
        case .lines:
            var machine = DelimiterCutter(lines: StreamFraming.mostBytes)
            machine.isText = isText
            return machine
        }
    }

    /// Whether each side is known by its own bytes: one may send such messages and the other something else.
    var isOfOneSide: Bool {
        switch self {
        case .contentLength, .json: true
        case .length, .delimiter, .fixed, .lines, .tlv, .protocol: false
        }
    }

    /// The length in front of each message, where there is one.
    var prefix: LengthPrefix? {
        switch self {
        case .length(let prefix): prefix
        case .tlv(let type, let length): LengthPrefix(length, offset: UInt16(type.bytes ?? 1))
        case .delimiter, .fixed, .lines, .contentLength, .json, .protocol: nil
        }
    }
}

extension FramedProtocol {
    /// How its messages are cut.
    var rules: (any ProtocolGrammar.Type)? { grammar as? any ProtocolGrammar.Type }
}
