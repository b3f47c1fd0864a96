import Dissection

/// What is known of a session of Engine.IO, whatever conversations it runs over.
struct EngineIOSession: PayloadState {
    /// An event or acknowledgement whose attachments have not all come.
    struct Awaited: Sendable {
        /// The whole message, at most `mostBytes`.
        var message: [UInt8]
        var wanted: Int
        var lengths: [UInt64] = []
        /// Where it stands in the payload that is read now, as packets of a body; nil where it came in one before.
        var place: Int?

        static let mostBytes = 16_384
        static let mostAttachments = 256
    }

    var sid: [UInt8] = []
    /// Nanoseconds; 0 where they were not announced.
    var pingInterval: Int64 = 0
    var pingTimeout: Int64 = 0
    /// When the last ping came, or the session opened.
    var lastPing: Timestamp?
    /// By the side that sends it: the client first.
    var awaited: [Awaited?] = [nil, nil]

    init() {}

    mutating func lose(bytesOf side: Side) { awaited[side == .client ? 0 : 1] = nil }

    static let longestSID = 128

    var heldBytes: Int {
        awaited.reduce(sid.capacity + 64) { $0 + ($1.map { $0.message.capacity + $0.lengths.capacity * 8 + 64 } ?? 0) }
    }
}

/// Packets of Engine.IO.
enum EngineIO: FormatTraits {
    static var name: StaticString { "engine.io" }
    static var keys: [StaticString] {
        [
            "type", "protocol", "sid", "upgrades", "pingInterval", "pingTimeout", "data", "latency", "late", "attachments", "packets",
        ]
    }
    static var beatsAreAnswered: Bool { true }
    static var hasGoodbye: Bool { true }

    static func isGoodbye(_ decoded: DecodedPayload, from side: Side, _ content: RawSpan) -> Bool { decoded.says("type", "close") }

    static func note(_ decoded: DecodedPayload, in timeouts: inout HeartbeatTimeouts) {
        timeouts.format = FormatName(name, Self.self)
        if let milliseconds = decoded.number(of: "pingInterval") {
            timeouts.pingInterval = HeartbeatTimeouts.nanoseconds(milliseconds, 1_000_000)
        }
        if let milliseconds = decoded.number(of: "pingTimeout") {
            timeouts.pingTimeout = HeartbeatTimeouts.nanoseconds(milliseconds, 1_000_000)
        }
    }

    static let types: [StaticString] = ["open", "close", "ping", "pong", "message", "upgrade", "noop"]
    private static let probe = Array("probe".utf8)

    /// The version that the request names; nil where it is none that we know.
    static func version(of context: PayloadContext) -> Int? {
        context.targetHas("EIO=4") ? 4 : context.targetHas("EIO=3") ? 3 : nil
    }

    /// The `sid` of a request that belongs to a session; empty where it names none, or is no request of Engine.IO.
    static func session(of context: PayloadContext) -> [UInt8] {
        guard context.targetHas("EIO="), context.targetHas("sid=") else { return [] }
        return session(of: context.target.rawBytes)
    }

    /// The value of the parameter `sid` of a target; empty where it has none, or a longer one than is kept.
    static func session(of target: RawSpan) -> [UInt8] {
        guard var start = target.position(of: UInt8(ascii: "?")) else { return [] }
        while start < target.byteCount {
            let end = target.position(of: UInt8(ascii: "&"), from: start + 1) ?? target.byteCount
            let parameter = target.extracting(start + 1..<end)
            if parameter.begins("sid="), parameter.byteCount - 4 <= EngineIOSession.longestSID {
                return parameter.extracting(4..<parameter.byteCount).copy
            }
            start = end
        }
        return []
    }

    /// Adds the `sid` of the session, where it is known and not told yet.
    static func addSession(in context: PayloadContext, memory: PayloadMemory, to decoded: inout DecodedPayload) {
        var sid = memory[EngineIOSession.self].sid
        if sid.isEmpty { sid = session(of: context) }
        guard !sid.isEmpty, !decoded.entries.contains(where: { $0.key == Array("sid".utf8) }) else { return }
        decoded.note("sid", .text(sid))
    }

    /// Reads one packet in text.
    static func packet(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard bytes.byteCount > 0, (0x30...0x36).contains(bytes[0]) else {
            decoded.rename(EngineIO.self)
            return decoded.stop("it does not begin with the type of a packet", at: 0)
        }
        let type = Int(bytes[0]) - 0x30
        if type == 4, bytes.byteCount > 1, (0x30...0x36).contains(bytes[1]) {
            return message(bytes, in: context, memory: &memory, into: &decoded)
        }
        decoded.rename(EngineIO.self)
        decoded.add("type", .word(types[type].description), at: 0..<1)
        decoded.say(types[type])
        if type == 0 { return open(bytes, in: context, memory: &memory, into: &decoded) }
        let data = bytes.extracting(1..<bytes.byteCount)
        if !data.isEmpty {
            decoded.add("data", data.asContent, at: 1..<bytes.byteCount)
            decoded.say(" ", data.prefix(64).copy)
        }
        switch type {
        case 2:
            memory.calls.note(Array("ping".utf8) + data.prefix(64).copy, in: context)
            if data.copy != probe { judge(in: context, memory: &memory, into: &decoded) }
        case 3: decoded.addAnswer(to: Array("ping".utf8) + data.prefix(64).copy, in: context, memory: &memory)
        case _: break
        }
    }

    /// The packet with which the server opens a session.
    private static func open(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload)
    {
        guard bytes.byteCount > 1 else { return }
        guard let members = JSONParts(bytes, from: 1) else { return decoded.stop(JSONParts.problem(bytes, from: 1), at: 1) }
        guard members.isAll(of: bytes) else { return decoded.stop("something follows its JSON", at: members.end) }
        if let version = version(of: context) { decoded.note("protocol", .number(UInt64(version))) }
        var session = EngineIOSession()
        session.lastPing = context.time
        if let sid = members.string("sid", in: bytes), let at = members.value("sid", in: bytes) {
            decoded.add("sid", json: at, of: bytes)
            decoded.say(" ", sid)
            if sid.count <= EngineIOSession.longestSID { session.sid = sid }
        }
        if let upgrades = members.value("upgrades", in: bytes) { decoded.add("upgrades", json: upgrades, of: bytes) }
        for (key, words) in [("pingInterval", ", a ping every "), ("pingTimeout", ", answered within ")] as [(StaticString, StaticString)] {
            guard let range = members.value(key, in: bytes), let milliseconds = bytes.extracting(range).decimal else { continue }
            decoded.add(key, .number(milliseconds), at: range)
            decoded.say(words)
            decoded.say("\(milliseconds) ms".utf8)
            // More than a day is none that could be waited for.
            guard milliseconds <= 86_400_000 else { continue }
            let nanoseconds = Int64(milliseconds) * 1_000_000
            if key.bytes.isEqual(("pingInterval" as StaticString).bytes) {
                session.pingInterval = nanoseconds
            } else {
                session.pingTimeout = nanoseconds
            }
        }
        memory.session = session.sid
        memory[EngineIOSession.self] = session
    }

    /// Says of a ping that it came later than the server announced.
    private static func judge(in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let time = context.time else { return }
        var session = memory.take(EngineIOSession.self)
        let announced = session.pingInterval + session.pingTimeout
        if session.pingInterval > 0, let last = session.lastPing {
            let late = time.nanoseconds(since: last) - announced
            if late > 0 {
                decoded.note("late", .duration(late))
                decoded.say(", late by ", span: late)
            }
        }
        session.lastPing = time
        memory[EngineIOSession.self] = session
    }

    /// A message that has a packet of Socket.IO. One with attachments is told with the last of them.
    private static func message(
        _ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        let side = context.from == .client ? 0 : 1
        var session = memory.take(EngineIOSession.self)
        let abandoned = session.awaited[side]
        session.awaited[side] = nil
        memory[EngineIOSession.self] = session
        // The event before it never got all of its attachments.
        defer {
            if let missing = abandoned.map({ $0.wanted - $0.lengths.count }) {
                decoded.note("abandoned", .number(UInt64(missing)))
                decoded.say(", after an event of which ")
                decoded.say(missing, "attachment")
                decoded.say(" never came")
            }
        }
        var problem: SocketIOPacket.Problem = ("", 0)
        guard let packet = SocketIOPacket(bytes, from: 1, problem: &problem) else { return decoded.stop(problem.reason, at: problem.at) }
        let count = packet.attachments ?? 0
        guard count > 0, count <= UInt64(EngineIOSession.Awaited.mostAttachments), bytes.byteCount <= EngineIOSession.Awaited.mostBytes,
            !context.isCut
        else { return packet.tell(bytes, binary: nil, in: context, memory: &memory, into: &decoded) }
        var trial = PayloadMemory()
        var whole = decoded
        packet.tell(bytes, binary: nil, in: context, memory: &trial, into: &whole)
        if whole.hasStopped {
            decoded = whole
            return
        }
        memory[EngineIOSession.self].awaited[side] = .init(message: bytes.copy, wanted: Int(count), place: decoded.base)
        decoded.rename(EngineIO.self)
        decoded.add("type", .word("message"), at: 0..<1)
        decoded.add("attachments", .number(count), at: packet.attachmentsRange)
        decoded.say("message")
        if let place = packet.event(in: bytes) {
            let event = bytes.extracting(place).copy
            decoded.add("begins", .json(event), at: place)
            decoded.say(" begins ", event.dropFirst().dropLast())
        }
        decoded.say(", ")
        decoded.say(Int(count), "attachment")
        decoded.say(count == 1 ? " follows" : " follow")
    }

    /// A binary message: an attachment of the event before it.
    static func attachment(
        of length: UInt64, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload
    ) {
        let side = context.from == .client ? 0 : 1
        var session = memory.take(EngineIOSession.self)
        defer { memory[EngineIOSession.self] = session }
        guard var awaited = session.awaited[side] else {
            decoded.rename(EngineIO.self)
            decoded.note("type", .word("message"))
            decoded.say("binary message")
            return
        }
        session.awaited[side] = nil
        awaited.lengths.append(length)
        var problem: SocketIOPacket.Problem = ("", 0)
        guard awaited.lengths.count == awaited.wanted, let packet = SocketIOPacket(awaited.message.rawBytes, from: 1, problem: &problem)
        else {
            decoded.rename(EngineIO.self)
            decoded.note("type", .word("message"))
            decoded.note("attachment", .number(UInt64(awaited.lengths.count)))
            decoded.say("attachment \(awaited.lengths.count) of \(awaited.wanted)".utf8)
            session.awaited[side] = awaited
            return
        }
        // Its ranges are those of the event, which mostly came in a payload before.
        if let place = awaited.place { decoded.base = place }
        packet.tell(awaited.message.rawBytes, binary: awaited.lengths, in: context, memory: &memory, into: &decoded)
        if awaited.place == nil { decoded.forgetRanges() }
    }
}
