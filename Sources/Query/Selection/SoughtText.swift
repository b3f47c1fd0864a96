import Dissection
import Reports

/// Looks for expressions in what is said (`--grep`): payloads, header fields, targets.
///
/// What a payload has to say stands in its bytes, or in what its escapes, its compression or its base64 stand for: JSON's escapes, forms, and messages
/// of gRPC. What formats add (names for numbers, what is known from other messages) is not looked at.
///
/// A body comes in parts; a match over the boundary of two parts counts for the second one, where it is no longer than `overlap`.
final class SoughtText {
    /// Bytes before a part that are looked at with it.
    static let overlap = 1_024

    /// More bodies of a conversation are not under way at once.
    private static let mostChannels = 256

    private let matchers: [PatternMatcher]
    /// The ends of bodies and of runs of data that go on.
    private var ends: [UInt64: [ByteChannel: (client: [UInt8], server: [UInt8])]] = [:]
    private var endCount = 0
    /// Searches that were given up because the expression takes too many steps.
    private(set) var givenUp: UInt64 = 0

    /// Finds what any of the expressions finds.
    init(_ patterns: [PatternText]) { matchers = patterns.compactMap { PatternMatcher($0) } }

    /// Whether a payload may say more than stands in its bytes: forms have escapes, and messages of gRPC may be compressed or in base64.
    func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool {
        guard case .body(let part) = event.fact, part.payload.start < part.payload.end else { return false }
        switch event.bytes(part.payload)[0] {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "<"): return false
        case _: return true
        }
    }

    /// Those of the formats that say what stands in escapes, in what is compressed, or in base64.
    private static func isWritten(in format: StaticString) -> Bool {
        format.bytes.isEqual(StaticString("form").bytes) || format.bytes.isEqual(StaticString("grpc").bytes)
    }

    /// Takes an event that is not looked at, for what comes after it.
    func pass(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .body(let part): _ = ending(with: event.bytes(part.payload), isLast: part.final, of: event)
        case .data(let run) where run.framing == nil: _ = ending(with: event.content, isLast: false, of: event)
        case .closed: forget(event.conversation)
        case _: break
        }
    }

    var heldBytes: Int { endCount * (2 * Self.overlap + 128) }

    private func forget(_ conversation: UInt64) {
        if !ends.isEmpty, let known = ends.removeValue(forKey: conversation) { endCount -= known.count }
    }

    /// Whether something is found in an event.
    func finds(in event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        switch event.fact {
        case .request(let head):
            return has(event.bytes(head.target)) || hasField(event.content, head.fields)
        case .response(let head): return has(event.bytes(head.reason)) || hasField(event.content, head.fields)
        case .body(let part):
            if hasPart(event.bytes(part.payload), isLast: part.final, of: event) || hasEscaped(event.bytes(part.payload)) { return true }
            if hasField(event.content, part.trailers) { return true }
        case .data(let run):
            guard run.framing == nil else { return false }
            if hasPart(event.content, isLast: false, of: event) || hasEscaped(event.content) { return true }
        // One that is empty is something that was sent: `^$` finds it.
        case .message, .ping, .pong: return has(event.content, mayBeEmpty: true) || hasEscaped(event.content)
        case .close: return has(event.content) || hasEscaped(event.content)
        case .closed:
            forget(event.conversation)
            return false
        case .control(let frame): return has(event.bytes(frame.text)) || has(event.bytes(frame.settings))
        case .opened, .tls, .upgrade, .frame, .gap, .finding: return false
        }
        // An output that decodes payloads for its own sake finds no more than one that does not.
        guard let decoded, wantsDecoded(event), Self.isWritten(in: decoded.format) else { return false }
        for entry in decoded.entries where Self.written.contains(where: { entry.key.rawBytes.isEqual($0.bytes) }) {
            if has(entry.value) { return true }
        }
        return false
    }

    /// The first place that any of the expressions finds.
    func first(in bytes: RawSpan) -> Range<Int>? {
        var first: Range<Int>?
        for matcher in matchers {
            guard case .found(let range) = matcher.search(bytes), !range.isEmpty else { continue }
            if range.lowerBound < first?.lowerBound ?? .max { first = range }
        }
        return first
    }

    /// The keys of these that have it; others say what is known from elsewhere.
    private static let written: [StaticString] = ["fields", "message", "messages", "statusMessage"]

    /// Looks in each header field, `Name: value`.
    private func hasField(_ content: RawSpan, _ range: ByteRange) -> Bool {
        // Most have nothing of it.
        guard range.start < range.end, matchers.contains(where: { $0.mayMatch(content.extracting(range.start..<range.end)) }) else {
            return false
        }
        return HeaderLines.visit(content, range) { line in
            guard case .text(let bytes) = line else { return false }
            return self.has(bytes)
        }
    }

    private func has(_ bytes: RawSpan, mayBeEmpty: Bool = false) -> Bool {
        guard mayBeEmpty || !bytes.isEmpty else { return false }
        for matcher in matchers {
            switch matcher.search(bytes) {
            case .found: return true
            case .nowhere: continue
            case .tooCostly: givenUp &+= 1
            }
        }
        return false
    }

    /// Looks in a payload in which characters are written as JSON writes them.
    private func hasEscaped(_ bytes: RawSpan) -> Bool { JSONEscapes.undone(bytes).map { has($0.rawBytes) } ?? false }

    /// Looks in a part of something longer, and over the boundary before it.
    private func hasPart(_ bytes: RawSpan, isLast: Bool, of event: borrowing ConversationEvent) -> Bool {
        let before = ending(with: bytes, isLast: isLast, of: event)
        if has(bytes) { return true }
        guard !before.isEmpty, !bytes.isEmpty else { return false }
        let joined = before + bytes.prefix(Self.overlap).copy
        for matcher in matchers {
            if case .found(let range) = matcher.search(joined.rawBytes), range.upperBound > before.count { return true }
        }
        return false
    }

    /// Keeps the end of a part; returns that of the part before it.
    private func ending(with bytes: RawSpan, isLast: Bool, of event: borrowing ConversationEvent) -> [UInt8] {
        // Most bodies come in one part.
        if isLast, ends.isEmpty { return [] }
        let isClient = event.from == .client
        // Taken out of the table, so that changing it copies nothing.
        var channels = ends.removeValue(forKey: event.conversation) ?? [:]
        endCount -= channels.count
        var known = channels[event.channel] ?? ([], [])
        let before = isClient ? known.client : known.server
        let keep = isLast ? [] : bytes.extracting(max(0, bytes.byteCount - Self.overlap)..<bytes.byteCount).copy
        if isClient { known.client = keep } else { known.server = keep }
        channels[event.channel] = known.client.isEmpty && known.server.isEmpty ? nil : known
        // Streams that were broken off say nothing more.
        if channels.count > Self.mostChannels { channels = [event.channel: known] }
        endCount += channels.count
        if !channels.isEmpty { ends[event.conversation] = channels }
        return before
    }

    /// Looks in the texts of a value. Its nesting is bounded by those who read payloads.
    private func has(_ value: DecodedPayload.Value) -> Bool {
        switch value {
        case .text(let bytes): has(bytes.rawBytes)
        case .json(let bytes): has(bytes.rawBytes) || hasEscaped(bytes.rawBytes)
        // Names are those of a schema.
        case .items(let members), .object(let members): members.contains { has($0.value) }
        case .fields(let fields): fields.contains { has($0.name.rawBytes) || has($0.value.rawBytes) }
        // Words are ours, and numbers are no text where they do not stand as one.
        case .word, .number, .signed, .real, .flag, .nothing, .duration, .binary: false
        }
    }
}
