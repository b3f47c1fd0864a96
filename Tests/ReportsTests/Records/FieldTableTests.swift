import Dissection
import Foundation
import Reports
import Support
import Testing

/// The table of fields against what is written, the schema and the page.
@Suite struct FieldTableTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

    /// A key where it stands: `message length`.
    private struct Use: Hashable, CustomStringConvertible {
        var carrier: FieldCarrier
        var key: String

        var description: String { "\(carrier.name).\(key)" }
    }

    // MARK: - What is written

    private static func uses(in log: String) throws -> Set<Use> {
        var uses: Set<Use> = []
        for line in log.split(separator: "\n") {
            let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let kind = try #require(record["kind"] as? String)
            let carrier = try #require(FieldCarrier.allCases.first { $0.name == kind && $0.isRecord }, "\(kind)")
            note(record, in: carrier, &uses)
        }
        return uses
    }

    private static func note(_ object: [String: Any], in carrier: FieldCarrier, _ uses: inout Set<Use>) {
        for (key, value) in object {
            uses.insert(Use(carrier: carrier, key: key))
            let row = FieldTable.rows(of: carrier).first { $0.name == key }
            guard let inner = row?.object else { continue }
            for object in value as? [[String: Any]] ?? [value as? [String: Any] ?? [:]] { note(object, in: inner, &uses) }
        }
    }

    private static func fixtures() throws -> Set<Use> {
        let folder = project.appending(path: "fixtures")
        var uses: Set<Use> = []
        for path in FileManager.default.enumerator(atPath: folder.path)?.compactMap({ $0 as? String }) ?? []
        where path.hasSuffix("/expected.ndjson") {
            uses.formUnion(try self.uses(in: String(contentsOf: folder.appending(path: path), encoding: .utf8)))
        }
        #expect(uses.count > 100)
        return uses
    }

    /// What no capture among the fixtures has.
    private static func others() throws -> Set<Use> {
        var log = ""
        let bad: [UInt8] = [0x63, 0xff]
        func tell(_ fact: Fact, _ content: [UInt8] = [], _ payload: PayloadPolicy = .full) {
            var channel = ByteChannel()
            if case .opened = fact {} else { channel = ByteChannel(depth: 1, stream: 3) }
            var redaction = Redaction(places: 1)
            // Nothing of these is secret.
            switch fact {
            case .gap, .frame, .tls, .control, .closed: redaction = Redaction()
            default: break
            }
            log +=
                RecordScript.record(
                    fact, content, channel: channel, redaction: redaction,
                    settings: RecordSettings(payload: payload, showsFrames: true)) + "\n"
        }
        tell(.gap(Gap(length: 1, cause: .limit)))
        tell(.frame(FrameHeader(opcode: 1, fin: true, rsv: 0, masked: false, maskingKey: 0, length: 1, headerLength: 2)))
        tell(.message(Message(opcode: 1, length: 2, wireLength: 2, fragments: 1, compressed: false)), bad)
        let framings: [(StreamFraming, ShortBytes)] = [
            (.length(LengthPrefix(.u16be, offset: 2, header: 6, countsItself: true)), ShortBytes([1, 2, 0, 8, 3, 4]) ?? ShortBytes()),
            (.delimiter(ShortBytes([0x0D, 0x0A]) ?? ShortBytes(), most: 9), ShortBytes()), (.fixed(2), ShortBytes()),
            (.lines, ShortBytes()),
            (.tlv(type: .u8, length: .u16le), ShortBytes([7, 2, 0]) ?? ShortBytes()), (.protocol(.mqtt), ShortBytes()),
        ]
        for (framing, header) in framings {
            let frame = MessageFrame(framing, header: header, guess: MessageFrame.Guess(fits: 2, of: 3))
            tell(.message(Message(cut: frame, length: 2, wireLength: 8)), bad)
        }
        var decoding = RecordSettings()
        decoding.payloads = .standard
        let event = Array("42[\"chat\",1]".utf8)
        let length = UInt64(event.count)
        log +=
            RecordScript.record(
                .message(Message(opcode: 1, length: length, wireLength: length, fragments: 1, compressed: false)), event,
                from: .client, channel: ByteChannel(), settings: decoding) + "\n"
        let json = Array("{}".utf8)
        log +=
            RecordScript.record(
                .body(BodyPart(length: 2, wireLength: 2, part: 1, final: true, payload: ByteRange(0..<json.count))), json,
                from: .server, channel: ByteChannel(), settings: decoding) + "\n"
        let call = Array("Content-Type: application/grpc\r\nGrpc-Status: 5\r\n".utf8)
        let ended = ResponseHead(status: 200, version: ByteRange(), reason: ByteRange(), fields: ByteRange(0..<call.count), latency: nil)
        log += RecordScript.record(.response(ended), call, from: .server, channel: ByteChannel(), settings: decoding) + "\n"
        let one = ByteRange(0..<2)
        var opening = RecordScript.opening
        (opening.clientName, opening.viaMode, opening.viaTarget) = (one, one, one)
        tell(.opened(opening), bad)
        tell(.tls(TLSFacts(serverName: one, alpn: one, version: 0x0303, cipher: 0x1301, secrets: .terminated)), bad)
        var entry = CertificateEntry()
        (entry.subject, entry.issuer, entry.notBefore, entry.notAfter) = (bad, bad, 0, 0)
        entry.add(name: bad.rawBytes)
        var certificates: [UInt8] = []
        entry.append(to: &certificates)
        let shown = ByteRange(0..<certificates.count)
        tell(.tls(TLSFacts(secrets: .missing, certificates: shown, clientCertificates: shown)), certificates)
        for (fact, content) in [(Fact.tls(TLSFacts(serverName: one, secrets: .missing)), bad), (.control(ControlFrame(.pong)), [])] {
            log += RecordScript.record(fact, content, redaction: Redaction(places: 1)) + "\n"
        }
        let field = "\u{63}: ".utf8 + [0xff, 0x0d, 0x0a]
        let fields = ByteRange(0..<field.count)
        let priority = StreamPriority(dependsOn: 0, weight: 16, isExclusive: false)
        tell(.request(RequestHead(method: one, target: one, version: one, fields: fields, exchange: 1, priority: priority)), field)
        let asked = AskedRequest(exchange: 1, method: ByteRange(), target: ByteRange(), isCut: true)
        tell(.response(ResponseHead(status: 200, version: one, reason: one, fields: fields, latency: nil, asked: asked)), field)
        tell(.body(BodyPart(length: 2, wireLength: 2, part: 1, final: true, encoding: one, payload: one)), bad)
        var unfinished = BodyPart(length: 9, wireLength: 2, part: 1, final: true, payload: one)
        (unfinished.isUnfinished, unfinished.announced) = (true, 20)
        tell(.body(unfinished), bad)
        var begun = Message(opcode: 2, length: 2, wireLength: 2, fragments: 1, compressed: false)
        (begun.isUnfinished, begun.announced) = (true, 3)
        tell(.message(begun), bad)
        tell(.upgrade(Upgrade(protocolName: one, accepted: false)), bad)
        tell(.control(ControlFrame(.goAway, code: 0, lastStream: 1, text: one)), bad)
        tell(.control(ControlFrame(.settings)), [])
        tell(.control(ControlFrame(.pong, roundTrip: 1)), [])
        tell(.control(ControlFrame(.priority, priority: StreamPriority(dependsOn: 3, weight: 256, isExclusive: true))), [])
        tell(.data(DataRun(length: 3)), bad, .full(limit: 1))
        tell(.data(DataRun(length: 2)), bad)
        tell(.data(DataRun(length: 2, isHeaderBlock: true)), bad)
        tell(.data(DataRun(length: 9, framing: .tlsRecord(contentType: 22), handshakeMessage: 4)))
        tell(.finding(Finding(.httpHeadCut)), bad)
        let named = FindingRow(id: "a.b", severity: .note, reference: "", detail: "{text}", explanation: "")
        tell(.finding(Finding(named)), bad)
        for fact in [Fact.ping, .pong(Pong(roundTrip: 1, unsolicited: false)), .close(CloseFrame(code: 1000))] {
            tell(fact, bad, .full(limit: 1))
        }
        // Pings of which two are missing, the last one long ago and without an answer; those are left out of what is shown.
        decoding.hidesHeartbeats = true
        var beats = Dialogue(RecordReport(Output(), settings: decoding))
        for number in [0, 1, 2, 3, 6] as [Int64] {
            beats.say(number * 20_000, .client, .ping)
            beats.say(number * 20_000 + 10, .server, .pong(Pong(roundTrip: 10_000_000, unsolicited: false)))
        }
        beats.say(140_000, .client, .ping)
        beats.say(190_000, nil, .closed(Closing(by: .client, how: .fin, client: SideTotals(), server: SideTotals())))
        log += String(decoding: beats.report.takeBytes(), as: UTF8.self)
        // More calls without an answer than are named.
        var calls = Dialogue(RecordReport(Output(), settings: decoding))
        for id in 0..<20 { calls.message(0, .client, #"{"jsonrpc":"2.0","method":"sum","id":\#(id)}"#.bytes) }
        calls.message(0, .server, #"{"jsonrpc":"2.0","method":"tick"}"#.bytes)
        calls.say(1_000, nil, .closed(Closing(by: .client, how: .fin)))
        log += String(decoding: calls.report.takeBytes(), as: UTF8.self)
        var appended = RecordSettings()
        appended.isAppended = true
        var report = RecordReport(Output(), settings: appended)
        report.begin(RecordScript.source)
        var totals = Totals()
        totals.ignored = 1
        report.finish(totals)
        log += String(decoding: report.takeBytes(), as: UTF8.self)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        FileManager.default.createFile(atPath: file.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        report.begin(RecordScript.source)
        report.move(to: Outlet(descriptor: handle.fileDescriptor))
        report.flush()
        log += try String(contentsOf: file, encoding: .utf8)
        return try uses(in: log)
    }

    @Test func `each key that is written is a row`() throws {
        // A format has keys of its own beside `as`: docs/payloads.md.
        for use in try Self.fixtures().union(Self.others()) where use.carrier != .payload {
            #expect(FieldTable.rows(of: use.carrier).contains { $0.name == use.key }, "\(use)")
        }
    }

    @Test func `each row is written, but for those that are kept for later`() throws {
        let uses = try Self.fixtures().union(Self.others())
        for carrier in FieldCarrier.allCases {
            for row in FieldTable.rows(of: carrier) where !row.name.isEmpty {
                #expect(uses.contains(Use(carrier: carrier, key: row.name)) != row.isReserved, "\(carrier.name).\(row.name)")
            }
        }
    }

    @Test func `a record has its keys in the order of the table`() throws {
        for carrier in FieldCarrier.allCases where carrier.isRecord {
            let names = FieldTable.rows(of: carrier).map(\.name)
            #expect(names.first == "kind" && Set(names).count == names.count, "\(carrier.name)")
        }
    }

    // MARK: - What is made from it

    @Test func `the schema is made from the table`() throws {
        let schema = try String(contentsOf: Self.project.appending(path: "docs/log-format.schema.json"), encoding: .utf8)
        #expect(schema == FieldSchema.text, "run make docs")
        let object = try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any]
        #expect((object?["$defs"] as? [String: Any])?.count ?? 0 > FieldCarrier.allCases.count)
    }

    @Test func `the tables of the page are made from the table`() throws {
        let page = try String(contentsOf: Self.project.appending(path: "docs/log-format.md"), encoding: .utf8)
        #expect(renewed(page, "fields", FieldPage.names, FieldPage.table) == page, "run make docs")
        for name in FieldPage.names { #expect(page.contains("<!-- fields: \(name) -->"), "\(name)") }
    }
}
