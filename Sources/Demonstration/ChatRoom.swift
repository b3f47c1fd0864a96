import NIOCore
import NIOWebSocket

/// What the server says to one client.
struct ChatRoom {
    private var socket: ChatSocket
    private let pace: Pace
    private var hasJoined = false

    init(socket: ChatSocket, pace: Pace) {
        self.socket = socket
        self.pace = pace
    }

    /// Serves the client until one of the two closes.
    mutating func attend() async throws {
        while let heard = try await socket.hear() {
            try await pace.work()
            switch heard {
            case .text(let text):
                if hasJoined { try await answer(text) } else { try await welcome() }
            case .binary(let bytes):
                try await socket.say(#"{"received":\#(bytes.readableBytes)}"#)
            case .malformedText:
                try await socket.close(.dataInconsistentWithMessage, "a text must be UTF-8")
            case .ping(let payload):
                try await socket.pong(payload)
            case .pong:
                break
            case .close(let code):
                // The answer of the closing handshake repeats the code (RFC 6455, section 5.5.1); ours was it, if we began.
                if code != .dataInconsistentWithMessage { try await socket.close(code) }
                return
            }
        }
    }

    /// The history of the room, in three fragments, and a ping to learn how far away the client is.
    private mutating func welcome() async throws {
        hasJoined = true
        try await socket.say(#"{"history":["grüß dich 👋","who brings the cake? 🍰","Ana does!"]}"#, fragments: 3)
        try await pace.work()
        try await socket.ping("still there?")
    }

    /// What Ben says to that.
    private mutating func answer(_ text: String) async throws {
        try await socket.say(text.contains("🚲") ? #"{"ben":"mind the rain 🌧️"}"# : #"{"ben":"hi Ana! 🎉 the photo?"}"#)
    }
}
