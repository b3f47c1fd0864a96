import Dissection
import Reports

/// A rule of a protocol that a side broke, or something else worth knowing, with the place where it was found.
public struct ConversationFinding: Sendable, Equatable, CustomStringConvertible {
    /// How much a finding matters.
    @frozen
    public enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Worth knowing; no rule is broken.
        case note
        /// A SHOULD is not kept, or peers are known to fail because of it.
        case warning
        /// A MUST is broken.
        case violation

        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// What can be found: a row of the catalogue, which docs/findings.md lists.
    public struct Rule: Sendable, Equatable {
        /// Stable across versions, such as `websocket.mask-missing`.
        public let id: String
        /// How much it matters.
        public let severity: Severity
        /// The rule of a standard, such as `RFC 6455 5.1`; nil where no document has it.
        public let reference: String?
        /// What it usually comes from, and what to do.
        public let explanation: String

        init(_ row: FindingRow) {
            id = row.id
            severity = Severity(row.severity)
            reference = row.reference.isEmpty ? nil : row.reference
            explanation = row.explanation
        }
    }

    /// The rule, the same value for every finding of it.
    public let rule: Rule
    /// What was found, in lower case and without a full stop, with the numbers of this case. Text of a peer in it can do nothing to a terminal.
    public let sentence: String
    /// The number of the conversation; 0 for what is about the input as a whole.
    public let conversation: Int
    /// Who broke the rule; nil where it is about neither side.
    public let sender: ConversationEvent.Side?
    /// When the bytes arrived; nil where there is no clock.
    public let time: CaptureTime?
    /// The packets that carried the bytes; nil where there are none.
    public let packets: ClosedRange<Int>?
    /// Position of the first byte in what the sender sent; nil where it is not about bytes.
    public let offset: Int?

    /// Such as `websocket.mask-missing`.
    public var id: String { rule.id }
    /// How much it matters.
    public var severity: Severity { rule.severity }
    /// Such as `RFC 6455 5.1`.
    public var reference: String? { rule.reference }

    /// The id, the severity, the sentence and the reference, as one line.
    public var description: String { "\(id): \(severity): \(sentence)" + (reference.map { " (\($0))" } ?? "") }

    /// Everything that can be found.
    public static let catalogue: [Rule] = FindingCatalogue.rows.map(Rule.init)
}

extension ConversationFinding.Severity {
    init(_ severity: Dissection.Severity) {
        switch severity {
        case .note: self = .note
        case .warning: self = .warning
        case .violation: self = .violation
        }
    }
}
