import Dissection

// What each kind of record tells, as the fact that it was made of: the opposite of the files in Records/.

extension LoggedRecord {
    /// The fact of a record of a conversation, or of a finding about the input; nil for a kind that is not known here.
    mutating func fact(_ findings: FindingRows) throws(Problem) -> Fact? {
        switch String(decoding: try words("kind"), as: UTF8.self) {
        case "opened": .opened(try opening())
        case "tls": .tls(try filled())
        case "request": .request(try request())
        case "response": .response(try response())
        case "body": .body(try body())
        case "upgrade": .upgrade(try filled())
        case "frame": .frame(try frame())
        case "message": .message(try message())
        case "ping": try control(.ping)
        case "pong":
            try control(
                .pong(Pong(roundTrip: value["roundTrip"]?.nanoseconds, unsolicited: value["unsolicited"]?.boolean ?? false)))
        case "close": try control(.close(CloseFrame(code: value["code"] == nil ? nil : try number("code", as: UInt16.self))))
        case "control": .control(try filled())
        case "data": .data(try data())
        case "gap": .gap(try filled())
        case "finding": .finding(try finding(findings))
        case "closed": .closed(try closing())
        case _: nil
        }
    }

    private mutating func control(_ fact: Fact) throws(Problem) -> Fact {
        _ = try addPayload()
        return fact
    }

    private mutating func opening() throws(Problem) -> Opening {
        var opening: Opening = try filled()
        if opening.server.address.family == .none, opening.server.port == 0, let target = value["via"]?["target"]?.string {
            opening.server.port = Self.port(of: target)
        }
        return opening
    }

    /// The port that a client asked a proxy for, `host:port` or a URL; 0 where it names none. A server of which only the name is known has
    /// none in its record.
    private static func port(of target: [UInt8]) -> UInt16 {
        let text = String(decoding: target, as: UTF8.self)
        let authority = text.components(after: "://").prefix { $0 != "/" && $0 != "?" }
        guard let colon = authority.lastIndex(of: ":") else { return 0 }
        return UInt16(authority[authority.index(after: colon)...]) ?? 0
    }

    /// The certificates as they stand in an event.
    func certificates(_ shown: JSONValue?, _ key: String) throws(Problem) -> [UInt8] {
        var list: [UInt8] = []
        for certificate in shown?.elements ?? [] {
            var entry = CertificateEntry()
            guard let digest = certificate["sha256"]?.string.flatMap({ [UInt8](hexadecimal: $0.rawBytes) }), digest.count == 32 else {
                throw Problem(words: "its \"\(key)\" have one without a \"sha256\" of 64 hexadecimal digits")
            }
            entry.sha256 = digest
            entry.subject = onWire(certificate["subject"]?.string ?? [])
            entry.issuer = onWire(certificate["issuer"]?.string ?? [])
            entry.notBefore = certificate["notBefore"]?.string.flatMap(Self.secondsOfDate)
            entry.notAfter = certificate["notAfter"]?.string.flatMap(Self.secondsOfDate)
            for name in certificate["names"]?.elements ?? [] { entry.add(name: onWire(name.string ?? []).rawBytes) }
            entry.append(to: &list)
        }
        return list
    }

    /// Certificates may be valid for longer than a `Timestamp` reaches.
    private static func secondsOfDate(_ text: [UInt8]) -> Int64? {
        let numbers = text.split { !(0x30...0x39).contains($0) }.map { $0.prefix(4).reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        guard text.count == 20, numbers.count == 6, (1...12).contains(numbers[1]) else { return nil }
        return CivilTime(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4], second: numbers[5]
        ).seconds
    }

    private mutating func request() throws(Problem) -> RequestHead {
        let method = add(wire: try words("method"))
        _ = add([0x20])
        let target = add(wire: try words("target"))
        // The whole head, as long as on the wire: what HTTP/0.9 sends has neither a version nor an end.
        let isSimple = value["version"]?.string?.isEmpty ?? true
        if !isSimple { _ = add([0x20]) }
        let version = add("version")
        _ = add([0x0d, 0x0a])
        let fields = try addFields("headers")
        if !isSimple { _ = add([0x0d, 0x0a]) }
        return RequestHead(
            method: method, target: target, version: version, fields: fields, exchange: value["exchange"]?.unsigned ?? 0,
            priority: try priority())
    }

    private mutating func response() throws(Problem) -> ResponseHead {
        let status = try number("status", as: UInt16.self)
        let version = add("version")
        _ = add([0x20])
        _ = add(Array(String(status).utf8))
        _ = add([0x20])
        let reason = add("reason")
        _ = add([0x0d, 0x0a])
        let fields = try addFields("headers")
        _ = add([0x0d, 0x0a])
        var head = ResponseHead(
            status: status, version: version, reason: reason, fields: fields, latency: value["latency"]?.nanoseconds)
        if let exchange = value["exchange"]?.unsigned {
            let method = onWire(try words("method"))
            let target = onWire(try words("target"))
            asked = method + target
            head.asked = AskedRequest(
                exchange: exchange, method: ByteRange(0..<method.count), target: ByteRange(method.count..<asked.count),
                isCut: value["truncated"]?.boolean ?? false)
        }
        return head
    }

    private mutating func body() throws(Problem) -> BodyPart {
        let encoding = add("encoding")
        let trailers = value["trailers"] == nil ? ByteRange() : try addFields("trailers")
        var part = BodyPart(
            length: try number("length"), wireLength: try number("wireLength"), part: try number("part", as: UInt32.self),
            final: try boolean("final"), encoding: encoding, payload: try addPayload(), trailers: trailers)
        if value["element"] != nil { part.element = try word("element", of: BodyPart.Element.self) { $0.word } }
        (part.isUnfinished, part.announced) = try unfinished()
        return part
    }

    private func priority() throws(Problem) -> StreamPriority? {
        guard value["dependsOn"] != nil else { return nil }
        return StreamPriority(
            dependsOn: try number("dependsOn", as: UInt32.self), weight: try number("weight", as: UInt16.self),
            isExclusive: try boolean("exclusive"))
    }

    private func frame() throws(Problem) -> FrameHeader {
        let key = value["maskingKey"]?.string.flatMap { UInt32(hexadecimal: $0.rawBytes) }
        return FrameHeader(
            opcode: try number("opcode", as: UInt8.self), fin: try boolean("fin"), rsv: try number("rsv", as: UInt8.self),
            masked: try boolean("masked"), maskingKey: key ?? 0, length: try number("length"),
            headerLength: try number("headerLength", as: UInt8.self))
    }

    private mutating func message() throws(Problem) -> Message {
        if let framing = value["framing"] {
            _ = try addPayload()
            var message = Message(cut: try frame(framing), length: try number("length"), wireLength: try number("wireLength"))
            (message.isUnfinished, message.announced) = try unfinished()
            return message
        }
        var opcode: UInt8 = 1
        if let word = value["opcode"]?.string {
            guard word == Array("text".utf8) || word == Array("binary".utf8) else { throw missing("opcode", "text, binary or number") }
            opcode = word == Array("text".utf8) ? 1 : 2
        } else {
            opcode = try number("opcode", as: UInt8.self)
        }
        _ = try addPayload()
        var message = Message(
            opcode: opcode, length: try number("length"), wireLength: try number("wireLength"),
            fragments: try number("fragments", as: UInt32.self), compressed: try boolean("compressed"))
        (message.isUnfinished, message.announced) = try unfinished()
        return message
    }

    /// Whether a message or a body was not finished, and the length that was announced, where the record has it.
    func unfinished() throws(Problem) -> (Bool, UInt64?) {
        guard value["unfinished"] != nil, try boolean("unfinished") else { return (false, nil) }
        return (true, value["announced"] == nil ? nil : try number("announced"))
    }

    private mutating func data() throws(Problem) -> DataRun {
        var run = DataRun(length: try number("length"))
        if let decoded = value["decoded"], value["framing"]?.string == Array("tls".utf8) {
            if decoded["as"]?.string == Array("ssl2".utf8) {
                run.framing = .ssl2Record
            } else if let type = decoded["type"]?.unsigned.flatMap(UInt8.init(exactly:)) {
                run.framing = .tlsRecord(contentType: type)
            } else if let name = decoded["type"]?.string,
                let type = (0...UInt8.max).first(where: { TLSContentType.name($0)?.bytes.isEqual(name.rawBytes) ?? false })
            {
                run.framing = .tlsRecord(contentType: type)
            }
        }
        if let name = value["decoded"]?["handshake"]?.string, run.framing != nil {
            run.handshakeMessage = (0...UInt8.max).first { TLSNames.messageAfterHandshake($0)?.bytes.isEqual(name.rawBytes) ?? false }
        }
        if run.framing == nil {
            run.isHeaderBlock = value["headerBlock"]?.boolean ?? false
            run.isAfterClose = value["afterClose"]?.boolean ?? false
            _ = try addPayload()
        }
        return run
    }

    private mutating func finding(_ rows: FindingRows) throws(Problem) -> Finding {
        let (id, detail) = (String(decoding: try words("id"), as: UTF8.self), try words("detail"))
        let severity = try word("severity", of: Severity.self) { $0.word }
        if let row = rows[id] {
            if let read = LoggedSentence.finding(row, detail, onWire: onWire) {
                _ = add(read.text)
                return read.finding
            }
            _ = add(detail)
            return Finding(worded: row)
        }
        _ = add(Array("\(id) (\(severity.word)): ".utf8) + detail)
        return Finding(.recordFindingUnknown)
    }

    private mutating func closing() throws(Problem) -> Closing {
        var closing: Closing = try filled()
        // Without a clock nothing says after which time it was answered.
        closing.isAnswered = closing.answered != nil || value["time"] == nil
        // The record has the time of the last packet.
        if let last = value["time"]?.string.flatMap(Timestamp.init(rfc3339:)) {
            let past = closing.lingered ?? closing.answered ?? 0
            let (ended, isBeyond) = last.nanoseconds.subtractingReportingOverflow(past)
            closing.endedAt = isBeyond ? last : Timestamp(nanoseconds: ended)
        }
        return closing
    }
}

/// The rows of the catalogue by their ids.
struct FindingRows {
    private let rows = Dictionary(FindingCatalogue.rows.map { ($0.id, $0) }) { first, _ in first }

    subscript(id: String) -> FindingRow? { rows[id] }
}

extension String {
    /// What follows the first such mark; all of it where there is none.
    fileprivate func components(after mark: String) -> Substring { firstRange(of: mark).map { self[$0.upperBound...] } ?? self[...] }
}
