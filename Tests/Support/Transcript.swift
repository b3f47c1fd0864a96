package import Dissection

/// A sink that writes each event as one line, for tests that read as dialogues.
///
/// ```
/// opened handshake
/// > @0 request GET /chat HTTP/1.1 {Host: a} {Upgrade: websocket}
/// < @0 message text 5 B "Hello"
/// < @0 ! websocket.mask-unexpected
/// > @7 gap 12 missing
/// closed client fin  client fin 31 B  server fin 12 B
/// ```
///
/// `>` is the client, `<` the server, `|` a channel inside, `@n` the offset. Times and packets are left out; adjacent `data` of a direction
/// is joined, because how a stream is cut into runs says nothing.
package struct Transcript: ConversationSink {
    package private(set) var lines: [String] = []
    /// Frames are told as well.
    package var showsFrames: Bool
    private var openData: (side: Side?, offset: UInt64?, channel: ByteChannel, bytes: [UInt8])?

    package init(showsFrames: Bool = false) { self.showsFrames = showsFrames }

    package mutating func receive(_ event: borrowing ConversationEvent) {
        if case .data(let run) = event.fact, run.framing == nil, !run.isAfterClose {
            let bytes = Transcript.copy(event.content)
            if let open = openData, open.side == event.from, open.channel == event.channel {
                openData = (open.side, open.offset, open.channel, open.bytes + bytes)
            } else {
                flush()
                openData = (event.from, event.offset, event.channel, bytes)
            }
            return
        }
        if case .frame = event.fact, !showsFrames { return }
        flush()
        lines.append(Transcript.mark(event.from, event.offset, event.channel) + Transcript.line(event))
    }

    /// Everything told, the last run of data included.
    package mutating func finished() -> [String] {
        flush()
        return lines
    }

    private mutating func flush() {
        guard let open = openData else { return }
        lines.append(Transcript.mark(open.side, open.offset, open.channel) + "data \(Transcript.show(open.bytes))")
        openData = nil
    }

    private static func mark(_ side: Side?, _ offset: UInt64?, _ channel: ByteChannel) -> String {
        let who = side.map { $0 == .client ? "> " : "< " } ?? ""
        let stream = channel.stream > 0 ? "#\(channel.stream) " : ""
        return who + String(repeating: "| ", count: Int(channel.depth)) + stream + (offset.map { "@\($0) " } ?? "")
    }

    private static func certificates(
        _ event: borrowing ConversationEvent, _ range: ByteRange, _ title: String = "certificate"
    ) -> String {
        let bytes = copy(event.bytes(range))
        var (list, text) = (CertificateList(bytes.rawBytes), "")
        while let certificate = list.next() {
            var (names, shown) = (certificate.names, [String]())
            while let name = names.next() { shown.append(String(decoding: copy(name), as: UTF8.self)) }
            func time(_ seconds: Int64?) -> String { seconds.map { CivilTime(seconds: $0).text(between: " ") } ?? "-" }
            text += " \(title) \(String(decoding: copy(certificate.subject), as: UTF8.self)) by "
            text += "\(String(decoding: copy(certificate.issuer), as: UTF8.self)) for \(shown.joined(separator: " ")) "
            text += "from \(time(certificate.notBefore)) to \(time(certificate.notAfter))"
        }
        return text
    }

    private static func line(_ event: borrowing ConversationEvent) -> String {
        switch event.fact {
        case .opened(let opening):
            return "opened \(opening.start) by \(opening.roles)"
        case .tls(let tls):
            let version = tls.version.map { String($0, radix: 16) } ?? "-"
            let cipher = tls.cipher.map { String($0, radix: 16) } ?? "-"
            return "tls name \(text(event, tls.serverName)) alpn \(text(event, tls.alpn)) version \(version) cipher \(cipher)"
                + certificates(event, tls.certificates)
                + certificates(event, tls.clientCertificates, "client's certificate")
        case .request(let head):
            let priority = head.priority.map { " after \($0.dependsOn) weight \($0.weight)\($0.isExclusive ? " exclusive" : "")" } ?? ""
            return
                "request \(text(event, head.method)) \(text(event, head.target)) \(text(event, head.version))\(fields(event, head.fields))\(priority)"
        case .response(let head):
            return "response \(head.status) \(text(event, head.reason))\(fields(event, head.fields))"
        case .body(let body):
            let coding = body.encoding.isEmpty ? "" : " \(text(event, body.encoding))"
            let end = body.final ? " final" : ""
            return "body \(body.part)\(end)\(coding) \(body.length)/\(body.wireLength) B "
                + show(copy(event.bytes(body.payload))) + fields(event, body.trailers)
        case .upgrade(let upgrade):
            var line = "upgrade \(text(event, upgrade.protocolName)) \(upgrade.accepted ? "accepted" : "refused")"
            if !upgrade.subprotocol.isEmpty { line += " subprotocol \(text(event, upgrade.subprotocol))" }
            if !upgrade.extensions.isEmpty { line += " extensions \(text(event, upgrade.extensions))" }
            if let c = upgrade.compression {
                line += " deflate client \(c.clientTakeover ? "keeps" : "resets") \(c.clientWindowBits)"
                line += " server \(c.serverTakeover ? "keeps" : "resets") \(c.serverWindowBits)"
            }
            return line
        case .frame(let frame):
            let mask = frame.masked ? " masked \(String(frame.maskingKey, radix: 16))" : ""
            return "frame \(frame.opcode)\(frame.fin ? " fin" : "") rsv \(frame.rsv)\(mask) \(frame.headerLength)+\(frame.length) B"
        case .message(let message) where message.frame != nil:
            let guessed = message.frame?.guess == nil ? "" : " guessed"
            let wire = message.wireLength == message.length ? "" : "/\(message.wireLength)"
            let cut = UInt64(event.content.byteCount) < message.length ? " cut" : ""
            return "message\(guessed) \(message.length)\(wire) B\(cut) \(show(copy(event.content)))"
        case .message(let message):
            let kind = message.opcode == 1 ? "text" : message.opcode == 2 ? "binary" : "opcode \(message.opcode)"
            let fragments = message.fragments == 1 ? "" : " in \(message.fragments)"
            let deflated = message.compressed ? " deflated \(message.wireLength)" : ""
            let cut = UInt64(event.content.byteCount) < message.length ? " cut" : ""
            return "message \(kind) \(message.length) B\(fragments)\(deflated)\(cut) \(show(copy(event.content)))"
        case .ping:
            return "ping \(show(copy(event.content)))"
        case .pong(let pong):
            return "pong \(show(copy(event.content)))\(pong.unsolicited ? " unsolicited" : "")"
        case .close(let close):
            return "close \(close.code.map(String.init) ?? "-") \(show(copy(event.content)))"
        case .control(let frame):
            let code = frame.code.map { " \(ControlFrame.name(of: $0)?.description ?? String($0))" } ?? ""
            let last = frame.lastStream.map { " last \($0)" } ?? ""
            return "\(frame.kind)\(code)\(last)\(fields(event, frame.settings))" + (frame.text.isEmpty ? "" : " \(text(event, frame.text))")
        case .data(let run):
            return
                "data \(run.isAfterClose ? "afterClose " : "")\(run.length) B \(run.framing.map { "\($0)" } ?? "") \(show(copy(event.content)))"
        case .gap(let gap):
            return "gap \(gap.length) \(gap.cause)"
        case .finding(let finding):
            return "! \(finding.row.id) a=\(finding.a) b=\(finding.b)"
        case .closed(let closing):
            let code = closing.code.map { " \($0)" } ?? ""
            return "closed \(closing.by) \(closing.how)\(code)"
                + "  client \(totals(closing.clientEnd, closing.client))  server \(totals(closing.serverEnd, closing.server))"
        }
    }

    private static func totals(_ end: Closing.End, _ totals: SideTotals) -> String {
        var line = "\(end) \(totals.bytes) B"
        if totals.messages > 0 { line += " \(totals.messages) messages" }
        if totals.missing > 0 { line += " \(totals.missing) missing" }
        return line
    }

    private static func text(_ event: borrowing ConversationEvent, _ range: ByteRange) -> String {
        String(decoding: copy(event.bytes(range)), as: UTF8.self)
    }

    /// Field lines as they stand, each in braces.
    private static func fields(_ event: borrowing ConversationEvent, _ range: ByteRange) -> String {
        let lines = copy(event.bytes(range)).split(separator: 0x0A, omittingEmptySubsequences: true)
        return lines.map { line in
            let bytes = line.last == 0x0D ? line.dropLast() : line
            return " {\(String(decoding: bytes, as: UTF8.self))}"
        }.joined()
    }

    package static func copy(_ bytes: RawSpan) -> [UInt8] {
        bytes.withUnsafeBytes { [UInt8]($0) }
    }

    /// Printable ASCII and valid UTF-8 in quotes, everything else in hex; long bytes cut in the middle.
    package static func show(_ bytes: [UInt8]) -> String {
        if bytes.count > 80 {
            let head = bytes.prefix(32)
            let sum = bytes.reduce(UInt32(17)) { $0 &* 31 &+ UInt32($1) }
            return show([UInt8](head)) + "…\(bytes.count) #\(String(sum, radix: 16))"
        }
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\r" })
        {
            return "\""
                + text.unicodeScalars.map { $0 == "\r" ? "\\r" : $0 == "\n" ? "\\n" : String($0) }.joined() + "\""
        }
        return bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }
}
