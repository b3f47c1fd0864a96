import Dissection

/// AMQP 0-9-1 (amqp.org, and RabbitMQ's reference), of framed raw TCP: one frame, or the header with which a client begins. Methods are matched
/// with the `-ok` that answers them on their channel.
enum AMQP: FramedFormat {
    typealias Grammar = AMQPGrammar
    static var keys: [StaticString] {
        [
            "type", "method", "channel", "exchange", "routingKey", "queue", "deliveryTag", "length", "received", "contentLength",
            "payload", "latency",
        ]
    }
    static var hasMoreKeys: Bool { true }
    static var hasAllBeats: Bool { true }
    static var hasGoodbye: Bool { true }
    static var beatDelay: BeatDelay { .ownBytes }

    /// What the client chose of what the server had offered counts for both sides (section 4.2.7); 0 is for none.
    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {
        guard decoded.says("method", "connection.tune-ok"), let seconds = decoded.number(of: "heartbeat") else { return }
        timeouts.format = FormatName(name, Self.self)
        timeouts.keepAlive = HeartbeatTimeouts.nanoseconds(seconds, 1_000_000_000)
        timeouts.serverKeepAlive = timeouts.keepAlive
        timeouts.isExact = true
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        if bytes.begins("AMQP") {
            guard bytes.byteCount == 8 else { return decoded.stop("its protocol header is not 8 bytes", at: 4) }
            decoded.add("type", .word("protocol"), at: 0..<4)
            decoded.add("version", .word("\(bytes[5])-\(bytes[6])-\(bytes[7])"), at: 5..<8)
            decoded.say("protocol header \(bytes[5])-\(bytes[6])-\(bytes[7])".utf8)
            return
        }
        guard let head = AMQPFrameHead(bytes), bytes.byteCount > AMQPFrameHead.count else {
            return decoded.stop("its frame is shorter than 8 bytes", at: 0)
        }
        let (channel, size) = (head.channel, UInt64(head.length))
        guard size == UInt64(bytes.byteCount - 8) else { return decoded.stop("the size of its frame is not that of the message", at: 3) }
        let last = bytes.byteCount - 1
        guard bytes[last] == Grammar.frameEnd else { return decoded.stop("its frame does not end with 0xCE", at: last) }
        var fields = AMQPFields(bytes, 7..<bytes.byteCount - 1)
        switch head.type {
        case 1: method(&fields, channel, in: context, memory: &memory, into: &decoded)
        case 2:
            let told = header(&fields, channel, into: &decoded)
            guard let length = told.length else { break }
            memory[AMQPContents.self].note(length: length, told.contentType, of: channel, from: context.from)
        case 3:
            let content = bytes.extracting(7..<bytes.byteCount - 1)
            decoded.add("type", .word("body"), at: 0..<1)
            decoded.add("channel", .number(UInt64(channel)), at: 1..<3)
            decoded.add("length", .number(size), at: 3..<7)
            decoded.say("body on channel \(channel)".utf8)
            body(content, channel, in: context, memory: &memory, into: &decoded)
            return
        case 8:
            decoded.add("type", .word("heartbeat"), at: 0..<1)
            decoded.say("heartbeat")
            if channel != 0 || size != 0 { decoded.stop("a heartbeat has a channel or a payload", at: 1) }
            return
        case _: return decoded.stop("the type of its frame is not 1, 2, 3 or 8", at: 0)
        }
        if let problem = fields.problem { decoded.stop(problem.reason, at: problem.at) }
    }

    /// A body, or one of several that have a content together: that is read as a whole with the last of them.
    private static func body(
        _ content: RawSpan, _ channel: UInt16, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        let place = 7..<7 + content.byteCount
        var contents = memory.take(AMQPContents.self)
        let part = contents.take(content, of: channel, from: context.from)
        memory[AMQPContents.self] = contents
        guard let part else { return decoded.add(InnerPayload(topic: []), content, at: place, in: context) }
        guard part.frames > 1 || !part.isLast else { return decoded.add(part.inner, content, at: place, in: context) }
        decoded.note("received", .number(part.came))
        decoded.note("contentLength", .number(part.length))
        decoded.say(", \(part.came) of \(part.length) bytes".utf8)
        guard part.isLast else {
            decoded.say("  ")
            return decoded.say(content)
        }
        decoded.say(" in \(part.frames) frames".utf8)
        guard let whole = part.whole else { return }
        var told = DecodedPayload(format: name)
        told.add(part.inner, whole.rawBytes, at: 0..<whole.count, in: context)
        // Its beginning came in other frames.
        told.forgetRanges(before: whole.count - content.byteCount)
        decoded.add(told.entries.map { .init($0.key, $0.value.moved(by: place.lowerBound), in: $0.range?.moved(by: place.lowerBound)) })
        decoded.say(told.summary)
    }

    private static func method(
        _ fields: inout AMQPFields, _ channel: UInt16, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        decoded.add("type", .word("method"), at: 0..<1)
        let start = fields.position
        guard let classNumber = fields.integer(2), let number = fields.integer(2) else { return }
        guard let row = AMQPMethods.row(classNumber, number) else {
            decoded.add("channel", .number(UInt64(channel)), at: 1..<3)
            decoded.say("method \(classNumber).\(number)".utf8)
            return fields.fail("its method is not known", at: start)
        }
        decoded.add("method", .word(row.name.description), at: start..<start + 4)
        decoded.add("channel", .number(UInt64(channel)), at: 1..<3)
        decoded.say(row.name)
        if channel > 0 { decoded.say(" on channel \(channel)".utf8) }
        let told = fields.read(row.fields)
        for member in told { decoded.add([member]) }
        if case .text(let topic)? = told.first(where: { $0.name.elementsEqual("routingKey".utf8) })?.value, classNumber == 60 {
            memory[AMQPContents.self].note(topic: topic, of: channel, from: context.from)
        }
        var isFirst = true
        let keys: [StaticString] = [
            "virtualHost", "replyCode", "replyText", "exchange", "routingKey", "queue", "consumerTag", "deliveryTag",
        ]
        for key in keys {
            guard let value = told.first(where: { $0.name.rawBytes.isEqual(key.bytes) })?.value else { continue }
            switch value {
            case .text(let text) where !text.isEmpty:
                decoded.say(isFirst ? "  " : " ", text)
            case .number(let number):
                decoded.say(isFirst ? "  " : " ", "\(number)".utf8)
            case _: continue
            }
            isFirst = false
        }
        if classNumber == 10, number == 30 || number == 31 { tune(told, isChosen: number == 31, memory: &memory, into: &decoded) }
        let key = AMQPCall(channel: channel, classNumber: classNumber, number: number)
        let isClosing = AMQPCall.isClosing(classNumber, number)
        if isClosing { refuse(told, by: key, in: context, memory: &memory, into: &decoded) }
        // An answer has the number after its question's, but for basic.get-empty.
        if row.isAnswered {
            guard !told.contains(where: { $0.name.elementsEqual("noWait".utf8) && $0.value == .flag(true) }) else { return }
            let label = row.name.bytes.copy + (channel > 0 ? Array(" on channel \(channel)".utf8) : [])
            memory.calls.note(key.bytes, owed: label, inOrder: true, in: context)
        } else if let asked = row.answers {
            let call = AMQPCall(channel: channel, classNumber: classNumber, number: asked)
            decoded.addAnswer(to: call.bytes, in: context, memory: &memory)
            if AMQPCall.isClosing(classNumber, asked) { for side in [Side.client, .server] { memory.calls.drop(call.scope, from: side) } }
        }
    }

    /// The time of the heartbeats that the server offers, and what the client makes of it.
    private static func tune(
        _ told: [DecodedPayload.Value.Member], isChosen: Bool, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        guard case .number(let seconds)? = told.first(where: { $0.name.elementsEqual("heartbeat".utf8) })?.value else { return }
        decoded.say((seconds == 0 ? ", no heartbeats" : ", heartbeat \(seconds) s").utf8)
        if isChosen, let offered = memory[AMQPContents.self].offeredHeartbeat, offered != seconds {
            decoded.say((offered == 0 ? " (the server offered none)" : " (the server offered \(offered) s)").utf8)
        }
        if !isChosen { memory[AMQPContents.self].offeredHeartbeat = seconds }
    }

    /// A channel or connection is closed: that answers the call that it names (sections 1.4.2.10 and 1.5.2.5), if any, and those that wait are
    /// not answered any more. What the closing side asked before may be answered until its peer has seen this, but need not be.
    private static func refuse(
        _ told: [DecodedPayload.Value.Member], by closing: AMQPCall, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        func number(_ key: StaticString) -> UInt64 {
            guard case .number(let number)? = told.first(where: { $0.name.rawBytes.isEqual(key.bytes) })?.value else { return 0 }
            return number
        }
        let failed = AMQPCall(channel: closing.channel, classNumber: number("failingClass"), number: number("failingMethod"))
        // A connection is closed on channel 0, whatever the channel of the call.
        let asked = closing.channel > 0 ? failed.bytes : memory.calls.firstKey(endingWith: failed.ending, in: context)
        if failed.classNumber > 0, let asked { decoded.addAnswer(to: asked, in: context, memory: &memory) }
        memory.calls.drop(closing.scope, from: context.from.peer)
        memory.calls.excuse(closing.scope, from: context.from)
    }

    /// The properties of a content (section 4.2.6.1), those that its flags name.
    private static func header(
        _ fields: inout AMQPFields, _ channel: UInt16, into decoded: inout DecodedPayload
    ) -> (length: UInt64?, contentType: [UInt8]) {
        decoded.add("type", .word("header"), at: 0..<1)
        decoded.add("channel", .number(UInt64(channel)), at: 1..<3)
        guard fields.integer(2) != nil, fields.integer(2) != nil, let length = fields.integer(8), let flags = fields.integer(2) else {
            return (nil, [])
        }
        decoded.add("length", .number(length), at: fields.position - 10..<fields.position - 2)
        decoded.say("header on channel \(channel), \(length) bytes".utf8)
        var wanted: [(StaticString, AMQPFields.Kind)] = []
        let all: [(StaticString, AMQPFields.Kind)] = [
            ("contentType", .short), ("contentEncoding", .short), ("headers", .table), ("deliveryMode", .octet), ("priority", .octet),
            ("correlationId", .short), ("replyTo", .short), ("expiration", .short), ("messageId", .short), ("timestamp", .int64),
            ("messageType", .short), ("userId", .short), ("appId", .short), ("clusterId", .short),
        ]
        for (index, property) in all.enumerated() where flags >> UInt64(15 - index) & 1 == 1 { wanted.append(property) }
        let told = fields.read(wanted)
        for member in told { decoded.add([member]) }
        for key in ["contentType", "correlationId", "replyTo"] as [StaticString] {
            guard case .text(let text)? = told.first(where: { $0.name.rawBytes.isEqual(key.bytes) })?.value else { continue }
            decoded.say(", ", text)
        }
        if fields.problem == nil, !fields.isAtEnd { fields.fail("it has bytes after its last property") }
        guard case .text(let type)? = told.first(where: { $0.name.elementsEqual("contentType".utf8) })?.value else { return (length, []) }
        return (length, type)
    }
}

/// Reads the fields of a method or of the properties of a content.
struct AMQPFields: ~Escapable {
    enum Kind {
        case octet, int16, int32, int64
        /// A text with a byte of length, or four.
        case short, long
        /// As `long`, of which only the length is told: it may be a password.
        case secret
        /// Told by its length.
        case table
        /// Eight bits, which are told as flags by the names after it.
        case bits
        /// Passed over.
        case reservedShort, reservedInt16
    }

    private let bytes: RawSpan
    private(set) var position: Int
    private let end: Int
    private(set) var problem: (reason: StaticString, at: Int)?

    @_lifetime(copy bytes)
    init(_ bytes: RawSpan, _ range: Range<Int>) {
        self.bytes = bytes
        position = range.lowerBound
        end = range.upperBound
    }

    var isAtEnd: Bool { position == end }

    mutating func fail(_ reason: StaticString, at position: Int? = nil) {
        if problem == nil { problem = (reason, position ?? self.position) }
    }

    private mutating func take(_ count: UInt64) -> Range<Int>? {
        guard problem == nil, count <= UInt64(end - position) else {
            fail("it ends in the middle of a field, or a length is too long")
            return nil
        }
        position += Int(count)
        return position - Int(count)..<position
    }

    /// A number of up to eight bytes.
    mutating func integer(_ width: UInt64) -> UInt64? { take(width).map { $0.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } } }

    private mutating func text(_ width: UInt64) -> Range<Int>? { integer(width).flatMap { take($0) } }

    /// Reads fields as far as they go. Flags have the names of their bits, lowest first, with spaces between them.
    mutating func read(_ fields: [(StaticString, Kind)]) -> [DecodedPayload.Value.Member] {
        var told: [DecodedPayload.Value.Member] = []
        for (name, kind) in fields {
            let start = position
            let value: DecodedPayload.Value?
            switch kind {
            case .octet: value = integer(1).map { .number($0) }
            case .int16: value = integer(2).map { .number($0) }
            case .int32: value = integer(4).map { .number($0) }
            case .int64: value = integer(8).map { .number($0) }
            case .short: value = text(1).map { .text(bytes.extracting($0).copy) }
            case .long: value = text(4).map { bytes.extracting($0).asContent }
            case .secret, .table: value = text(4).map { .binary(UInt64($0.count)) }
            case .reservedShort: value = text(1).map { _ in .nothing }
            case .reservedInt16: value = integer(2).map { _ in .nothing }
            case .bits:
                guard let flags = integer(1) else { return told }
                for (place, name) in name.description.split(separator: " ").enumerated() where flags >> UInt64(place) & 1 == 1 {
                    told.append(.init(Array(name.utf8), .flag(true), at: start..<position))
                }
                continue
            }
            guard let value else { return told }
            if value != .nothing { told.append(.init(name.bytes.copy, value, at: start..<position)) }
        }
        return told
    }
}
