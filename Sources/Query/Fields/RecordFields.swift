import Dissection
import Reports

/// The fields that the keys of records are: `carrier.key` for each row of the table, and the key alone where only one row has it.
enum RecordFields {
    /// The records that are events; the others stand in every log.
    static let carriers = FieldCarrier.allCases.filter { $0.isRecord && $0 != .capture && $0 != .end }

    /// Keys that only an output knows, because it makes them.
    static let unknown: Set<String> = [
        "message.decoded", "body.decoded", "response.decoded", "closed.heartbeats", "closed.hidden", "closed.unanswered",
        "closed.unansweredTotal",
    ]

    /// A key where it stands: of a record, or of an object in one.
    struct Place: Sendable {
        var carrier: FieldCarrier
        /// `framing.by`; empty for a payload.
        var path: String
        var row: Field

        var name: String {
            if path.isEmpty { return carrier == .close ? "close.reason" : "\(carrier.name).payload" }
            return "\(carrier.name).\(path)"
        }

        /// Where its values come from; nil where nothing but an output knows.
        var source: FieldSource? { RecordFields.source(carrier, path) }
    }

    /// All keys of all events.
    static let places: [Place] = carriers.flatMap { carrier in places(in: carrier, of: carrier, prefix: "") }

    private static func places(in holder: FieldCarrier, of carrier: FieldCarrier, prefix: String) -> [Place] {
        var places: [Place] = []
        for row in FieldTable.rows(of: holder) {
            let path = prefix + row.name
            if unknown.contains("\(carrier.name).\(path)") { continue }
            if let object = row.object {
                places += self.places(in: object, of: carrier, prefix: path + ".")
            } else {
                places.append(Place(carrier: carrier, path: path, row: row))
            }
        }
        return places
    }

    /// The accessor of a key.
    private static func source(_ carrier: FieldCarrier, _ path: String) -> FieldSource? {
        if let common = CommonField(rawValue: path) { return .within(FieldCarriers(carrier), .common(common)) }
        if let kind = FactKind(carrier), let source = FieldSource.key(kind, path) { return source }
        return switch carrier {
        case .data: DataField(rawValue: path).map { .data($0) }
        case .finding: FindingField(rawValue: path).map { .finding($0) }
        case .request: RequestField(rawValue: path).map { .request($0) }
        case .response: ResponseField(rawValue: path).map { .response($0) }
        case .body: BodyField(rawValue: path).map { .body($0) }
        case .frame: FrameField(rawValue: path).map { .frame($0) }
        case .message: MessageField(rawValue: path).map { .message($0) }
        case .ping: PingField(rawValue: path).map { .ping($0) }
        case .pong: PongField(rawValue: path).map { .pong($0) } ?? PingField(rawValue: path).map { .pongPayload($0) }
        case .close: CloseField(rawValue: path).map { .close($0) }
        case .opened, .tls, .gap, .closed, .upgrade, .control, .capture, .end, .source, .endpoint, .via, .process, .certificate, .decoded,
            .payload,
            .ends, .side, .compression, .heartbeat, .framing,
            .call:
            nil
        }
    }

    /// Fields of records, each under the name of its record.
    static let qualified: [FilterField] = places.compactMap { place in
        guard let source = place.source else { return nil }
        var field = FilterField(place.name, source, type(of: place.row), "\(place.row.sentence)", isHidden: place.row.isCommon)
        let names = place.row.wiresharkNames
        if !names.isEmpty { field.wireshark = names.joined(separator: ", ") }
        return field
    }

    /// Keys alone, where all records that have such a key have the same row.
    static let bare: [FilterField] = {
        var fields: [FilterField] = []
        for path in orderedPaths where !path.isEmpty {
            let found = places.filter { $0.path == path }
            guard let first = found.first, found.allSatisfy({ $0.row.isSame(as: first.row) }) else { continue }
            let source: FieldSource
            if let common = CommonField(rawValue: path) {
                source = .common(common)
            } else {
                let sources = found.compactMap(\.source)
                guard sources.count == found.count else { continue }
                source = sources.count == 1 ? sources[0] : .several(sources)
            }
            let sentence = path == "kind" ? "what kind of event it is" : "\(first.row.sentence)"
            fields.append(FilterField(path, source, type(of: first.row), sentence, isHidden: !first.row.isCommon))
        }
        return fields
    }()

    /// Keys alone that could be of several rows, and the names that say which.
    static let ambiguous: [String: [String]] = {
        var names: [String: [String]] = [:]
        for path in orderedPaths where !path.isEmpty && !bare.contains(where: { $0.name == path }) {
            names[path] = places.filter { $0.path == path && $0.source != nil }.map(\.name)
        }
        return names
    }()

    private static let orderedPaths: [String] = {
        var paths: [String] = []
        for place in places where !paths.contains(place.path) { paths.append(place.path) }
        return paths
    }()

    private static func type(of row: Field) -> ValueType {
        if row.name == "kind" { return .word(FieldCarrier.words.map { "\($0)" }) }
        return row.name == "address" ? .address(nil) : ValueType(row)
    }
}
