import Foundation
import UnmaskConversations

/// The recordings in fixtures/.
enum Fixture {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("fixtures")

    /// Folders directly under fixtures/ that hold a capture.
    static let names: [String] = {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return all.filter { capture($0) != nil }.sorted()
    }()

    static func capture(_ name: String) -> String? {
        ["capture.pcap", "capture.pcapng"].map { folder.appendingPathComponent("\(name)/\($0)").path }
            .first { FileManager.default.fileExists(atPath: $0) }
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: capture(name) ?? folder.appendingPathComponent(name).path)))
    }

    /// All events of a capture.
    static func events(_ name: String, _ options: ReadingOptions = ReadingOptions()) async throws -> [ConversationEvent] {
        var events: [ConversationEvent] = []
        for try await event in CaptureReading(path: capture(name) ?? name, options: options) { events.append(event) }
        return events
    }
}

extension ConversationEvent {
    var message: Message? { if case .message(let message) = content { message } else { nil } }
    var closed: Closed? { if case .closed(let closed) = content { closed } else { nil } }
    var gap: Gap? { if case .gap(let gap) = content { gap } else { nil } }

    /// The kind that the log has for it.
    var kind: String {
        switch content {
        case .opened: "opened"
        case .tls: "tls"
        case .request: "request"
        case .response: "response"
        case .body: "body"
        case .upgrade: "upgrade"
        case .message: "message"
        case .ping: "ping"
        case .pong: "pong"
        case .closeFrame: "close"
        case .control: "control"
        case .data: "data"
        case .gap: "gap"
        case .finding: "finding"
        case .closed: "closed"
        case .damage: "damage"
        case .ended: "end"
        }
    }
}
