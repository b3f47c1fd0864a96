import Dissection
import Reports

/// Where the values of a field come from.
indirect enum FieldSource: Sendable {
    case common(CommonField)
    case data(DataField)
    case finding(FindingField)
    /// A key whose row says where its value is.
    case key(KeyRow)
    case request(RequestField)
    case response(ResponseField)
    case body(BodyField)
    case frame(FrameField)
    case message(MessageField)
    case ping(PingField)
    /// The short payload of a pong, which is like that of a ping.
    case pongPayload(PingField)
    case pong(PongField)
    case close(CloseField)
    /// What control frames of one type have.
    case controlOf(ControlFrame.Kind, KeyRow)
    /// What the certificates have that a key holds.
    case certificate(KeyRow, CertificateField)
    /// The number that a key names.
    case registered(KeyRow)
    /// The fields of a name in a head or behind a body; the name is in lower case.
    case header(HeaderHolder, name: [UInt8])
    /// What a head says in several fields put together, or in a part of one.
    case head(HeadField)
    /// The same number for each event of a kind.
    case constant(UInt64)
    /// The bytes of each event: what `http`, `websocket` or `message` alone stands for.
    case content
    /// What holds for the conversation.
    case conversation(ConversationField)
    /// A value in a payload that is JSON.
    case json(JSONPath)
    /// What a payload says in its format.
    case decoded(FormatField)
    /// A source, of events of these kinds alone.
    case within(FieldCarriers, FieldSource)
    /// One after the other.
    case several([FieldSource])

    /// The kinds of events that may have a value.
    var carriers: FieldCarriers {
        switch self {
        case .common(let field):
            switch field {
            case .from, .offset, .channel, .stream: .said
            case .redacted: .withSecrets
            case .kind, .conversation, .time, .packets: .ofConversation
            }
        case .data: .data
        case .finding: .finding
        case .key(let row), .controlOf(_, let row), .certificate(let row, _), .registered(let row): FieldCarriers(of: row.kind)
        case .request: .request
        case .response: .response
        case .body: .body
        case .frame: .frame
        case .message: .message
        case .ping: .ping
        case .pong, .pongPayload: .pong
        case .close: .close
        case .header(let holder, _): holder.carriers
        case .head(let field): field.carriers
        case .constant, .content, .conversation: .ofConversation
        case .json: .withPayload
        case .decoded: .withPayload.union(.response)
        case .within(let carriers, let source): carriers.intersection(source.carriers)
        case .several(let sources): sources.reduce([]) { $0.union($1.carriers) }
        }
    }

    /// Whether the payload has to be decoded for it.
    var wantsDecoded: Bool {
        switch self {
        case .decoded: true
        case .within(_, let source): source.wantsDecoded
        case .several(let sources): sources.contains(where: \.wantsDecoded)
        case _: false
        }
    }

    /// What has to be known of the conversation for it.
    var needs: ConversationNeeds {
        switch self {
        case .conversation(let field): field.needs
        case .head(let field): field == .fullURI ? [.exchanges] : []
        case .within(_, let source): source.needs
        case .several(let sources): sources.reduce([]) { $0.union($1.needs) }
        case _: []
        }
    }
}

/// Where header fields stand.
enum HeaderHolder: Sendable {
    case request, response, both, trailers, settings

    var carriers: FieldCarriers {
        switch self {
        case .request: .request
        case .response: .response
        case .both: [.request, .response]
        case .trailers: .body
        case .settings: .control
        }
    }
}
