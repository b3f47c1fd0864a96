import Dissection
import Reports

/// Looks for expressions in what is said (`--grep`): payloads, header fields, targets, and what payloads say in the words of their formats.
///
/// A body comes in parts; a match over the border of two parts counts for the second one, where it is no longer than `overlap`.
final class SoughtText {
    /// Bytes before a part that are looked at with it.
    static let overlap = 1_024

    private let matchers: [PatternMatcher]
    /// The ends of bodies and of runs of data that go on.
    private var ends: [UInt64: (client: [UInt8], server: [UInt8])] = [:]
    /// Searches that were given up because the expression takes too many steps.
    private(set) var givenUp: UInt64 = 0
    /// What is looked for may be a word that a format says of JSON in which it does not stand.
    private let mayBeWord: Bool

    /// Finds what any of the expressions finds.
    init(_ patterns: [PatternText]) {
        let matchers = patterns.compactMap { PatternMatcher($0) }
        self.matchers = matchers
        mayBeWord = FormatWords.ofJSON.contains { word in
            word.withBytes { bytes in matchers.contains { $0.search(bytes) != .nowhere } }
        }
    }

    /// Whether what a payload says decoded may have more in it than the payload itself.
    func wantsDecoded(_ event: borrowing ConversationEvent) -> Bool {
        switch event.fact {
        case .message, .data: mayBeWord || !Self.isPlainJSON(event.content)
        case .body(let part): mayBeWord || !Self.isPlainJSON(event.bytes(part.payload))
        case _: false
        }
    }

    /// Whether it begins like JSON, or like JSON with digits before it, and all that is written in it stands there as it is.
    private static func isPlainJSON(_ bytes: RawSpan) -> Bool {
        var start = 0
        while start < bytes.byteCount, start < 20, 0x30...0x39 ~= bytes[start] { start += 1 }
        guard start < bytes.byteCount, bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") else { return false }
        return FilterRun.escape.first(in: bytes) == nil
    }

    /// Takes an event that is not looked at, for what comes after it.
    func pass(_ event: borrowing ConversationEvent) {
        switch event.fact {
        case .body(let part): _ = ending(with: event.bytes(part.payload), isLast: part.final, of: event)
        case .data(let run) where run.framing == nil: _ = ending(with: event.content, isLast: false, of: event)
        case .closed: if !ends.isEmpty { ends[event.conversation] = nil }
        case _: break
        }
    }

    var heldBytes: Int { ends.count * (2 * Self.overlap + 64) }

    /// Whether something is found in an event.
    func finds(in event: borrowing ConversationEvent, _ decoded: DecodedPayload?) -> Bool {
        switch event.fact {
        case .request(let head):
            return has(event.bytes(head.target)) || has(event.bytes(head.fields))
        case .response(let head): return has(event.bytes(head.reason)) || has(event.bytes(head.fields))
        case .body(let part):
            if hasPart(event.bytes(part.payload), isLast: part.final, of: event) || hasEscaped(event.bytes(part.payload)) { return true }
            if has(event.bytes(part.trailers)) { return true }
        case .data(let run):
            guard run.framing == nil else { return false }
            if hasPart(event.content, isLast: false, of: event) || hasEscaped(event.content) { return true }
        case .message, .ping, .pong, .close: if has(event.content) || hasEscaped(event.content) { return true }
        case .closed:
            if !ends.isEmpty { ends[event.conversation] = nil }
            return false
        case .control(let frame): return has(event.bytes(frame.text)) || has(event.bytes(frame.settings))
        case .opened, .tls, .upgrade, .frame, .gap, .finding: return false
        }
        // An output that decodes payloads for its own sake finds no more than one that does not.
        guard let decoded, wantsDecoded(event) else { return false }
        for entry in decoded.entries where has(entry.value) { return true }
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

    private func has(_ bytes: RawSpan) -> Bool {
        guard !bytes.isEmpty else { return false }
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

    /// Looks in a part of something longer, and over the border before it.
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
        var known = ends[event.conversation] ?? ([], [])
        let before = isClient ? known.client : known.server
        let keep = isLast ? [] : bytes.extracting(max(0, bytes.byteCount - Self.overlap)..<bytes.byteCount).copy
        if isClient { known.client = keep } else { known.server = keep }
        ends[event.conversation] = known.client.isEmpty && known.server.isEmpty ? nil : known
        return before
    }

    /// Looks in the texts of a value. Its nesting is bounded by those who read payloads.
    private func has(_ value: DecodedPayload.Value) -> Bool {
        switch value {
        case .text(let bytes): has(bytes.rawBytes)
        case .word(let word): word.withBytes { has($0) }
        case .number(let number): "\(number)".withBytes { has($0) }
        case .signed(let number): "\(number)".withBytes { has($0) }
        case .list(let values): values.contains { has($0) }
        case .items(let members): members.contains { has($0.value) }
        case .object(let members): members.contains { has($0.name.rawBytes) || has($0.value) }
        case .fields(let fields): fields.contains { has($0.name.rawBytes) || has($0.value.rawBytes) }
        // JSON stands in the payload as it is, which was looked at.
        case .json, .real, .flag, .nothing, .duration, .binary: false
        }
    }
}
