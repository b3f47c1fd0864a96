import Dissection

/// XMPP: stanzas of raw TCP (RFC 6120) and of WebSocket messages with the subprotocol `xmpp` (RFC 7395). Queries are matched by `id`.
enum XMPP: FramedFormat {
    typealias Grammar = XMPPGrammar
    static var keys: [StaticString] {
        [
            "stanza", "type", "to", "from", "id", "namespace", "child", "childNamespace", "body", "mechanism", "end", "latency",
        ]
    }
    static var beatDelay: BeatDelay { .ownBytes }

    static let occasions: PayloadOccasions = [.framed, .agreedText]

    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood {
        if context.isFramed(by: name) { return .agreed }
        return context.carrier == .message && context.isText && context.speaks("xmpp") ? .agreed : .no
    }

    static func decode(_ bytes: RawSpan, in context: PayloadContext, memory: inout PayloadMemory, into decoded: inout DecodedPayload) {
        var start = blanks(bytes, from: 0)
        if start == bytes.byteCount {
            decoded.add("stanza", .word("keep-alive"), at: 0..<bytes.byteCount)
            decoded.say("keep-alive")
            return
        }
        if bytes.suffix(from: start).begins("<?xml") {
            guard let close = bytes.position(of: UInt8(ascii: ">"), from: start) else {
                return decoded.stop("its XML declaration has no end", at: start)
            }
            let declaration = start..<close + 1
            start = blanks(bytes, from: close + 1)
            if start == bytes.byteCount {
                decoded.add("stanza", .word("declaration"), at: declaration)
                decoded.say("XML declaration")
                return
            }
        }
        guard bytes[start] == UInt8(ascii: "<") else { return decoded.stop("it does not begin with a tag", at: start) }
        var failure = start
        guard let root = XMLTag(bytes, at: start, failure: &failure) else {
            return decoded.stop("a tag is not valid or not whole", at: failure)
        }
        let stanza = bytes.extracting(root.localName(in: bytes))
        decoded.add("stanza", text: root.localName(in: bytes), of: bytes)
        decoded.say(root.kind == .end ? "end of " : "", stanza)
        if root.kind == .end {
            decoded.add("end", .flag(true), at: start..<root.end)
            return
        }
        for key in ["type", "to", "from", "id"] as [StaticString] {
            guard let range = root.value(key, in: bytes) else { continue }
            let text = XMLText.undone(bytes.extracting(range))
            decoded.add(key, .text(text), at: range)
            if key.bytes.isWord("id") { continue }
            decoded.say(key.bytes.isWord("type") ? " " : key.bytes.isWord("to") ? " to " : " from ")
            decoded.say(text)
        }
        for (key, name) in [("namespace", "xmlns"), ("mechanism", "mechanism")] as [(StaticString, StaticString)] {
            guard let range = root.value(name, in: bytes) else { continue }
            decoded.add(key, text: range, of: bytes)
            if key.bytes.isWord("mechanism") {
                decoded.say(" ", bytes.extracting(range))
            }
        }
        let content = Content(bytes, of: root)
        if let child = content.child {
            decoded.add("child", text: child.name, of: bytes)
            decoded.say("  ", bytes.extracting(child.name))
            if let namespace = child.namespace {
                decoded.add("childNamespace", text: namespace, of: bytes)
                decoded.say(" ", bytes.extracting(namespace))
            }
        }
        if let body = content.body {
            let text = XMLText.undone(bytes.extracting(body))
            decoded.add("body", .text(text), at: body)
            decoded.say("  ", text.rawBytes)
        }
        answer(bytes, root, stanza, in: context, memory: &memory, into: &decoded)
        // A stream has no end but that of the connection.
        if let problem = content.problem, !(stanza.isWord("stream") && problem.at == bytes.byteCount) {
            decoded.stop(problem.reason, at: problem.at)
        }
    }

    private static func answer(
        _ bytes: RawSpan, _ root: XMLTag, _ stanza: RawSpan, in context: PayloadContext, memory: inout PayloadMemory,
        into decoded: inout DecodedPayload
    ) {
        guard stanza.isWord("iq"), let id = root.value("id", in: bytes), let type = root.value("type", in: bytes) else { return }
        let key = Array("iq".utf8) + XMLText.undone(bytes.extracting(id))
        let kind = bytes.extracting(type)
        if kind.isWord("get") || kind.isWord("set") {
            memory.calls.note(key, owed: "iq ".utf8 + kind.copy + " (id ".utf8 + XMLText.undone(bytes.extracting(id)) + [0x29], in: context)
        } else if kind.isWord("result") || kind.isWord("error") {
            decoded.addAnswer(to: key, in: context, memory: &memory)
        }
    }

    private static func blanks(_ bytes: RawSpan, from start: Int) -> Int {
        var position = start
        while position < bytes.byteCount, bytes[position] == 0x20 || 0x09...0x0d ~= bytes[position] { position += 1 }
        return position
    }

    /// What is inside of a stanza: its first child, and the text of its `body`. Depth costs nothing: names of end tags are not compared.
    private struct Content {
        var child: (name: Range<Int>, namespace: Range<Int>?)?
        var body: Range<Int>?
        var problem: (reason: StaticString, at: Int)?

        init(_ bytes: RawSpan, of root: XMLTag) {
            // The text of an error of a stream or of a login (RFC 6120, sections 4.9.2 and 6.5) says what a body does.
            let name = bytes.extracting(root.localName(in: bytes))
            let isError = name.isWord("error") || name.isWord("failure")
            var position = root.end
            var depth = root.kind == .start ? 1 : 0
            var bodyStart: Int?
            while depth > 0 {
                guard let next = bytes.position(of: UInt8(ascii: "<"), from: position) else {
                    problem = ("its stanza has no end", bytes.byteCount)
                    return
                }
                if bytes.suffix(from: next).begins("<![CDATA[") {
                    guard let end = XMLText.position(after: "]]>", in: bytes, from: next + 9) else {
                        problem = ("a CDATA section has no end", next)
                        return
                    }
                    position = end
                    continue
                }
                var failure = next
                guard let tag = XMLTag(bytes, at: next, failure: &failure) else {
                    problem = ("a tag is not valid or not whole", failure)
                    return
                }
                if depth == 1, tag.kind != .end {
                    if child == nil { child = (tag.name, tag.value("xmlns", in: bytes)) }
                    if tag.kind == .start, body == nil, bytes.extracting(tag.localName(in: bytes)).isWord(isError ? "text" : "body") {
                        bodyStart = tag.end
                    }
                }
                if tag.kind == .start { depth += 1 }
                if tag.kind == .end {
                    depth -= 1
                    if depth == 1, let start = bodyStart {
                        body = start..<next
                        bodyStart = nil
                    }
                }
                position = tag.end
            }
            let rest = XMPP.blanks(bytes, from: position)
            if rest < bytes.byteCount { problem = ("something follows its stanza", rest) }
        }
    }
}
