import Dissection
import Foundation
import Query
import Reports

/// Events of several conversations, told to an output with a selection, and the records that it shows.
struct Speech: ~Copyable {
    private var report: RecordReport
    private var milliseconds: Int64 = 0
    var conversation: UInt64 = 1

    private init(_ filter: any EventFilter, decodes: Bool = false) {
        var settings = RecordSettings()
        if decodes { settings.payloads = .standard }
        nonisolated(unsafe) let filter = filter
        settings.filter = FilterPlan { filter }
        report = RecordReport(Output(), settings: settings)
    }

    /// What is shown of a talk: of each record its conversation, its kind, and its text or target.
    ///
    /// - Parameters:
    ///   - inTwo: The talk is read twice, as a file is.
    ///   - decodes: Records have what payloads say.
    static func shown(_ selection: Selection, inTwo: Bool = false, decodes: Bool = false, _ talk: (inout Speech) -> Void) -> [String] {
        var known: ConversationSet?
        if inTwo {
            let found = FoundConversations(mostBytes: 1 << 20)
            var survey = Speech(selection.makeSurvey(into: found))
            talk(&survey)
            known = found.set
        }
        var speech = Speech(selection.makeFilter(knowing: known), decodes: decodes)
        talk(&speech)
        return String(decoding: speech.report.takeBytes(), as: UTF8.self).split(separator: "\n").compactMap { line in
            guard let record = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                let kind = record["kind"] as? String
            else { return nil }
            let detail = ["text", "status", "target", "id", "serverName"].compactMap { record[$0] }.first.map { " \($0)" } ?? ""
            return "\(record["conversation"] ?? 0) \(kind)\(detail)"
        }
    }

    mutating func say(_ from: Side?, _ fact: Fact, _ content: [UInt8] = [], asked: [UInt8] = [], stream: UInt32 = 0) {
        milliseconds += 1
        report.receive(
            ConversationEvent(
                conversation: conversation, from: from, place: Place(time: Timestamp(nanoseconds: milliseconds * 1_000_000)), offset: nil,
                channel: ByteChannel(stream: stream), fact: fact, content: content.rawBytes, asked: asked.rawBytes))
    }

    mutating func open(_ number: UInt64, address: UInt32 = 0x0a00_0009) {
        conversation = number
        let client = Endpoint(address: IPAddress(ipv4: 0x0a00_0005), port: 51_422)
        let server = Endpoint(address: IPAddress(ipv4: address), port: 8_080)
        say(nil, .opened(Opening(client: client, server: server, start: .handshake, roles: .handshake)))
    }

    mutating func hello(_ name: String) {
        say(nil, .tls(TLSFacts(serverName: ByteRange(0..<name.utf8.count), secrets: .terminated)), Array(name.utf8))
    }

    mutating func message(_ from: Side, _ text: String) {
        let length = UInt64(text.utf8.count)
        say(
            from, .message(Message(opcode: 1, length: length, wireLength: length, fragments: 1, compressed: false)), Array(text.utf8))
    }

    mutating func request(_ target: String, _ fields: String, exchange: UInt64 = 1) {
        let (bytes, parts) = Speech.content(["GET", target, "HTTP/1.1", fields])
        say(
            .client, .request(RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: exchange)),
            bytes)
    }

    mutating func upgrade(_ target: String) {
        let (bytes, parts) = Speech.content(["websocket", target])
        say(.server, .upgrade(Upgrade(protocolName: parts[0], accepted: true, target: parts[1])), bytes)
    }

    mutating func response(_ status: UInt16, _ fields: String = "", to exchange: UInt64 = 1) {
        let (bytes, parts) = Speech.content(["HTTP/1.1", "OK", fields])
        let asked = AskedRequest(exchange: exchange, method: ByteRange(0..<3), target: ByteRange(3..<4))
        say(
            .server,
            .response(ResponseHead(status: status, version: parts[0], reason: parts[1], fields: parts[2], latency: 1, asked: asked)),
            bytes, asked: Array("GET/".utf8))
    }

    mutating func body(_ from: Side, _ text: String, part: UInt32 = 1, final: Bool = true, stream: UInt32 = 0) {
        let length = UInt64(text.utf8.count)
        say(
            from,
            .body(
                BodyPart(length: length, wireLength: length, part: part, final: final, payload: ByteRange(0..<text.utf8.count))),
            Array(text.utf8), stream: stream)
    }

    mutating func finding(_ severity: Severity) {
        switch severity {
        case .note: say(.client, .finding(Finding(Speech.note)))
        case .warning, .violation: say(.client, .finding(Finding(Speech.warning)))
        }
    }

    mutating func close(_ how: Closing.Manner = .endOfCapture) { say(nil, .closed(Closing(by: .client, how: how))) }

    private static let note = FindingRow(id: "test.note", severity: .note, reference: "", detail: "a note", explanation: "")
    private static let warning = FindingRow(id: "test.warning", severity: .warning, reference: "", detail: "a warning", explanation: "")

    private static func content(_ parts: [String]) -> (bytes: [UInt8], ranges: [ByteRange]) {
        var bytes: [UInt8] = []
        let ranges = parts.map { part in
            bytes += Array(part.utf8)
            return ByteRange(bytes.count - part.utf8.count..<bytes.count)
        }
        return (bytes, ranges)
    }
}
