/// What the next bytes are to the message that is open.
enum Cut: Equatable {
    /// All of them belong to it, and it goes on.
    case inside
    /// It ends behind so many of them, at least one.
    case ends(Int)
    /// What was taken for a message is none.
    case broken(CutFault)
}

/// Why bytes are not a message.
enum CutFault: Equatable {
    /// The length, or what came without a delimiter, is more than a message may have.
    case tooLong(UInt64)
    /// The length counts its header, and is less than that.
    case tooShort(UInt64)
    /// No message of the protocol.
    case malformed
}

/// Finds where messages end in the bytes of one direction, whatever cuts them: a state machine that looks at each byte at most once and
/// keeps none.
protocol CuttingMachine {
    /// Takes the next bytes, at least one; those behind the end of the message are not looked at.
    mutating func advance(over bytes: RawSpan) -> Cut
}

/// The state machine of a framing.
enum MessageCutter {
    case length(LengthCutter)
    case delimiter(DelimiterCutter)
    case fixed(FixedCutter)
    case binary(BinaryProtocolCutter)
    case nats(NATSCutter)
    case redis(RedisCutter)
    case stomp(STOMPCutter)
    case xmpp(XMPPCutter)

    init(_ framing: StreamFraming) {
        switch framing {
        case .length(let prefix): self = .length(LengthCutter(prefix))
        case .delimiter(let bytes, let most): self = .delimiter(DelimiterCutter(bytes, most: most))
        case .fixed(let count): self = .fixed(FixedCutter(count))
        case .lines: self = .delimiter(DelimiterCutter(lines: StreamFraming.mostBytes))
        case .tlv(let type, let length):
            self = .length(LengthCutter(LengthPrefix(length, offset: UInt16(type.bytes ?? 1))))
        case .protocol(let name):
            switch name {
            case .mqtt: self = .binary(BinaryProtocolCutter(mqtt: true))
            case .amqp: self = .binary(BinaryProtocolCutter(mqtt: false))
            case .nats: self = .nats(NATSCutter())
            case .redis: self = .redis(RedisCutter())
            case .stomp: self = .stomp(STOMPCutter())
            case .irc: self = .delimiter(DelimiterCutter(lines: 64 << 10))
            case .xmpp: self = .xmpp(XMPPCutter())
            }
        }
    }

    mutating func advance(over bytes: RawSpan) -> Cut {
        switch self {
        case .length(let machine): step(machine, bytes, MessageCutter.length)
        case .delimiter(let machine): step(machine, bytes, MessageCutter.delimiter)
        case .fixed(let machine): step(machine, bytes, MessageCutter.fixed)
        case .binary(let machine): step(machine, bytes, MessageCutter.binary)
        case .nats(let machine): step(machine, bytes, MessageCutter.nats)
        case .redis(let machine): step(machine, bytes, MessageCutter.redis)
        case .stomp(let machine): step(machine, bytes, MessageCutter.stomp)
        case .xmpp(let machine): step(machine, bytes, MessageCutter.xmpp)
        }
    }

    private mutating func step<Machine: CuttingMachine>(_ before: Machine, _ bytes: RawSpan, _ kind: (Machine) -> MessageCutter) -> Cut {
        var machine = before
        let cut = machine.advance(over: bytes)
        self = kind(machine)
        return cut
    }

    /// The next bytes that it takes came at this time.
    mutating func note(_ time: Timestamp?) {
        guard case .stomp(var cutter) = self else { return }
        cutter.time = time
        self = .stomp(cutter)
    }

    /// Begins the next message.
    mutating func restart() {
        switch self {
        case .length(var cutter):
            cutter.restart()
            self = .length(cutter)
        case .delimiter(var cutter):
            cutter.restart()
            self = .delimiter(cutter)
        case .fixed(var cutter):
            cutter.restart()
            self = .fixed(cutter)
        case .binary(let cutter): self = .binary(BinaryProtocolCutter(mqtt: cutter.isMQTT))
        case .nats: self = .nats(NATSCutter())
        // It knows whether a snapshot comes.
        case .redis(var cutter):
            cutter.restart()
            self = .redis(cutter)
        // It knows what ended, and when.
        case .stomp(var cutter):
            cutter.restart()
            self = .stomp(cutter)
        // It knows how deep it is.
        case .xmpp(var cutter):
            cutter.restart()
            self = .xmpp(cutter)
        }
    }

    /// Bytes before and behind the payload of the message so far.
    var margins: (header: Int, trailer: Int) {
        switch self {
        case .length(let cutter): (cutter.header, 0)
        case .delimiter(let cutter): (0, cutter.trailer)
        case .stomp(let cutter): (cutter.lineEnds, 0)
        case .fixed, .binary, .nats, .redis, .xmpp: (0, 0)
        }
    }

    /// Bytes that the open message lacks, where its length is known.
    var remaining: UInt64? {
        switch self {
        case .length(let cutter): cutter.remaining
        case .fixed(let cutter): cutter.remaining
        case .binary(let cutter): cutter.remaining
        case .delimiter, .nats, .redis, .stomp, .xmpp: nil
        }
    }

    /// Bytes of the run that were looked at when a message of a protocol broke, so that they are not looked at again.
    var lookedAt: Int {
        switch self {
        case .length, .delimiter, .fixed, .xmpp: 0
        case .binary(let cutter): cutter.lookedAt
        case .nats(let cutter): cutter.lookedAt
        case .redis(let cutter): cutter.lookedAt
        case .stomp(let cutter): cutter.lookedAt
        }
    }

    /// What a header says beside the length.
    var headerBytes: ShortBytes {
        if case .length(let cutter) = self, cutter.hasMore { cutter.headerBytes } else { ShortBytes() }
    }
}

/// Messages of one length.
struct FixedCutter: CuttingMachine {
    private let count: UInt64
    private(set) var remaining: UInt64

    init(_ count: UInt32) {
        self.count = max(1, UInt64(count))
        remaining = self.count
    }

    mutating func restart() { remaining = count }

    mutating func advance(over bytes: RawSpan) -> Cut {
        guard UInt64(bytes.byteCount) >= remaining else {
            remaining -= UInt64(bytes.byteCount)
            return .inside
        }
        return .ends(Int(remaining))
    }
}
