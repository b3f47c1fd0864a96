import Dissection

/// The client protocol of NATS (docs.nats.io/reference/reference-protocols/nats-protocol), of framed raw TCP. Requests are matched with the
/// message to their reply subject.
enum NATS: FramedFormat {
    typealias Grammar = NATSGrammar
    static var keys: [StaticString] {
        [
            "command", "account", "subject", "reply", "sid", "queue", "length", "headers", "payload", "options", "after", "message",
            "latency",
        ]
    }
    static var beatsAreAnswered: Bool { true }
    static var beatDelay: BeatDelay { .anyBytes }
    static var hasAllBeats: Bool { true }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        guard let feed = bytes.position(of: 0x0a), feed > 0, bytes[feed - 1] == 0x0d else {
            return decoded.stop("its first line has no end", at: 0)
        }
        var words: [Range<Int>] = []
        var position = 0
        while position < feed - 1, words.count < 64 {
            let start = position
            while position < feed - 1, bytes[position] != 0x20, bytes[position] != 0x09 { position += 1 }
            if position > start { words.append(start..<position) }
            position += 1
        }
        guard let first = words.first,
            let verb = Grammar.verbs.first(where: { bytes.extracting(first).isCaseInsensitively($0.name) })
        else {
            return decoded.stop("it does not begin with an operation of NATS", at: 0)
        }
        decoded.add("command", .word(verb.name.description), at: first)
        decoded.say(verb.name)
        let rest = first.upperBound + 1 <= feed - 1 ? first.upperBound + 1..<feed - 1 : feed - 1..<feed - 1
        if verb.hasPayload { return message(bytes, words, verb, payload: feed + 1, in: context, memory: &memory, into: &decoded) }
        switch verb.name.description {
        case "INFO", "CONNECT": options(bytes, rest, into: &decoded)
        case "SUB":
            guard verb.words.contains(words.count) else { return decoded.stop("it is not SUB subject [queue] sid", at: 0) }
            decoded.add("subject", text: words[1], of: bytes)
            if words.count == 4 { decoded.add("queue", text: words[2], of: bytes) }
            decoded.add("sid", text: words[words.count - 1], of: bytes)
            decoded.say(" ", bytes.extracting(words[1]))
        case "LS+", "LS-":
            guard verb.words.contains(words.count) else { return decoded.stop("it is not LS+ subject [queue weight]", at: 0) }
            decoded.add("subject", text: words[1], of: bytes)
            if words.count > 2 { decoded.add("queue", text: words[2], of: bytes) }
            decoded.say(" ", bytes.extracting(words[1]))
        case "RS+", "RS-":
            guard verb.words.contains(words.count) else { return decoded.stop("it is not RS+ account subject [queue weight]", at: 0) }
            // A route of one account alone does not name it.
            if words.count > 2 { decoded.add("account", text: words[1], of: bytes) }
            let subject = words[words.count > 2 ? 2 : 1]
            decoded.add("subject", text: subject, of: bytes)
            if words.count > 3 { decoded.add("queue", text: words[3], of: bytes) }
            decoded.say(" ", bytes.extracting(subject))
        case "A+", "A-":
            guard verb.words.contains(words.count) else { return decoded.stop("it is not A+ account", at: 0) }
            decoded.add("account", text: words[1], of: bytes)
            decoded.say(" ", bytes.extracting(words[1]))
        case "UNSUB":
            guard verb.words.contains(words.count) else { return decoded.stop("it is not UNSUB sid [count]", at: 0) }
            decoded.add("sid", text: words[1], of: bytes)
            if words.count == 3, let most = bytes.extracting(words[2]).decimal { decoded.add("after", .number(most), at: words[2]) }
            decoded.say(" ", bytes.extracting(words[1]))
        case "PING": memory.calls.note(Array("ping".utf8), inOrder: true, in: context)
        case "PONG": decoded.addAnswer(to: Array("ping".utf8), in: context, memory: &memory)
        case "-ERR":
            decoded.add("message", text: rest, of: bytes)
            decoded.say(" ", bytes.extracting(rest))
        case _: break
        }
        if feed + 1 < bytes.byteCount { decoded.stop("something follows its line", at: feed + 1) }
    }

    /// What a server or a client says of itself: not its password, token, signature or key.
    private static func options(_ bytes: RawSpan, _ range: Range<Int>, into decoded: inout DecodedPayload) {
        guard let members = JSONParts(bytes.extracting(0..<range.upperBound), from: range.lowerBound) else {
            return decoded.stop(JSONParts.problem(bytes.extracting(0..<range.upperBound), from: range.lowerBound), at: range.lowerBound)
        }
        var told: [DecodedPayload.Value.Member] = []
        for part in members.parts {
            let name = bytes.extracting(part.name)
            if ["pass", "auth_token", "jwt", "sig", "nkey", "nonce"].contains(where: { name.isWord($0) }) { continue }
            told.append(.init(name.copy, .json(bytes.extracting(part.value).copy), at: part.value))
        }
        decoded.add("options", .object(told), at: range)
        for key in ["server_name", "name", "user", "lang", "version"] as [StaticString] {
            guard let text = members.string(key, in: bytes), !text.isEmpty else { continue }
            decoded.say(" ", text)
        }
    }

    private static func message(
        _ bytes: RawSpan, _ words: [Range<Int>], _ verb: Grammar.Verb, payload start: Int, in context: PayloadContext,
        memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        // Subject, the sid of a message to a client, perhaps a reply subject, the length of headers where there are some, the whole length. Between
        // servers there is no sid, and queues may follow: `+` comes before a reply and them, `|` before them alone.
        guard verb.words.contains(words.count), let length = bytes.extracting(words[words.count - 1]).decimal else {
            return decoded.stop("its line has not the parts of its operation", at: 0)
        }
        // Of a route, the account comes first; a route of one account alone does not name it.
        let first = verb.name.description == "RMSG" && words.count > 3 ? 2 : 1
        if first > 1 { decoded.add("account", text: words[1], of: bytes) }
        let subject = words[first]
        decoded.add("subject", text: subject, of: bytes)
        decoded.say(" ", bytes.extracting(subject))
        var middle = words[first + 1..<max(first + 1, words.count - (verb.hasHeaders ? 2 : 1))]
        if verb.hasSubscription, let sid = middle.first, bytes.extracting(sid).decimal != nil {
            decoded.add("sid", text: sid, of: bytes)
            middle.removeFirst()
        }
        let hasQueues = middle.count > 1
        if hasQueues, bytes.extracting(middle[middle.startIndex]).begins("+") { middle.removeFirst() }
        let reply = hasQueues && middle.first.map { bytes.extracting($0).begins("|") } ?? false ? nil : middle.first
        if let reply {
            decoded.add("reply", text: reply, of: bytes)
            decoded.say(", reply to ", bytes.extracting(reply))
        }
        decoded.add("length", .number(length), at: words[words.count - 1])
        guard length <= UInt64(bytes.byteCount), start + Int(length) <= bytes.byteCount else {
            return decoded.stop("its length is more than came", at: words[words.count - 1].lowerBound)
        }
        var content = start
        let end = start + Int(length)
        if verb.hasHeaders {
            guard let count = bytes.extracting(words[words.count - 2]).decimal, count <= length else {
                return decoded.stop("the length of its headers is more than its own", at: words[words.count - 2].lowerBound)
            }
            content = start + Int(count)
            decoded.add("headers", text: start..<content, of: bytes)
        }
        decoded.add(
            InnerPayload(topic: bytes.extracting(subject).copy), bytes.extracting(content..<end), at: content..<end, in: context)
        if let reply {
            let name = bytes.extracting(subject).copy
            // What a server passes on need not be answered by each that gets it.
            let isOwed = context.from == .client && bytes.extracting(reply).begins("_INBOX.")
            memory.calls.note(
                Array("nats".utf8) + bytes.extracting(reply).copy, name: name, owed: isOwed ? "request ".utf8 + name : [], in: context)
        } else {
            decoded.addAnswer(to: Array("nats".utf8) + bytes.extracting(subject).copy, in: context, memory: &memory)
        }
        guard end + 2 == bytes.byteCount, bytes[end] == 0x0d, bytes[end + 1] == 0x0a else {
            return decoded.stop("its payload does not end where its length says", at: end)
        }
    }
}

extension RawSpan {
    /// Whether the bytes are this word, whatever the case of both.
    func isCaseInsensitively(_ word: StaticString) -> Bool {
        let word = word.bytes
        guard byteCount == word.byteCount else { return false }
        for index in 0..<byteCount {
            func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5a ~= byte ? byte | 0x20 : byte }
            if lower(self[index]) != lower(word[index]) { return false }
        }
        return true
    }
}
