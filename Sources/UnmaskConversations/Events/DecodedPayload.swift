import Dissection
import Reports

/// What a payload says, in the format that it was recognised as.
///
/// ```swift
/// let decoded = DecodedPayload([0x81, 0xA2, 0x68, 0x69, 0x05], as: "msgpack")
/// print(decoded?.json ?? "unknown")  // {"as":"msgpack","value":{"hi":5}}
/// ```
public struct DecodedPayload: Sendable, Equatable, CustomStringConvertible {
    /// The format's name, such as `json`, `msgpack`, `cbor`, `protobuf`, `socket.io`; docs/payloads.md has all of them.
    public let format: String
    /// What it says, as JSON: the payload itself where that is JSON; otherwise an object with the format under `as` and the format's keys, which
    /// docs/log-format.md describes.
    public let json: String
    /// One line in the words of the protocol, such as `event "chat" on /room`; nil where the payload itself says it best.
    public let summary: String?
    /// Why it could not be read to its end; nil where it could.
    public let problem: String?

    /// The summary, or the JSON where there is none.
    public var description: String { summary ?? json }

    /// Reads a payload that is not part of a conversation. Nil where no format recognises it.
    ///
    /// - Parameters:
    ///   - bytes: the payload, decompressed.
    ///   - format: one of ``formats``; nil to have it recognised.
    ///   - contentType: the `Content-Type` that it came with; nil where it came with none.
    public init?(_ bytes: some Collection<UInt8>, as format: String? = nil, contentType: String? = nil) {
        let payload = Array(bytes)
        var table = PayloadTable.standard
        if let format {
            guard DecodedPayload.formats.contains(format), let ruled = try? table.with(rules: ["*=\(format)"]) else { return nil }
            table = ruled
        }
        let isText = String(validating: payload, as: UTF8.self) != nil
        var context = PayloadContext(from: .client, opcode: isText ? 1 : 2, isCut: false)
        if let contentType {
            context.carrier = .body
            context.contentType = Array(contentType.utf8)
        }
        var memory = PayloadMemory()
        guard let decoded = table.decode(payload.rawBytes, in: context, memory: &memory) else { return nil }
        self.init(decoded, of: payload.rawBytes)
    }

    init(_ decoded: Reports.DecodedPayload, of payload: RawSpan) {
        format = decoded.format.description
        problem = decoded.reason.map { String(decoding: $0, as: UTF8.self) }
        json = String(decoding: format == "json" && problem == nil ? payload.copy : decoded.json, as: UTF8.self)
        summary = decoded.summary.isEmpty ? nil : String(decoding: decoded.summary, as: UTF8.self).visible
    }

    /// The names of all formats, in the order in which they are asked.
    public static let formats: [String] = {
        var names: [String] = []
        for row in PayloadTable.standard.rows where !names.contains(row.name.description) { names.append(row.name.description) }
        return names
    }()
}
