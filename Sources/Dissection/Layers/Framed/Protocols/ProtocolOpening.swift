/// How the first bytes of a protocol look that frames itself. Taking something else for one of them is worse than not knowing one, so that
/// each needs more than a word.
extension FramedProtocol {
    enum Beginning: Equatable {
        case found(FramedProtocol)
        case undecided
        case none
    }

    /// More is not waited for.
    private static let mostBytes = 2_048

    /// What both sides have begun, whose bytes so far these are. Never another answer for more bytes than for fewer, but for `undecided`.
    static func begun(client: RawSpan, server: RawSpan) -> Beginning {
        var answer = Beginning.none
        for name in Self.allCases {
            switch name.begins(client, server) {
            case .yes: return .found(name)
            case .undecided: answer = .undecided
            case .no: continue
            }
        }
        return answer
    }

    private func begins(_ client: RawSpan, _ server: RawSpan) -> Recognized {
        switch self {
        case .mqtt: client.byteCount == 0 ? .no : Self.beginsMQTT(client)
        case .amqp: Self.beginsAMQP(client, server)
        case .nats: Self.beginsNATS(client, server)
        case .redis: Self.beginsRedis(client)
        case .stomp: Self.beginsSTOMP(client, server)
        case .irc: Self.beginsIRC(client, server)
        case .xmpp: Self.beginsXMPP(client)
        }
    }

    /// Whether bytes begin so. A side that has not spoken does not.
    private static func begin(_ bytes: RawSpan, with words: [UInt8]) -> Recognized {
        guard bytes.byteCount > 0 else { return .no }
        for index in 0..<min(bytes.byteCount, words.count) where bytes[index] != words[index] { return .no }
        return bytes.byteCount >= words.count ? .yes : .undecided
    }

    private static func begin(_ bytes: RawSpan, with words: String) -> Recognized { begin(bytes, with: Array(words.utf8)) }

    /// Whether bytes begin in one of these ways.
    private static func begin(_ bytes: RawSpan, withOneOf all: [String]) -> Recognized {
        var answer = Recognized.no
        for words in all {
            switch begin(bytes, with: words) {
            case .yes: return .yes
            case .undecided: answer = .undecided
            case .no: continue
            }
        }
        return answer
    }

    /// CONNECT with its length, the name of the protocol and a level that there is (MQTT 5, section 3.1).
    private static func beginsMQTT(_ client: RawSpan) -> Recognized {
        guard client[0] == 0x10 else { return .no }
        var position = 1
        while true {
            guard position < client.byteCount else { return .undecided }
            position += 1
            if client[position - 1] & 0x80 == 0 { break }
            guard position < 5 else { return .no }
        }
        let rest = client.suffix(from: position)
        guard rest.byteCount > 0 else { return .undecided }
        for (name, levels) in [([0x00, 0x04, 0x4D, 0x51, 0x54, 0x54], 3...5), ([0x00, 0x06, 0x4D, 0x51, 0x49, 0x73, 0x64, 0x70], 3...3)]
            as [([UInt8], ClosedRange<UInt8>)]
        {
            switch begin(rest, with: name) {
            case .no: continue
            case .undecided: return .undecided
            case .yes:
                guard rest.byteCount > name.count else { return .undecided }
                return levels.contains(rest[name.count]) ? .yes : .no
            }
        }
        return .no
    }

    /// The protocol header, or, of a connection whose beginning was not captured, frames: one with a method of a class that there is, or two
    /// (AMQP 0-9-1, sections 2.3.5 and 4.2.3).
    private static func beginsAMQP(_ client: RawSpan, _ server: RawSpan) -> Recognized {
        let greeting = begin(client, with: [0x41, 0x4D, 0x51, 0x50, 0x00, 0x00, 0x09, 0x01])
        guard greeting == .no else { return greeting }
        let (ours, theirs) = (framesOfAMQP(client), framesOfAMQP(server))
        guard ours.answer != .no, theirs.answer != .no else { return .no }
        if ours.answer == .yes || theirs.answer == .yes || ours.count + theirs.count > 1 { return .yes }
        return client.byteCount + server.byteCount > 0 ? .undecided : .no
    }

    /// How many whole frames bytes begin with, as far as that has to be known; undecided where they are nothing else.
    private static func framesOfAMQP(_ bytes: RawSpan) -> (answer: Recognized, count: Int) {
        var (position, count) = (0, 0)
        while count < 2, position < bytes.byteCount {
            let rest = bytes.suffix(from: position)
            let type = rest[0]
            guard type == 1 || type == 2 || type == 3 || type == 8 else { return (.no, count) }
            guard rest.byteCount >= 7 else { break }
            let length = Int(rest.bigEndianUInt32(at: 3))
            guard length < 1 << 17, type != 1 || length >= 4, type != 8 || length == 0 else { return (.no, count) }
            // A body that takes long is not waited for: all else would wait for it.
            guard rest.byteCount > 7 + length else {
                if length > mostBytes || type == 2 || type == 3 { return (.no, count) }
                break
            }
            guard rest[7 + length] == 0xCE else { return (.no, count) }
            // connection, channel, access, exchange, queue, basic, confirm, tx
            if type == 1 { return (rest[7] == 0 && [10, 20, 30, 40, 50, 60, 85, 90].contains(rest[8]) ? .yes : .no, count + 1) }
            count += 1
            position += 8 + length
        }
        return (.undecided, count)
    }

    /// The server's INFO as its servers write it, or any INFO that a CONNECT answers.
    private static func beginsNATS(_ client: RawSpan, _ server: RawSpan) -> Recognized {
        let opening = begin(server, with: "INFO {")
        guard opening != .no else { return .no }
        if client.byteCount == 0 {
            if begin(server, with: "INFO {\"server_id\"") == .yes { return .yes }
            return server.byteCount < mostBytes ? .undecided : .no
        }
        let answer = begin(client, with: "CONNECT {")
        return opening == .yes || answer == .no ? answer : .undecided
    }

    /// A command as an array of bulk strings: `*1\r\n$4\r\nPING\r\n`.
    private static func beginsRedis(_ client: RawSpan) -> Recognized {
        guard client.byteCount > 0 else { return .no }
        var position = 0
        for mark in [UInt8(ascii: "*"), UInt8(ascii: "$")] {
            guard position < client.byteCount else { return .undecided }
            guard client[position] == mark else { return .no }
            position += 1
            let start = position
            while position < client.byteCount, (0x30...0x39).contains(client[position]), position - start < 4 { position += 1 }
            guard position < client.byteCount else { return .undecided }
            guard position > start, client[start] != 0x30, client[position] == 0x0D else { return .no }
            guard position + 1 < client.byteCount else { return .undecided }
            guard client[position + 1] == 0x0A else { return .no }
            position += 2
        }
        guard position < client.byteCount else { return .undecided }
        let first = client[position] & 0xDF
        return (0x41...0x5A).contains(first) ? .yes : .no
    }

    /// CONNECT or STOMP with a header line, and CONNECTED or ERROR as the answer.
    private static func beginsSTOMP(_ client: RawSpan, _ server: RawSpan) -> Recognized {
        let opening = begin(client, withOneOf: ["CONNECT\n", "CONNECT\r\n", "STOMP\n", "STOMP\r\n"])
        guard opening == .yes else { return opening }
        if server.byteCount > 0 { return begin(server, withOneOf: ["CONNECTED\n", "CONNECTED\r\n", "ERROR\n", "ERROR\r\n"]) }
        return client.byteCount < mostBytes ? .undecided : .no
    }

    /// A client that registers, and a server that answers with its name, or talks of itself (RFC 2812, sections 2.3.1 and 3.1).
    private static func beginsIRC(_ client: RawSpan, _ server: RawSpan) -> Recognized {
        let registration = client.byteCount == 0 ? Recognized.undecided : begin(client, withOneOf: ["NICK ", "USER ", "CAP ", "PASS "])
        guard registration != .no else { return .no }
        guard server.byteCount > 0 else { return client.byteCount > 0 && client.byteCount < mostBytes ? .undecided : .no }
        let answer = beginsIRC(server)
        return answer == .yes ? registration : answer
    }

    private static func beginsIRC(_ server: RawSpan) -> Recognized {
        guard server[0] == UInt8(ascii: ":") else { return begin(server, withOneOf: ["NOTICE ", "PING :", "ERROR :"]) }
        var position = 1
        while position < server.byteCount, server[position] > 0x20, server[position] < 0x7F { position += 1 }
        guard position < server.byteCount else { return .undecided }
        guard position > 1, position < 256, server[position] == 0x20 else { return .no }
        let rest = server.suffix(from: position + 1)
        guard rest.byteCount > 0 else { return .undecided }
        if (0x30...0x39).contains(rest[0]) {
            for index in 0..<4 {
                guard index < rest.byteCount else { return .undecided }
                guard index < 3 ? (0x30...0x39).contains(rest[index]) : rest[index] == 0x20 else { return .no }
            }
            return .yes
        }
        return begin(rest, withOneOf: ["NOTICE ", "CAP ", "PING ", "AUTHENTICATE "])
    }

    /// The opening tag of a stream, behind an XML declaration or not.
    private static func beginsXMPP(_ client: RawSpan) -> Recognized {
        let tag = begin(client, with: "<stream:stream")
        if tag != .no { return tag }
        let declaration = begin(client, with: "<?xml ")
        guard declaration == .yes else { return declaration }
        for index in 6..<min(client.byteCount, 256) where client[index] == UInt8(ascii: "<") {
            return begin(client.suffix(from: index), with: "<stream:stream")
        }
        return client.byteCount < 256 ? .undecided : .no
    }
}
