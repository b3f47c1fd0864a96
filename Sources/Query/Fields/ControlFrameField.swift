import Dissection
import Reports

/// What `control` has.
enum ControlFrameField: String, CaseIterable, Sendable {
    case type, code, name, lastStream, settings, dependsOn, weight, exclusive, debug, latin1, roundTrip

    func visit(_ event: borrowing ConversationEvent, _ frame: ControlFrame, _ take: Take) -> Bool {
        switch self {
        case .type: return hand(frame.kind.word, frame.kind.rawValue, take)
        case .code: return handNumber(frame.code.map { UInt64($0) }, take)
        case .name:
            guard let code = frame.code, let name = ControlFrame.name(of: code) else { return false }
            return hand(name, UInt8(truncatingIfNeeded: code), take)
        case .lastStream: return handNumber(frame.lastStream.map { UInt64($0) }, take)
        case .settings: return HeaderLines.visit(event.content, frame.settings, take)
        case .dependsOn: return handNumber(frame.priority.map { UInt64($0.dependsOn) }, take)
        case .weight: return handNumber(frame.priority.map { UInt64($0.weight) }, take)
        case .exclusive: return frame.priority.map { take(.flag($0.isExclusive)) } ?? false
        case .roundTrip: return handSeconds(frame.roundTrip, take)
        case .debug: return handUnlessEmpty(event.part(frame.text), take)
        case .latin1: return handFlag(!event.part(frame.text).isUTF8, take)
        }
    }
}
