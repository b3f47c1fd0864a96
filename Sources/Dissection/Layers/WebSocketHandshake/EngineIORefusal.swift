/// What a server of Engine.IO says with a 400 (socket.io/docs/v4/troubleshooting-connection-issues): a number and a message in JSON.
struct EngineIORefusal {
    let code: UInt8
    let words: [UInt8]

    /// - Parameters:
    ///   - body: of the response.
    ///   - bytes: the target of the request.
    init?(body: RawSpan, target bytes: [UInt8]) {
        let target = bytes.rawBytes
        guard target.mentions("eio="), body.mentions("\"message\""), let code = Self.code(in: body) else { return nil }
        var text = FindingText()
        switch code {
        case 0: text.append("transport unknown")
        case 1:
            text.append("session ID unknown; ")
            let session = EngineIOTarget.value("sid=", in: target)
            if session.isEmpty { text.append("the session") } else { text.append("session ") }
            text.append(session, most: 40)
            text.append(" has ended, or belongs to another server: several servers need sticky sessions")
        case 2: text.append("bad handshake method; a session begins with GET")
        case 3: text.append("bad request")
        case 4: text.append("forbidden")
        case 5:
            text.append("unsupported protocol version; the client speaks version ")
            text.append(EngineIOTarget.value("eio=", in: target), most: 8)
            text.append(" of Engine.IO, the server another")
        default: return nil
        }
        self.code = code
        words = text.bytes
    }

    /// The number of the error.
    private static func code(in body: RawSpan) -> UInt8? {
        guard body.byteCount > 8 else { return nil }
        for index in 0..<body.byteCount - 7 where body.hasPrefix("\"code\":", at: index) {
            let digit = body[index + 7] &- 0x30
            let isAlone = index + 8 >= body.byteCount || body[index + 8] &- 0x30 > 9
            return digit <= 9 && isAlone ? digit : nil
        }
        return nil
    }
}

extension FindingRow {
    package static let httpEngineIORefused = FindingRow(
        id: "http.engineio-refused", severity: .warning, reference: "Engine.IO protocol",
        detail: "the Engine.IO server refused the request with code {a}, {text}",
        explanation: """
            Socket.IO begins with requests of HTTP, and its server says with 400 why it refuses one \
            (socket.io/docs/v4/troubleshooting-connection-issues). "Session ID unknown" comes where a load balancer sends the requests of one session \
            to several servers, or after a restart; "Unsupported protocol version" where a client of Socket.IO 2 (EIO=3) meets a server of 3 or later \
            (EIO=4) without allowEIO3, or the other way round.
            """)
}
