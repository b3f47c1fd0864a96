import Dissection

/// The words that a field may have.
package enum FieldWords: Int, CaseIterable, Sendable {
    case side, source, transport, start, roles, secrets, cause, severity, closer, manner, end, contentType, framing, element
    case framingKind, lengthWidth, framedProtocol, control, errorCode

    /// All of them, in the order of the vocabulary.
    package var all: [String] {
        switch self {
        case .side: Side.allCases.map { "\($0.word)" }
        case .source: CaptureSource.Kind.allCases.map(\.rawValue)
        case .transport: Opening.Transport.allCases.map { "\($0.word)" }
        case .start: Opening.Start.allCases.map { "\($0.word)" }
        case .roles: Opening.Roles.allCases.map { "\($0.word)" }
        case .secrets: TLSFacts.Secrets.allCases.map { "\($0.word)" }
        case .cause: Gap.Cause.allCases.map { "\($0.word)" }
        case .severity: Severity.allCases.map { "\($0.word)" }
        case .closer: Closing.Closer.allCases.map { "\($0.word)" }
        case .manner: Closing.Manner.allCases.map { "\($0.word)" }
        case .end: Closing.End.allCases.map { "\($0.word)" }
        case .contentType: (UInt8.min ... .max).compactMap { TLSContentType.name($0).map { "\($0)" } }
        case .framing: ["tls"]
        case .element: BodyPart.Element.allCases.map { "\($0.word)" }
        case .framingKind: FramingKind.allCases.map { "\($0.word)" }
        case .lengthWidth: LengthPrefix.Width.allCases.map { "\($0.word)" }
        case .framedProtocol: FramedProtocol.known.map { "\($0.word)" }
        case .control: ControlFrame.Kind.allCases.map { "\($0.word)" }
        case .errorCode: (0...13).compactMap { ControlFrame.name(of: $0).map { "\($0)" } }
        }
    }

    private static let spelled = allCases.map { $0.all.map { Array($0.utf8) } }

    /// Where a word stands among them.
    func place(of word: [UInt8]) -> Int? { Self.spelled[rawValue].firstIndex(of: word) }
}
