import Dissection
import Foundation
import Query
import Reports
import Testing

@Suite("keys of records that have their accessor in their row")
struct KeyRowTests {
    static let texts = [Array("café".utf8), [0x63, 0x61, 0x66, 0xe9]]

    @Test("an event made from the rows alone is written, read back as it was, and found by the filter", arguments: texts)
    func roundTrip(text: [UInt8]) throws {
        try check(Opening.self, text) { .opened($0) }
        try check(TLSFacts.self, text) { .tls($0) }
        try check(Upgrade.self, text) { .upgrade($0) }
        try check(ControlFrame.self, text) { .control($0) }
        try check(Gap.self, text) { .gap($0) }
        try check(Closing.self, text) { .closed($0) }
    }

    private func check<Made: FieldedFact>(_ type: Made.Type, _ text: [UInt8], _ makeFact: (Made) -> Fact) throws {
        var filler = Filler(text: text)
        var made = Made.blank
        made.visit(&filler)
        let fact = makeFact(made)
        let event = ConversationEvent(
            conversation: 1, from: .client, place: Place(time: Timestamp(nanoseconds: 1)), offset: nil, fact: fact,
            content: filler.content.span.bytes)
        var writer = RecordReport(Output(), settings: RecordSettings(payload: .full(limit: .max)))
        writer.receive(event)
        let line = writer.takeBytes()
        let record = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        let kind = try #require(record["kind"] as? String)
        #expect(filler.paths.count > 1)
        for path in filler.paths where path != "latin1" || record["latin1"] != nil {
            #expect(record.has(path), "\(path) is not in \(String(decoding: line, as: UTF8.self))")
            let filter = try DisplayFilter("\(kind).\(path)").makeFilter()
            let isFound = filter.accepts(event, nil)
            #expect(isFound, "\(kind).\(path) is not in the event")
        }
        var reader = LogTeller()
        let outcome = reader.tell(line.span.bytes, into: &writer) { _, _ in }
        guard case .told = outcome else {
            Issue.record("\(outcome) of \(String(decoding: line, as: UTF8.self))")
            return
        }
        #expect(writer.takeBytes() == line)
    }
}

/// Gives each place of a fact a value.
private struct Filler: FieldVisitor {
    static let fills = true
    let text: [UInt8]
    var content: [UInt8] = []
    /// The keys that were filled.
    var paths: [String] = []
    private var holder = ""

    init(text: [UInt8]) { self.text = text }

    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue {
        if field.object == nil { paths.append(holder + field.name) }
        switch value {
        // Settings are of frames of the first type alone.
        case .word: return .word("", field.name == "type" ? 0 : 1)
        case .number: return .number(UInt64(paths.count))
        case .seconds: return .seconds(Int64(paths.count) * 1_000)
        case .flag: return .flag(true)
        case .code(_, .versions): return .code(0x7f12, .versions)
        case .code(_, .ciphers): return .code(0x1301, .ciphers)
        case .address: return .address(IPAddress(ipv4: 0x0a00_0005))
        case .text(_, .one): return .text(add(text))
        case .text(_, .names): return .text(add([UInt8(text.count)] + text))
        case .text(_, .certificates):
            var entry = CertificateEntry()
            entry.subject = text
            var list: [UInt8] = []
            entry.append(to: &list)
            return .text(add(list))
        case .headers: return .headers(add(text + [0x3a, 0x20] + text + [0x0d, 0x0a]))
        case .label, .latin1: return value
        }
    }

    mutating func begin(_ field: Field, isThere: Bool) -> Bool {
        holder = field.name + "."
        return true
    }

    mutating func end() { holder = "" }

    private mutating func add(_ bytes: [UInt8]) -> ByteRange {
        content += bytes
        return ByteRange(content.count - bytes.count..<content.count)
    }
}

extension [String: Any] {
    /// Whether there is a key, after those of the objects that it stands in.
    fileprivate func has(_ path: String) -> Bool {
        path.split(separator: ".").reduce(self as Any?) { ($0 as? [String: Any])?[String($1)] } != nil
    }
}
