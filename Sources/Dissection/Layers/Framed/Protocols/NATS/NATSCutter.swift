struct NATSCutter: CuttingMachine {
    private static let verbs = NATSGrammar.verbs.map { (word: ShortBytes("\($0.name)".utf8), hasPayload: $0.hasPayload) }
    private static let mostLine: UInt64 = 1 << 20

    /// The first word, in upper case, until a blank.
    private var verb = ShortBytes()
    private var verbIsOver = false
    /// The number that the last word of the line is.
    private var number: UInt64?
    private var isInWord = false
    private var came: UInt64 = 0
    /// Bytes of the payload with its CRLF that are still to come.
    private var payload: UInt64?
    private(set) var lookedAt = 0

    mutating func restart() { self = NATSCutter() }

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while payload == nil {
            guard position < bytes.byteCount else { return .inside }
            let byte = bytes[position]
            position += 1
            came += 1
            lookedAt = position
            if byte == 0x0A {
                guard let known = Self.verbs.first(where: { $0.word == verb }) else { return .broken(.malformed) }
                guard known.hasPayload else { return .ends(position) }
                guard let number else { return .broken(.malformed) }
                guard number <= StreamFraming.mostBytes else { return .broken(.tooLong(number)) }
                payload = number + 2
            } else if let fault = take(byte) {
                return .broken(fault)
            }
        }
        let left = payload ?? 0
        let rest = UInt64(bytes.byteCount - position)
        guard rest >= left else {
            payload = left - rest
            return .inside
        }
        return .ends(position + Int(left))
    }

    private mutating func take(_ byte: UInt8) -> CutFault? {
        guard came <= Self.mostLine else { return .tooLong(came) }
        if byte == 0x0D { return nil }
        if byte == 0x20 || byte == 0x09 {
            verbIsOver = true
            isInWord = false
            return nil
        }
        if !verbIsOver {
            let upper = (0x61...0x7A).contains(byte) ? byte - 0x20 : byte
            guard verb.count < 8, verb.append(upper) else { return .malformed }
            return nil
        }
        if !isInWord { number = 0 }
        isInWord = true
        guard let before = number, (0x30...0x39).contains(byte), before < 1 << 50 else {
            number = nil
            return nil
        }
        number = before * 10 + UInt64(byte - 0x30)
        return nil
    }
}
