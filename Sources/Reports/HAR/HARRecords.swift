import Dissection

/// Writes what an entry of an HTTP archive says as the records of a log, so that an archive is told as a log is: one conversation an entry,
/// because an archive does not say what else went over its connection.
///
/// Read are the archives of Chromium, of mitmproxy and our own. What an archive does not have (lengths on the wire of messages, offsets, who closed) is
/// not made up.
package struct HARRecords: ~Copyable {
    /// Why an entry cannot be told.
    package struct Problem: Error {
        package let words: String
    }

    private var records = OutputBuffer(capacity: 64 << 10)
    private var number: UInt64 = 0

    package init() {}

    /// Hands the records of an entry to `tell`, one after another.
    ///
    /// - Returns: what came of them; the first that cannot be told says what is wrong with the entry.
    package mutating func tell(_ entry: RawSpan, _ tell: (RawSpan) -> LogTeller.Outcome) -> LogTeller.Outcome {
        records.truncate(to: 0)
        do {
            try write(entry)
        } catch let problem as Problem {
            return .problem(problem.words)
        } catch let problem as JSONReader.Problem {
            return .problem(problem.words)
        } catch {
            return .problem("\(error)")
        }
        let text = records.bytes
        var start = 0
        while let end = text.position(of: 0x0a, from: start) {
            let outcome = tell(text.extracting(start..<end))
            guard case .told = outcome else { return outcome }
            start = end + 1
        }
        return .told
    }

    private mutating func write(_ bytes: RawSpan) throws {
        var reader = JSONReader(bytes) { !$0.rawBytes.isEqual(StaticString("_webSocketMessages").bytes) }
        let value = try reader.whole()
        guard let request = value["request"], let response = value["response"] else {
            throw Problem(words: "it has no request or no response")
        }
        guard let link = HARLink(request["url"]?.string ?? []) else { throw Problem(words: "its request has no URL of HTTP or WebSocket") }
        number &+= 1
        let started = value["startedDateTime"]?.string.flatMap(Timestamp.init(rfc3339:))
        let timings = HARTimings(value)
        let isWebSocket = link.isWebSocket || response["status"]?.unsigned == 101
        writeOpening(value, link, at: started)
        writeRequest(request, link, at: started)
        writeBody(request["postData"], of: request, from: .client, at: started)
        let status = response["status"]?.unsigned ?? 0
        // No answer has the status 0.
        if status > 0 {
            writeResponse(response, request, link, status, wait: timings.wait, at: started?.advanced(by: timings.untilAnswer))
            if !isWebSocket { writeBody(response["content"], of: response, from: .server, at: started?.advanced(by: timings.whole)) }
        }
        if isWebSocket { try writeMessages(bytes, value, link, isAccepted: status == 101, at: started?.advanced(by: timings.untilAnswer)) }
        start("closed", at: nil)
        records.append(",\"by\":\"unknown\",\"how\":\"end-of-capture\",\"ends\":{\"client\":\"open\",\"server\":\"open\"},\"duration\":")
        records.append(secondsOf: max(0, timings.whole))
        end()
    }

    // MARK: - Records

    private mutating func writeOpening(_ entry: JSONValue, _ link: HARLink, at time: Timestamp?) {
        start("opened", at: time)
        records.append(",\"client\":{},\"server\":{")
        if let text = entry["serverIPAddress"]?.string.map({ $0.filter { $0 != 0x5b && $0 != 0x5d } }),
            let address = IPAddress(text: String(decoding: text, as: UTF8.self))
        {
            records.append("\"address\":\"")
            records.append(address)
            records.append("\",\"port\":")
            records.append(decimal: UInt64(link.port))
            records.append(0x2c)
        }
        records.append("\"name\":")
        records.appendText(link.host.rawBytes)
        records.append("},\"transport\":\"tcp\",\"start\":\"midstream\",\"roles\":\"content\"")
        end()
        guard link.isSecure else { return }
        start("tls", at: time)
        records.append(",\"serverName\":")
        records.appendText(link.host.rawBytes)
        records.append(",\"secrets\":\"terminated\"")
        end()
    }

    private mutating func writeRequest(_ request: JSONValue, _ link: HARLink, at time: Timestamp?) {
        start("request", at: time, from: .client)
        records.append(",\"exchange\":1,\"method\":")
        records.appendText(bytes: request["method"]?.string ?? [])
        records.append(",\"target\":")
        records.appendText(link.target.rawBytes)
        writeVersion(request)
        writeFields(request)
        end()
    }

    private mutating func writeResponse(
        _ response: JSONValue, _ request: JSONValue, _ link: HARLink, _ status: UInt64, wait: Int64, at time: Timestamp?
    ) {
        start("response", at: time, from: .server)
        records.append(",\"exchange\":1,\"method\":")
        records.appendText(bytes: Array((request["method"]?.string ?? []).prefix(32)))
        records.append(",\"target\":")
        records.appendText(bytes: Array(link.target.prefix(256)))
        if link.target.count > 256 { records.append(",\"truncated\":true") }
        records.append(",\"status\":")
        records.append(decimal: min(status, UInt64(UInt16.max)))
        records.append(",\"reason\":")
        records.appendText(bytes: response["statusText"]?.string ?? [])
        writeVersion(response)
        writeFields(response)
        if wait >= 0 {
            records.append(",\"latency\":")
            records.append(secondsOf: wait)
        }
        end()
    }

    /// The body of one side, as one part.
    private mutating func writeBody(_ body: JSONValue?, of message: JSONValue, from side: Side, at time: Timestamp?) {
        guard let body, let text = body["text"]?.string, !text.isEmpty else { return }
        let encoding = body["encoding"]?.string ?? body["_encoding"]?.string
        let bytes = encoding == Array("base64".utf8) ? [UInt8](base64: text) ?? text : text
        // A size that was told of more than is there says that some is missing.
        let length = max(UInt64(bytes.count), body["size"]?.unsigned ?? 0)
        start("body", at: time, from: side)
        records.append(",\"length\":")
        records.append(decimal: length)
        records.append(",\"wireLength\":")
        records.append(decimal: message["bodySize"]?.unsigned ?? length)
        records.append(",\"part\":1,\"final\":true")
        records.appendPayload(bytes.rawBytes, .full(limit: .max), length: length)
        end()
    }

    private mutating func writeMessages(
        _ bytes: RawSpan, _ entry: JSONValue, _ link: HARLink, isAccepted: Bool, at time: Timestamp?
    ) throws {
        start("upgrade", at: time, from: .server)
        records.append(",\"protocol\":\"websocket\",\"accepted\":")
        records.append(isAccepted ? "true" : "false")
        records.append(",\"host\":")
        records.appendText(link.authority.rawBytes)
        records.append(",\"target\":")
        records.appendText(link.target.rawBytes)
        end()
        var messages = HARMessages(bytes)
        while let range = messages.next() {
            var reader = JSONReader(bytes.extracting(range))
            try writeMessage(try reader.whole())
        }
        if let close = entry["_webSocketClose"] {
            start("close", at: nil, from: close["type"]?.string == Array("send".utf8) ? .client : .server)
            if let code = close["code"]?.unsigned {
                records.append(",\"code\":")
                records.append(decimal: code)
            }
            let reason = close["reason"]?.string ?? []
            records.appendPayload(reason.rawBytes, .full, length: 0, lengthIsKnown: false)
            end()
        }
    }

    private mutating func writeMessage(_ message: JSONValue) throws {
        let side: Side = message["type"]?.string == Array("send".utf8) ? .client : .server
        let time = message["time"]?.nanoseconds.map { Timestamp(nanoseconds: $0) }
        let opcode = message["opcode"]?.unsigned ?? 1
        let data = message["data"]?.string ?? []
        let isText = opcode == 1 && message["_encoding"] == nil
        let payload = isText ? data : [UInt8](base64: data) ?? data
        let length = max(UInt64(payload.count), message["_length"]?.unsigned ?? 0)
        switch opcode {
        case 8:
            start("close", at: time, from: side)
            if payload.count >= 2 {
                records.append(",\"code\":")
                records.append(decimal: UInt64(payload[0]) << 8 | UInt64(payload[1]))
            }
            records.appendPayload(
                payload.rawBytes.extracting(min(2, payload.count)..<payload.count), .full, length: 0, lengthIsKnown: false)
        case 9, 10:
            start(opcode == 9 ? "ping" : "pong", at: time, from: side)
            records.appendPayload(payload.rawBytes, .full, length: 0, lengthIsKnown: false)
        case _:
            start("message", at: time, from: side)
            records.append(",\"opcode\":")
            records.append(opcode == 1 ? "\"text\"" : opcode == 2 ? "\"binary\"" : "")
            if opcode != 1, opcode != 2 { records.append(decimal: min(opcode, 15)) }
            records.append(",\"length\":")
            records.append(decimal: length)
            records.append(",\"wireLength\":")
            records.append(decimal: length)
            records.append(",\"fragments\":1,\"compressed\":false")
            records.appendPayload(payload.rawBytes, .full(limit: .max), length: length)
        }
        end()
    }

    // MARK: - Parts of them

    private mutating func start(_ kind: StaticString, at time: Timestamp?, from side: Side? = nil) {
        records.append("{\"kind\":\"")
        records.append(kind)
        records.append("\",\"conversation\":")
        records.append(decimal: number)
        if let (seconds, nanoseconds) = time?.parts {
            records.append(",\"time\":\"")
            records.append(Calendar(seconds: seconds), between: 0x54)
            records.append(0x2e)
            records.appendDigits(UInt64(clamping: nanoseconds), width: 9)
            records.append("Z\"")
        }
        if let side { records.append(side == .client ? ",\"from\":\"client\"" : ",\"from\":\"server\"") }
    }

    private mutating func end() { records.append("}\n") }

    private mutating func writeVersion(_ message: JSONValue) {
        guard let version = message["httpVersion"]?.string, !version.isEmpty else { return }
        records.append(",\"version\":")
        records.appendText(version.rawBytes)
    }

    /// The header fields. HTTP/2 has its pseudo-fields among them (RFC 9113, section 8.3), of which `:authority` is what Host was.
    private mutating func writeFields(_ message: JSONValue) {
        records.append(",\"headers\":[")
        var isFirst = true
        for field in message["headers"]?.elements ?? [] {
            guard var name = field["name"]?.string, let value = field["value"]?.string else { continue }
            if name == Array(":authority".utf8) { name = Array("host".utf8) }
            if name.first == 0x3a || name.isEmpty { continue }
            records.append(isFirst ? "[" : ",[")
            isFirst = false
            records.appendText(name.rawBytes)
            records.append(0x2c)
            records.appendText(value.rawBytes)
            records.append(0x5d)
        }
        records.append(0x5d)
    }
}
