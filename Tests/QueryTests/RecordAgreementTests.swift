import Dissection
import Foundation
import Query
import Reports
import Support
import Testing

@Suite("the filter and the log say the same of an event")
struct RecordAgreementTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    @Test("in every capture of the fixtures, for every key of every record")
    func fixtures() throws {
        let folder = Self.project.appending(path: "fixtures")
        var seen: Set<String> = []
        var files = 0
        for path in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }).sorted() ?? []
        where path.hasSuffix(".pcap") || path.hasSuffix(".pcapng") {
            var sink = AgreementSink()
            try tell(capture: folder.appending(path: path).path, to: &sink)
            #expect(sink.differences.isEmpty, "\(path): \(sink.differences.prefix(5).joined(separator: "\n"))")
            seen.formUnion(sink.seen)
            files += 1
        }
        #expect(files > 40)
        var others = AgreementSink()
        Self.tellOthers(&others)
        #expect(others.differences.isEmpty, "\(others.differences.joined(separator: "\n"))")
        seen.formUnion(others.seen)
        // What neither the captures nor the events made for it have is not tried.
        let missing = Set(AgreementSink.paths.values.flatMap(\.self)).subtracting(seen)
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    /// Events with keys that no capture of the fixtures has.
    private static func tellOthers(_ sink: inout AgreementSink) {
        func tell(_ fact: Fact, _ content: [UInt8] = [], asked: [UInt8] = [], from: Side? = .server) {
            var redactions = [Redaction(), Redaction(places: 2)]
            switch fact {
            // Nothing in these is secret.
            case .gap, .frame, .closed: redactions.removeLast()
            case .opened, .tls, .request, .response, .body, .upgrade, .message, .ping, .pong, .close, .control, .data, .finding: break
            }
            for redaction in redactions {
                sink.receive(
                    ConversationEvent(
                        conversation: 1, from: from,
                        place: Place(time: Timestamp(nanoseconds: 1), packets: PacketRange(lowest: 3, highest: 9)),
                        offset: 5, channel: ByteChannel(depth: 1, stream: 3), fact: fact, content: content.span.bytes,
                        asked: asked.span.bytes, redaction: redaction))
            }
        }
        let latin1: [UInt8] = [0x63, 0xe9]
        let all = ByteRange(0..<2)
        let ends = Endpoint(address: IPAddress(ipv6High: 0xfe80 << 48, low: 1), port: 443)
        var opening = Opening(client: ends, server: ends, start: .accepted, roles: .guess)
        (opening.clientName, opening.serverName, opening.viaMode, opening.viaTarget) = (all, all, all, all)
        tell(.opened(opening), latin1, from: nil)
        let settings = Array("ENABLE_PUSH: 0\r\n".utf8)
        tell(.control(ControlFrame(.settings, settings: ByteRange(0..<settings.count))), settings)
        tell(.control(ControlFrame(.pong, roundTrip: 1)))
        tell(.control(ControlFrame(.priority, priority: StreamPriority(dependsOn: 3, weight: 16, isExclusive: false))))
        tell(.control(ControlFrame(.goAway, code: 11, lastStream: 7, text: all)), latin1)
        tell(
            .tls(TLSFacts(serverName: all, alpn: all, offeredALPN: ByteRange(0..<3), version: 0x7f12, cipher: 0x1301, secrets: .keylog)),
            [1, 0xe9, 0x61])
        var entry = CertificateEntry()
        (entry.sha256, entry.subject, entry.issuer) = (Array(0..<32), Array("CN=a".utf8), latin1)
        (entry.notBefore, entry.notAfter) = (-1, 253_402_300_799)
        entry.add(name: latin1.rawBytes)
        entry.add(name: Array("10.0.0.7".utf8).rawBytes)
        var certificates: [UInt8] = []
        entry.append(to: &certificates)
        let shown = ByteRange(0..<certificates.count)
        tell(.tls(TLSFacts(secrets: .missing, certificates: shown, clientCertificates: shown)), certificates)
        tell(.data(DataRun(length: 9)), [0xff, 0xfe])
        tell(.data(DataRun(length: 9)), Array("text".utf8))
        tell(.data(DataRun(length: 2, isHeaderBlock: true)), Array("ab".utf8))
        tell(.data(DataRun(length: 9, framing: .ssl2Record)))
        tell(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 23))))
        tell(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 77))))
        tell(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 22), handshakeMessage: 24)))
        tell(.gap(Gap(length: 7, cause: .limit)))
        tell(.finding(Finding(.connectionIdleClosed, a: 60)), latin1)
        tell(.frame(FrameHeader(opcode: 9, fin: false, rsv: 5, masked: true, maskingKey: 0xdead_beef, length: 70_000, headerLength: 14)))
        var closing = Closing(
            by: .proxy, how: .tlsFailed, code: 3_000, answered: -1, clientEnd: .reset, serverEnd: .fin, duration: 1_500_000_001)
        closing.silence = 20
        (closing.client.bytes, closing.client.messages, closing.client.frames, closing.client.missing) = (1, 2, 3, 4)
        (closing.server.bytes, closing.server.messages, closing.server.frames, closing.server.missing) = (5, 6, 7, .max)
        tell(.closed(closing), from: nil)
        let head = ResponseHead(
            status: 200, version: all, reason: all, fields: ByteRange(2..<12), latency: -5,
            asked: AskedRequest(exchange: 4, method: all, target: all, isCut: true))
        tell(.response(head), latin1 + Array("a:b\r\nc:\r\nd".utf8), asked: latin1)
        tell(
            .request(
                RequestHead(
                    method: all, target: all, version: all, fields: ByteRange(2..<12), exchange: 4,
                    priority: StreamPriority(dependsOn: 7, weight: 256, isExclusive: true))),
            latin1 + Array("a:b\r\nc:\r\nd".utf8))
        for element in BodyPart.Element.allCases {
            tell(
                .body(
                    BodyPart(
                        length: 8, wireLength: 9, part: 2, final: false, encoding: all, payload: ByteRange(2..<4),
                        trailers: ByteRange(4..<9),
                        element: element)), latin1 + [0xff, 0xfe] + Array("t: u\r".utf8))
        }
        tell(.body(BodyPart(length: 8, wireLength: 9, part: 2, final: true, payload: all)), Array("ab".utf8))
        var upgrade = Upgrade(protocolName: all, accepted: false, host: all, target: all, subprotocol: all, extensions: all)
        upgrade.compression = Upgrade.Compression(clientTakeover: false, serverTakeover: true, clientWindowBits: 9, serverWindowBits: 12)
        tell(.upgrade(upgrade), latin1)
        tell(.pong(Pong(roundTrip: 1_000_000_000, unsolicited: true)), latin1)
        tell(.pong(Pong(roundTrip: nil, unsolicited: false)), Array("ab".utf8))
        tell(.ping, latin1)
        tell(.ping, [])
        tell(.close(CloseFrame(code: 1006)), latin1)
        tell(.close(CloseFrame(code: nil)), Array("ab".utf8))
        tell(.message(Message(opcode: 11, length: 9, wireLength: 8, fragments: 7, compressed: true)), latin1)
        let framings: [(StreamFraming, ShortBytes)] = [
            (.length(LengthPrefix(.u16be, offset: 2, header: 6, countsItself: true)), ShortBytes([1, 2, 0, 8, 3, 4]) ?? ShortBytes()),
            (.delimiter(ShortBytes([0x0D, 0x0A]) ?? ShortBytes(), most: 9), ShortBytes()), (.fixed(2), ShortBytes()),
            (.lines, ShortBytes()), (.contentLength, ShortBytes()), (.json, ShortBytes()),
            (.tlv(type: .u16be, length: .u16le), ShortBytes([1, 7, 2, 0]) ?? ShortBytes()), (.protocol(.mqtt), ShortBytes()),
        ]
        for (framing, header) in framings {
            let frame = MessageFrame(framing, header: header, guess: MessageFrame.Guess(fits: 2, of: 3))
            tell(.message(Message(cut: frame, length: 2, wireLength: 8)), Array("ab".utf8))
        }
    }
}

/// Makes a record of each event, and asks the filter for each key that the record has, and for each that it has not.
private struct AgreementSink: ConversationSink {
    private var report = Records()
    private var filters: [String: any EventFilter] = [:]
    var differences: [String] = []
    /// Keys that a record had.
    var seen: Set<String> = []

    /// The names of the keys of each kind, which are the rows of the table.
    static let paths: [String: [String]] = {
        var paths: [String: [String]] = [:]
        func add(_ holder: FieldCarrier, _ kind: String, _ prefix: String) {
            for row in FieldTable.rows(of: holder) where !row.name.isEmpty && !onlyInOutputs.contains("\(kind).\(row.name)") {
                if let object = row.object {
                    add(object, kind, prefix + row.name + ".")
                } else {
                    paths[kind, default: []].append(prefix + row.name)
                }
            }
        }
        for carrier in FieldCarrier.allCases where carrier.isRecord && carrier != .capture && carrier != .end {
            add(carrier, carrier.name, "\(carrier.name).")
        }
        return paths
    }()

    /// What an output finds out, not the event.
    private static let onlyInOutputs: Set<String> = [
        "message.decoded", "body.decoded", "response.decoded", "closed.heartbeats", "closed.hidden", "closed.unanswered",
        "closed.unansweredTotal",
    ]
    /// What a record has only where its payload is cut, which short ones are not, and which the filter always knows.
    private static let alwaysKnown: Set<String> = ["ping.length", "pong.length", "close.length"]
    private static let never: Set<String> = ["ping.truncated", "pong.truncated", "close.truncated"]

    /// A class, since a report cannot be copied.
    private final class Records {
        var report = RecordReport(Output(), settings: RecordSettings(payload: .full(limit: .max), showsFrames: true))
    }

    mutating func receive(_ event: borrowing ConversationEvent) {
        report.report.receive(event)
        let line = report.report.takeBytes()
        guard let record = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any], let kind = record["kind"] as? String
        else {
            differences.append("no record: \(String(decoding: line, as: UTF8.self))")
            return
        }
        seen.formUnion(Self.alwaysKnown)
        seen.formUnion(Self.never)
        for name in Self.paths[kind] ?? [] {
            let value = name.split(separator: ".").dropFirst().reduce(record as Any?) { holder, key in
                // Of several objects the first has all keys.
                ((holder as? [[String: Any]])?.first ?? holder as? [String: Any])?[String(key)]
            }
            let isThere = holds(name, event, isKept: true)
            guard let value else {
                if isThere, !Self.alwaysKnown.contains(name) {
                    differences.append("\(name) is not in \(String(decoding: line, as: UTF8.self))")
                }
                continue
            }
            seen.insert(name)
            // No header fields are no values.
            if (value as? [Any])?.isEmpty == true, !isThere { continue }
            if !isThere { differences.append("\(name) is missing of \(String(decoding: line, as: UTF8.self))") }
            // Foundation takes a byte order mark at the beginning of a string away.
            if value is String, line.firstRange(of: [0xef, 0xbb, 0xbf]) != nil { continue }
            for expression in Self.expressions(name, value) where !holds(expression, event, isKept: false) {
                differences.append("\(expression) does not hold for \(String(decoding: line, as: UTF8.self))")
            }
        }
    }

    private mutating func holds(_ expression: String, _ event: borrowing ConversationEvent, isKept: Bool) -> Bool {
        if let filter = filters[expression] { return filter.accepts(event, nil) }
        do throws(DisplayFilterProblem) {
            let filter = try DisplayFilter(expression).makeFilter()
            if isKept { filters[expression] = filter }
            return filter.accepts(event, nil)
        } catch {
            differences.append(error.description)
            return false
        }
    }

    /// What has to hold of a field whose key has this value.
    private static func expressions(_ name: String, _ value: Any) -> [String] {
        let key = name.split(separator: ".").last ?? ""
        switch value {
        case let number as NSNumber where String(cString: number.objCType) == "c":
            return ["\(name) == \(number.boolValue)"]
        case let number as NSNumber:
            let isWhole = !"\(number)".contains(".") && !"\(number)".contains("e")
            return ["\(name) == \(isWhole ? "\(number)" : String(format: "%.9f", number.doubleValue))"]
        case let text as String where key == "base64":
            let bytes = Data(base64Encoded: text) ?? Data()
            return bytes.isEmpty || bytes.count > 10_000 ? [] : ["\(name) == \(hexadecimal(bytes))"]
        case let text as String where ["maskingKey", "delimiter", "headerBytes"].contains(key): return ["\(name) == \(text)"]
        case let text as String where key == "address": return ["\(name) == \(text)"]
        case let text as String where key == "opcode" || key == "type": return ["\(name) == \(text)"]
        case let text as String where text.utf8.count > 10_000:
            return ["\(name)[0:9] == \(quoted(String(decoding: Array(text.utf8).prefix(9), as: UTF8.self)))"]
        case let text as String: return ["\(name) == \(quoted(text))"]
        case let packets as [NSNumber]:
            return ["\(name) == \(packets[0])", "\(name) == \(packets[1])", "not \(name) > \(packets[1])", "not \(name) < \(packets[0])"]
        case let names as [String]: return ["count(\(name)) == \(names.count)"] + names.map { "\(name) == \(quoted($0))" }
        case let fields as [[String]]:
            return (fields.isEmpty ? [] : ["count(\(name)) == \(fields.count)"])
                + fields.filter { !$0[1].isEmpty && !$0[0].isEmpty }.map { "\(name)[\(quoted($0[0]))] == \(quoted($0[1]))" }
        case _: return ["\(name) is of no kind that is known"]
        }
    }

    private static func hexadecimal(_ bytes: Data) -> String { bytes.map { String(format: "%02x", $0) }.joined(separator: ":") }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
