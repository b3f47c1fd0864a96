/// How much a finding matters.
public enum Severity: UInt8, Sendable, CaseIterable {
    /// Worth knowing; no rule is broken.
    case note
    /// A SHOULD is not kept, or peers are known to stumble over it.
    case warning
    /// A MUST is broken.
    case violation
}

/// What of a conversation of HTTP/2 has to have been seen for a finding to be certain. A lost frame of either side may have allowed what comes
/// after it: settings, the method that is answered, a head.
package enum FindingNeeds: UInt8, Sendable {
    /// What is wrong stands in the frame itself, and reads as nothing else.
    case nothing
    /// All that its sender has sent: where its frames begin, and what it had sent before.
    case sender
    /// All that both sides have sent.
    case bothSides
}

/// A row of the findings catalogue: one thing that may be found, told once for parser, log, help and docs/findings.md.
///
/// `detail` is a sentence for a person, in lower case and without a full stop, with places for what was seen:
/// `{a}` and `{b}` are the finding's numbers, `{a:hex}` the number in hexadecimal, `{text}` the event's content. What
/// stands in brackets is left out where `a` is 0.
public struct FindingRow: Sendable, Equatable {
    // Literals, so that an event that carries a row has nothing to count or to free.
    /// `id` as it stands in the program, for who writes it without making a text of it first; so the two below.
    package let idText: StaticString
    package let referenceText: StaticString
    package let detailText: StaticString
    private let explanationText: StaticString
    private let zeekText: StaticString?

    public let severity: Severity
    /// What of the conversation has to have been seen for a row of HTTP/2 to be certain.
    package let needs: FindingNeeds
    /// Beyond some number the findings of a row are counted only, as those of all violations are.
    package let isCounted: Bool

    /// Stable, layer first: `websocket.mask-missing`.
    public var id: String { idText.description }
    /// The rule, such as `RFC 6455 5.1`; empty where no document has it.
    public var reference: String { referenceText.description }
    /// The sentence with its places.
    public var detail: String { detailText.description }
    /// More about it for docs/findings.md: what it usually comes from, what to do.
    public var explanation: String { explanationText.description }
    /// Zeek's weird name for the same oddity, where there is one.
    public var zeekName: String? { zeekText?.description }

    public init(
        id: StaticString, severity: Severity, reference: StaticString, detail: StaticString, explanation: StaticString,
        zeekName: StaticString? = nil
    ) {
        self.init(
            id: id, severity: severity, reference: reference, detail: detail, explanation: explanation, zeekName: zeekName,
            needs: .bothSides)
    }

    /// - Parameters:
    ///   - needs: see the property.
    ///   - isCounted: see the property; every violation is.
    package init(
        id: StaticString, severity: Severity, reference: StaticString, detail: StaticString, explanation: StaticString,
        zeekName: StaticString? = nil, needs: FindingNeeds = .bothSides, isCounted: Bool = false
    ) {
        idText = id
        self.needs = needs
        self.isCounted = isCounted || severity == .violation
        self.severity = severity
        referenceText = reference
        detailText = detail
        explanationText = explanation
        zeekText = zeekName
    }

    public static func == (left: FindingRow, right: FindingRow) -> Bool { left.id == right.id }
}

/// A row that applies, with the numbers that its sentence names. Content: the text that its sentence names.
public struct Finding: Sendable {
    public let row: FindingRow
    public let a: UInt64
    public let b: UInt64
    /// The content is the whole sentence, because it was put into words before: in a log that is read again.
    public let isWorded: Bool

    public init(_ row: FindingRow, a: UInt64 = 0, b: UInt64 = 0) {
        self.row = row
        self.a = a
        self.b = b
        isWorded = false
    }

    /// A finding whose sentence is the event's content.
    public init(worded row: FindingRow) {
        self.row = row
        (a, b) = (0, 0)
        isWorded = true
    }
}
