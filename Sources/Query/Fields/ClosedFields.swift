import Dissection
import Reports

/// What `closed` has.
enum ClosedField: String, CaseIterable, Sendable {
    case by, how, code, answered, silence, duration
    case clientEnd = "ends.client"
    case serverEnd = "ends.server"
    case clientBytes = "client.bytes"
    case clientMessages = "client.messages"
    case clientFrames = "client.frames"
    case clientMissing = "client.missing"
    case serverBytes = "server.bytes"
    case serverMessages = "server.messages"
    case serverFrames = "server.frames"
    case serverMissing = "server.missing"

    func visit(_ closing: Closing, _ take: Take) -> Bool {
        switch self {
        case .by: hand(closing.by.word, closing.by.rawValue, take)
        case .how: hand(closing.how.word, closing.how.rawValue, take)
        case .code: handNumber(closing.code.map { UInt64($0) }, take)
        case .answered: handSeconds(closing.answered, take)
        case .silence: handSeconds(closing.silence, take)
        case .duration: handSeconds(closing.duration, take)
        case .clientEnd: hand(closing.clientEnd.word, closing.clientEnd.rawValue, take)
        case .serverEnd: hand(closing.serverEnd.word, closing.serverEnd.rawValue, take)
        case .clientBytes: take(.number(closing.client.bytes))
        case .clientMessages: take(.number(closing.client.messages))
        case .clientFrames: take(.number(closing.client.frames))
        case .clientMissing: take(.number(closing.client.missing))
        case .serverBytes: take(.number(closing.server.bytes))
        case .serverMessages: take(.number(closing.server.messages))
        case .serverFrames: take(.number(closing.server.frames))
        case .serverMissing: take(.number(closing.server.missing))
        }
    }
}
