import Dissection
import Reports

/// The fields that have Wireshark's names.
enum WiresharkFields {
    static let all: [FilterField] = {
        var fields = connection + http + headers + webSocket + tls + protocols
        // Those that the table of the records names beside these.
        for (name, places) in ofTable where !fields.contains(where: { $0.name == name }) {
            guard let first = places.first else { continue }
            let sources = places.compactMap(\.source)
            let source = sources.count == 1 ? sources[0] : FieldSource.several(sources)
            fields.append(FilterField(name, source, ValueType(first.row), "\(first.row.sentence)", isWiresharks: true))
        }
        return fields
    }()

    /// The keys that the table gives a name of Wireshark's, those that most records have aside.
    private static let ofTable: [(String, [RecordFields.Place])] = {
        var found: [(String, [RecordFields.Place])] = []
        for place in RecordFields.places where !place.row.isCommon && place.source != nil {
            for name in place.row.wiresharkNames {
                if let index = found.firstIndex(where: { $0.0 == name }) {
                    found[index].1.append(place)
                } else {
                    found.append((name, [place]))
                }
            }
        }
        return found
    }()

    private static func held(_ name: String, _ field: ConversationField, _ type: ValueType, _ sentence: String) -> FilterField {
        FilterField(name, .conversation(field), type, sentence, level: .conversation, isWiresharks: true)
    }

    private static func of(_ name: String, _ source: FieldSource, _ type: ValueType, _ sentence: String) -> FilterField {
        FilterField(name, source, type, sentence, isWiresharks: true)
    }

    /// A key, as a source of its own: of frames of one type, or by its number where the record has its name.
    private static func key(_ kind: FactKind, _ path: String, as source: (KeyRow) -> FieldSource = { .key($0) }) -> FieldSource {
        KeyRow(kind, path).map(source) ?? .several([])
    }

    private static let connection: [FilterField] = [
        of("frame.number", .common(.packets), .range, "one of the packets that carried it: from the lowest to the highest of them"),
        of("frame.time", .common(.time), .time, "when its last byte came"),
        of("frame.time_epoch", .common(.time), .time, "the same; compared with seconds since 1970"),
        held("ip.addr", .addresses(.ipv4), .address(.ipv4), "the IPv4 address of either side"),
        held("ip.src", .sourceAddress(.ipv4), .address(.ipv4), "that of who sent it; only where somebody did"),
        held("ip.dst", .destinationAddress(.ipv4), .address(.ipv4), "that of the other side"),
        held("ipv6.addr", .addresses(.ipv6), .address(.ipv6), "the IPv6 address of either side"),
        held("ipv6.src", .sourceAddress(.ipv6), .address(.ipv6), "that of who sent it; only where somebody did"),
        held("ipv6.dst", .destinationAddress(.ipv6), .address(.ipv6), "that of the other side"),
        held("tcp.port", .ports, OwnFields.port, "the port of either side"),
        held("tcp.srcport", .sourcePort, OwnFields.port, "that of who sent it; only where somebody did"),
        held("tcp.dstport", .destinationPort, OwnFields.port, "that of the other side"),
    ]

    private static let http: [FilterField] = [
        held(
            "http.host", .host, .text,
            "`Host` of the request that an event belongs to: of a response and its body that of their request, of a WebSocket that of its handshake"
        ),
        of("http.request", .within(.request, .content), .bytes, "the head of a request"),
        of("http.response", .within(.response, .content), .bytes, "the head of a response"),
        of("http.request.full_uri", .head(.fullURI), .text, "scheme, host and target of a request; `https` where TLS was seen"),
        of("http.request.uri.path", .head(.uriPath), .text, "the target of a request without its query"),
        of("http.request.uri.query", .head(.uriQuery), .text, "the query of a request's target"),
        of(
            "http.response_for.uri", .head(.responseFor), .text,
            "the target of the request that a response answers, without scheme and host"),
        of("http.content_length", .head(.contentLength), .integer(least: 0, most: .max), "`Content-Length` as a number"),
    ]

    /// Fields of a head by the names that Wireshark gives to them.
    private static let headers: [FilterField] = [
        ("http.accept", "Accept"), ("http.accept_encoding", "Accept-Encoding"), ("http.accept_language", "Accept-Language"),
        ("http.authorization", "Authorization"), ("http.cache_control", "Cache-Control"), ("http.connection", "Connection"),
        ("http.content_encoding", "Content-Encoding"), ("http.content_length_header", "Content-Length"),
        ("http.content_type", "Content-Type"),
        ("http.cookie", "Cookie"), ("http.date", "Date"), ("http.last_modified", "Last-Modified"), ("http.location", "Location"),
        ("http.proxy_authenticate", "Proxy-Authenticate"), ("http.proxy_authorization", "Proxy-Authorization"), ("http.referer", "Referer"),
        ("http.sec_websocket_accept", "Sec-WebSocket-Accept"), ("http.sec_websocket_extensions", "Sec-WebSocket-Extensions"),
        ("http.sec_websocket_key", "Sec-WebSocket-Key"), ("http.sec_websocket_protocol", "Sec-WebSocket-Protocol"),
        ("http.sec_websocket_version", "Sec-WebSocket-Version"), ("http.server", "Server"), ("http.set_cookie", "Set-Cookie"),
        ("http.transfer_encoding", "Transfer-Encoding"), ("http.upgrade", "Upgrade"), ("http.user_agent", "User-Agent"),
        ("http.www_authenticate", "WWW-Authenticate"), ("http.x_forwarded_for", "X-Forwarded-For"),
    ].map { name, header in
        of(name, .header(.both, name: Array(header.lowercased().utf8)), .text, "`\(header)` of a request or response")
    }

    private static let opcode = ValueType.integer(least: 0, most: 15, names: ValueType.opcodes)

    private static let webSocket: [FilterField] = [
        of(
            "websocket.opcode",
            .several([
                .message(.opcode), .frame(.opcode), .within(.close, .constant(8)), .within(.ping, .constant(9)),
                .within(.pong, .constant(10)),
            ]), opcode, "of a frame, a message, a ping, a pong or a Close frame; also by name: `text`, `binary`, `close`, `ping`, `pong`"),
        of(
            "websocket.payload",
            .several([.message(.webSocketPayload), .ping(.payload), .pongPayload(.payload), .within(.close, .content)]), .bytes,
            "the payload of a WebSocket message, unmasked and inflated, or of a ping, pong or Close frame"),
        of("websocket.payload.text", .message(.textPayload), .text, "that of a text message"),
        of("websocket.payload.binary", .message(.binaryPayload), .bytes, "that of a binary message"),
        of("websocket.payload.ping", .ping(.payload), .bytes, "that of a ping"),
        of("websocket.payload.pong", .pongPayload(.payload), .bytes, "that of a pong"),
        of("websocket.payload.close", .within(.close, .content), .bytes, "the reason of a Close frame, without its code"),
        of("websocket.payload.close.status_code", .close(.code), OwnFields.port, "the code of a Close frame"),
        of("websocket.payload.close.reason", .close(.reason), .text, "the reason of a Close frame"),
    ]

    private static let tls: [FilterField] = [
        held("tls.handshake.extensions_server_name", .tlsName, .text, "the name that the TLS client asked for, from its hello on"),
        of(
            "tls.handshake.extensions_alpn_str", .several([key(.tls, "offeredAlpn"), key(.tls, "alpn")]), .text,
            "a protocol that was offered, or chosen"),
        of(
            "tls.handshake.version", key(.tls, "version", as: { .registered($0) }), number16,
            "the agreed version as a number, such as 0x0304"),
        of(
            "tls.handshake.ciphersuite", key(.tls, "cipher", as: { .registered($0) }), number16,
            "the agreed cipher suite as a number, such as 0x1301"),
    ]

    private static let number16 = ValueType.integer(least: 0, most: 65_535)

    private static let errorCode = ValueType.integer(least: 0, most: UInt64(UInt32.max))

    private static let protocols: [FilterField] = [
        held("ip", .addresses(.ipv4), .address(.ipv4), "the conversation runs over IPv4"),
        held("ipv6", .addresses(.ipv6), .address(.ipv6), "the conversation runs over IPv6"),
        held("tcp", .ports, OwnFields.port, "the conversation has ports"),
        of("http", .within([.request, .response, .body], .content), .bytes, "a head or a body of HTTP, with its content"),
        of(
            "websocket",
            .several([
                .message(.webSocketPayload), .within([.frame, .ping, .pong, .close], .content),
            ]), .bytes, "a WebSocket message, ping, pong or Close frame, with its payload"),
        of(
            "http2.rst_stream.error", key(.control, "code", as: { .controlOf(.reset, $0) }), errorCode,
            "the error code of a stream that was reset (RFC 9113 7)"),
        of(
            "http2.goaway.error", key(.control, "code", as: { .controlOf(.goAway, $0) }), errorCode,
            "the error code of a GOAWAY; 0 where nothing went wrong"),
        of(
            "http2.goaway.addata", key(.control, "debug", as: { .controlOf(.goAway, $0) }), .text,
            "what the sender of a GOAWAY says about the cause"),
        of("data.data", .data(.payload), .bytes, "bytes of a protocol that has no layer"),
        of("data.len", .data(.length), .integer(least: 0, most: .max), "how many they are"),
    ]

    /// Fields of Wireshark's that users look for here, and what to use in their place.
    static let missing: [String: String] = [
        "http.status": "The status of a response is http.response.code",
        "tcp.stream": "conversations have numbers of their own: conversation",
        "frame.len": "there are no packets here, but what they say: message.length, body.length, data.length",
        "frame.time_relative": "times are compared as they are: frame.time",
        "frame.time_delta": "times are compared as they are: frame.time",
        "frame.protocols": "what is spoken is told by kind, or by http, websocket and tls",
        "tcp.flags": "how a conversation began and ended: opened.start, closed.how",
        "tcp.analysis.flags": "what is wrong with a conversation is told by findings: finding.id",
        "tcp.analysis.retransmission": "bytes that came twice are told once; findings tell where they differ: finding.id",
        "tcp.analysis.lost_segment": "bytes that are missing are gaps: gap.cause == missing",
        "_ws.expert": "what is wrong is told by findings: finding.severity",
        "_ws.malformed": "what is wrong is told by findings: finding.severity",
        "_ws.col.info": "the text of messages: text",
        "udp": "UDP is not read",
        "dns": "DNS is not read",
        "http2": "requests and responses of HTTP/2 are http, and have a stream: http and stream",
    ]
}

extension Field {
    /// Wireshark's names for it.
    var wiresharkNames: [String] { wireshark.map { "\($0)".replacing(", ", with: ",").split(separator: ",").map(String.init) } ?? [] }
}
