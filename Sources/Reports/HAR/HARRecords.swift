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

    var records = OutputBuffer(capacity: 64 << 10)
    private var number: UInt64 = 0
    var losses = HAREntryLosses()
    /// What each side sent, as far as the entry says.
    var (client, server) = (SideTotals(), SideTotals())

    package init() {}

    /// Bytes of memory that it takes.
    package var heldBytes: Int { records.capacity }

    /// Hands the records of an entry to `tell`, one after another, and keeps none of them.
    ///
    /// - Parameter tell: takes a record; nil where no more are wanted.
    /// - Returns: what came of them; the first that cannot be told says what is wrong with the entry. Nil where no more were wanted.
    package mutating func tell(_ entry: RawSpan, _ tell: (RawSpan) -> LogTeller.Outcome?) -> LogTeller.Outcome? {
        records.truncate(to: 0)
        (losses, client, server) = (HAREntryLosses(), SideTotals(), SideTotals())
        do {
            guard try write(entry, tell) else { return nil }
        } catch let problem as Problem {
            return .problem(problem.words)
        } catch let problem as JSONReader.Problem {
            return .problem(problem.words)
        } catch {
            return .problem("\(error)")
        }
        return losses.words.map { .loss($0) } ?? .told
    }

    /// Hands on what was written.
    ///
    /// - Returns: whether more is wanted.
    private mutating func handOn(_ tell: (RawSpan) -> LogTeller.Outcome?) throws -> Bool {
        defer { records.truncate(to: 0) }
        let text = records.bytes
        var start = 0
        while let end = text.position(of: 0x0a, from: start) {
            switch tell(text.extracting(start..<end)) {
            case .told: break
            case .problem(let words), .loss(let words), .unknownKind(let words): throw Problem(words: words)
            case nil: return false
            }
            start = end + 1
        }
        return true
    }

    /// What something is made of; browsers note much more.
    private static let members: [StaticString] = [
        "request", "response", "startedDateTime", "time", "timings", "serverIPAddress", "_webSocketClose",
    ]

    /// - Returns: whether all was wanted.
    private mutating func write(_ bytes: RawSpan, _ tell: (RawSpan) -> LogTeller.Outcome?) throws -> Bool {
        var reader = JSONReader(bytes, mostLevels: 8) { name in Self.members.contains { name.rawBytes.isEqual($0.bytes) } }
        let value = try reader.whole()
        guard let request = value["request"], let response = value["response"] else {
            throw Problem(words: "it has no request or no response")
        }
        guard let link = HARLink(request["url"]?.string ?? []) else { throw Problem(words: "its request has no URL of HTTP or WebSocket") }
        number &+= 1
        let started = value["startedDateTime"]?.string.flatMap(Timestamp.init(rfc3339:))
        let timings = HARTimings(value)
        var messages = HARMessages(bytes)
        // Browsers have them with all kinds of URLs and statuses.
        let hasMessages = messages.hasNext
        let status = status(of: response)
        // There is more to upgrade to (h2c, TLS, raw TCP).
        let isAgreed = status == 101 && response.header("upgrade").map { $0.rawBytes.isWord("websocket") } ?? link.isWebSocket
        let isWebSocket = link.isWebSocket || isAgreed || hasMessages
        writeOpening(value, link, at: started)
        if !isUnseen(request) {
            writeRequest(request, link, at: started)
            writeBody(request["postData"], of: request, from: .client, at: started)
        }
        // No answer has the status 0.
        if let status {
            writeResponse(response, request, link, status, wait: timings.wait, at: started?.advanced(by: timings.untilAnswer))
            writeBody(response["content"], of: response, from: .server, at: started?.advanced(by: timings.whole))
        }
        if isWebSocket {
            writeUpgrade(response, link, isAccepted: isAgreed || hasMessages, at: started?.advanced(by: timings.untilAnswer))
        }
        guard try handOn(tell) else { return false }
        while let range = messages.next() {
            guard bytes[range.lowerBound] == UInt8(ascii: "{") else {
                losses.add(.messageNoObject)
                continue
            }
            var reader = JSONReader(bytes.extracting(range), mostLevels: 8)
            writeMessage(try reader.whole())
            guard try handOn(tell) else { return false }
        }
        if messages.isOther { losses.add(.messagesNoList) }
        if let close = value["_webSocketClose"] { writeClose(close) }
        writeEnd(max(0, timings.whole))
        return try handOn(tell)
    }

    /// Whether the request is one that nobody saw, for whose response or WebSocket our archives have an entry: no request is without a method.
    private func isUnseen(_ request: JSONValue) -> Bool {
        request["method"]?.string?.isEmpty == true && request["headers"]?.elements?.isEmpty != false && request["postData"] == nil
    }

    /// The status of the response; nil where there was none, which has the status 0.
    private mutating func status(of response: JSONValue) -> UInt16? {
        let given = response["status"]
        // A number all the same.
        let number = given?.unsigned ?? given?.string.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
        if let number, number > 0 {
            if number > UInt64(UInt16.max) { losses.add(.status) }
            return UInt16(clamping: number)
        }
        let hasContent = response["headers"]?.elements?.isEmpty == false || response["content"]?["text"]?.string?.isEmpty == false
        if number == nil, given != nil, hasContent { losses.add(.status) }
        return hasContent ? 0 : nil
    }

    // MARK: - Records

    private mutating func writeOpening(_ entry: JSONValue, _ link: HARLink, at time: Timestamp?) {
        let address = entry["serverIPAddress"]?.string.map { $0.filter { $0 != 0x5b && $0 != 0x5d } }
            .flatMap { IPAddress(text: String(decoding: $0, as: UTF8.self)) }
        let host = RecordContent(bytes: link.host.rawBytes, policy: .full)
        let name = ByteRange(0..<link.host.count)
        var opening = Opening.blank
        (opening.server, opening.serverName, opening.roles) = (Endpoint(address: address ?? IPAddress(), port: link.port), name, .content)
        start("opened", at: time)
        records.appendKeys(of: opening, host)
        end()
        guard link.isSecure else { return }
        start("tls", at: time)
        records.appendKeys(of: TLSFacts(serverName: name, secrets: .terminated), host)
        end()
    }

    private mutating func writeRequest(_ request: JSONValue, _ link: HARLink, at time: Timestamp?) {
        start("request", at: time, from: .client)
        records.append(",\"exchange\":1,\"method\":", text: request["method"]?.string ?? [])
        records.append(",\"target\":")
        // That of a tunnel is a host and a port (RFC 9112, section 3.2.3).
        let isTunnel = link.target == [0x2f] && request["method"]?.string == Array("CONNECT".utf8)
        records.appendText(isTunnel ? link.authority.rawBytes : link.target.rawBytes)
        writeVersion(request)
        writeFields(request)
        end()
        add(request["headersSize"]?.unsigned ?? 0, from: .client)
    }

    private mutating func writeResponse(
        _ response: JSONValue, _ request: JSONValue, _ link: HARLink, _ status: UInt16, wait: Int64, at time: Timestamp?
    ) {
        start("response", at: time, from: .server)
        records.append(",\"exchange\":1,\"method\":", text: Array((request["method"]?.string ?? []).prefix(32)))
        records.append(",\"target\":", text: Array(link.target.prefix(256)))
        if link.target.count > 256 { records.append(",\"truncated\":true") }
        records.append(",\"status\":", decimal: UInt64(status))
        records.append(",\"reason\":", text: response["statusText"]?.string ?? [])
        writeVersion(response)
        writeFields(response)
        if wait >= 0 {
            records.append(",\"latency\":")
            records.append(secondsOf: wait)
        }
        end()
        add(response["headersSize"]?.unsigned ?? 0, from: .server)
    }

    /// The end of the conversation, with what the entry amounts to.
    private mutating func writeEnd(_ duration: Int64) {
        start("closed", at: nil)
        let closing = Closing(by: .unknown, how: .endOfCapture, duration: duration, client: client, server: server)
        records.appendKeys(of: closing, RecordContent(bytes: RawSpan(), policy: .full))
        end()
    }

    // MARK: - Parts of them

    /// Counts bytes that a side sent.
    mutating func add(_ bytes: UInt64, from side: Side) {
        if side == .client { client.bytes = client.bytes.clampedSum(bytes) } else { server.bytes = server.bytes.clampedSum(bytes) }
    }

    mutating func start(_ kind: StaticString, at time: Timestamp?, from side: Side? = nil) {
        records.append("{\"kind\":\"")
        records.append(kind)
        records.append("\",\"conversation\":", decimal: number)
        if let (seconds, nanoseconds) = time?.parts {
            records.append(",\"time\":\"")
            records.append(CivilTime(seconds: seconds), between: 0x54)
            records.append(0x2e)
            records.appendDigits(UInt64(clamping: nanoseconds), width: 9)
            records.append("Z\"")
        }
        if let side { records.append(side == .client ? ",\"from\":\"client\"" : ",\"from\":\"server\"") }
    }

    mutating func end() { records.append("}\n") }

    private mutating func writeVersion(_ message: JSONValue) {
        guard let version = message["httpVersion"]?.string, !version.isEmpty else { return }
        records.append(",\"version\":", text: version.rawBytes)
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
