import Dissection

/// One key of the log's records: a row of the table that the records, their JSON Schema and the tables of docs/log-format.md are made from.
///
/// A row is a constant of which nothing is left but its key where a record is written. Its path in a filter is its name, after the name of
/// the key that holds it where it stands in an object: `client.port`.
package struct Field: Sendable {
    /// As it stands in a record, after other keys: `,"offset":`.
    package let key: StaticString
    /// What its value is.
    package let type: FieldType
    /// What the number counts; none where it counts nothing, or is no number.
    package let unit: FieldUnit
    /// The records, and objects in them, that may have it.
    package let carriers: FieldCarriers
    /// Those of them that always have it.
    package let always: FieldCarriers
    /// What it says, in Markdown and without a full stop.
    package let sentence: StaticString
    /// What Wireshark calls the same; none where it has no such field.
    package let wireshark: StaticString?
    /// Nothing writes it yet; it is here so that nothing else takes its name.
    package let isReserved: Bool

    @inline(__always)
    init(
        _ key: StaticString, _ type: FieldType, _ unit: FieldUnit = .none, in carriers: FieldCarriers, always: FieldCarriers = [],
        _ sentence: StaticString, wireshark: StaticString? = nil, isReserved: Bool = false
    ) {
        self.key = key
        self.type = type
        self.unit = unit
        self.carriers = carriers
        self.always = always
        self.sentence = sentence
        self.wireshark = wireshark
        self.isReserved = isReserved
    }

    /// The object that its value is, where it is one.
    package var object: FieldCarrier? {
        switch type {
        case .object(let object), .objects(let object): object
        case _: nil
        }
    }

    /// The name alone.
    package var name: String { String(key.description.dropFirst(2).dropLast(2)) }
}

/// What the value of a field is.
package enum FieldType: Sendable {
    /// A whole number from the first to the second.
    case integer(UInt64, UInt64)
    /// Seconds as a decimal of at most nine places.
    case seconds
    /// A decimal from 0 to 1.
    case fraction
    case boolean
    /// `true`, or absent.
    case flag
    case text
    /// Text of a form: a regular expression.
    case pattern(StaticString)
    case word(FieldWords)
    /// RFC 3339, UTC, nine places.
    case time
    /// The lowest and the highest number of packets.
    case packets
    /// Names and values in pairs.
    case headers
    case names
    /// `text`, `binary` or a number of four bits.
    case opcode
    /// A word, or a number where there is none.
    case wordOrNumber(FieldWords)
    /// Numbers by words that depend on what is counted.
    case counts
    case object(FieldCarrier)
    /// Several of them, in an array.
    case objects(FieldCarrier)
    /// A payload. It has no key of its own: it stands in `text` or `base64`.
    case payload

    /// Any number of 64 bits.
    static var any: FieldType { .integer(0, .max) }
    /// The same, not 0.
    static var some: FieldType { .integer(1, .max) }
}

/// What a number counts.
package enum FieldUnit: Sendable { case none, bytes, packets }

/// What fields stand in: the records by their kinds, and the objects in them.
package enum FieldCarrier: UInt8, CaseIterable, Sendable {
    case capture, end
    case opened, tls, data, gap, finding, closed
    case request, response, body, upgrade
    case frame, message, ping, pong, close
    case control
    // Objects.
    case source, endpoint, via, process, certificate, decoded, payload, ends, side, compression, heartbeat, framing, call

    /// Whether it is a kind of record, and no object in one.
    package var isRecord: Bool { rawValue < FieldCarrier.source.rawValue }

    package var name: String { "\(self)" }

    /// What such a record tells.
    package var summary: StaticString {
        switch self {
        case .capture: "An input begins"
        case .end: "The run ended"
        case .opened: "A conversation begins"
        case .tls: "What the hellos of a TLS connection say, and who the server is"
        case .data: "Bytes of a protocol that has no layer, or a sealed record of TLS or SSL 2.0"
        case .gap: "Bytes that were not seen or not understood"
        case .finding: "Something that a peer did wrong or that is worth knowing"
        case .closed: "A conversation ended"
        case .request: "The head of an HTTP request ended"
        case .response: "The head of an HTTP response ended"
        case .body: "A body, or a part of it, ended"
        case .upgrade: "An HTTP upgrade was answered"
        case .frame: "One WebSocket frame"
        case .message: "A whole message: of a WebSocket, or cut out of raw bytes"
        case .ping: "A WebSocket ping"
        case .pong: "A WebSocket pong"
        case .close: "A WebSocket Close frame"
        case .control: "What one side of an HTTP/2 connection tells the other beside messages; `type` says what"
        case .source: "Where packets or bytes come from"
        case .endpoint: "Where one side is reached"
        case .via: "The way through a proxy"
        case .process: "A program that runs on the machine of the capture"
        case .certificate: "A certificate that a side showed (RFC 5280)"
        case .decoded: "What a sealed record is; `as` names the format"
        case .payload: "What a payload says, with `--decoded`; `as` names the format, which has keys of its own"
        case .ends: "How each direction stood at the end"
        case .side: "What one side sent"
        case .compression: "What permessage-deflate was agreed to"
        case .heartbeat: "What one side sent at regular times to show that it was there"
        case .framing: "How a message was cut out of raw bytes"
        case .call: "What a side asked for and had no answer to at the end"
        }
    }
}

extension FactKind {
    /// The number of the `FieldCarrier` that its records are: before those of events come `capture` and `end`.
    @inline(__always)
    package var carrierNumber: UInt8 { rawValue &+ FieldCarrier.opened.rawValue }
}

/// Several carriers.
package struct FieldCarriers: OptionSet, Sendable {
    package let rawValue: UInt32

    @inline(__always)
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inline(__always)
    package init(_ carrier: FieldCarrier) { rawValue = 1 << UInt32(carrier.rawValue) }

    /// That of the records of events of a kind.
    package init(of kind: FactKind) { rawValue = 1 << UInt32(kind.carrierNumber) }

    package func contains(_ carrier: FieldCarrier) -> Bool { rawValue >> UInt32(carrier.rawValue) & 1 == 1 }

    /// Whether events of a kind are among them.
    @inline(__always)
    package func contains(_ kind: FactKind) -> Bool { rawValue >> UInt32(kind.carrierNumber) & 1 == 1 }

    package static var capture: Self { Self(.capture) }
    package static var end: Self { Self(.end) }
    package static var opened: Self { Self(.opened) }
    package static var tls: Self { Self(.tls) }
    package static var data: Self { Self(.data) }
    package static var gap: Self { Self(.gap) }
    package static var finding: Self { Self(.finding) }
    package static var closed: Self { Self(.closed) }
    package static var request: Self { Self(.request) }
    package static var response: Self { Self(.response) }
    package static var body: Self { Self(.body) }
    package static var upgrade: Self { Self(.upgrade) }
    package static var frame: Self { Self(.frame) }
    package static var message: Self { Self(.message) }
    package static var ping: Self { Self(.ping) }
    package static var pong: Self { Self(.pong) }
    package static var close: Self { Self(.close) }
    package static var control: Self { Self(.control) }
    package static var source: Self { Self(.source) }
    package static var endpoint: Self { Self(.endpoint) }
    package static var via: Self { Self(.via) }
    package static var process: Self { Self(.process) }
    package static var certificate: Self { Self(.certificate) }
    package static var decoded: Self { Self(.decoded) }
    package static var payload: Self { Self(.payload) }
    package static var ends: Self { Self(.ends) }
    package static var side: Self { Self(.side) }
    package static var compression: Self { Self(.compression) }
    package static var heartbeat: Self { Self(.heartbeat) }
    package static var framing: Self { Self(.framing) }
    package static var call: Self { Self(.call) }

    /// What a side said.
    package static var said: Self {
        [.tls, .data, .gap, .finding, .request, .response, .body, .upgrade, .frame, .message, .ping, .pong, .close, .control]
    }
    /// What belongs to a conversation.
    package static var ofConversation: Self { said.union([.opened, .closed]) }
    /// What has a payload whose length it always tells.
    package static var withPayload: Self { [.data, .body, .message] }
    /// What has a short payload, and tells its length where it is cut.
    package static var withShortPayload: Self { [.ping, .pong, .close] }
    /// What may have a secret in it.
    package static var withSecrets: Self {
        [.opened, .tls, .request, .response, .body, .upgrade, .message, .ping, .pong, .close, .control, .data, .finding]
    }
    /// What has texts of a head or of a hello, which may be no UTF-8.
    package static var withHeadText: Self { [.opened, .tls, .finding, .request, .response, .body, .upgrade, .control] }
}
