import Foundation
import UnmaskConversations

/// Prints the messages and the findings of a capture: `swift run conversations chat.pcapng`.
@main
struct Conversations {
    static func main() async {
        guard let path = CommandLine.arguments.dropFirst().first else { return print("usage: conversations FILE") }
        do {
            try await show(path)
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    private static func show(_ path: String) async throws {
        for try await event in CaptureReading(path: path) {
            switch event.content {
            case .opened(let opened):
                print("\(event.conversation)  \(opened.client.address) > \(opened.server.address):\(opened.server.port)")
            case .request(let request): print("\(event.conversation)  > \(request.method) \(request.target)")
            case .message(let message):
                let arrow = event.sender == .client ? ">" : "<"
                print("\(event.conversation)  \(arrow) \(message.decoded?.description ?? message.text ?? "\(message.length) bytes")")
            case .finding(let finding): print("\(event.conversation)  ! \(finding)")
            case .closed(let closed): print("\(event.conversation)  closed by the \(closed.by): \(closed.how)")
            default: continue
            }
        }
    }
}
