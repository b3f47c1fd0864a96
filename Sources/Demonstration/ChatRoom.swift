import NIOCore
import NIOWebSocket

/// What the server says to one client.
struct ChatRoom {
    private var socket: ChatSocket
    private let pace: Pace
    /// What Ben will say, one thing after each message of the client.
    private var answers = ["hi Ana! 🎉 do you have the photo?", "see you on Sunday"][...]
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
            case .text:
                if hasJoined { try await answer() } else { try await welcome() }
            case .binary(let bytes):
                try await socket.say(#"{"type":"received","bytes":\#(bytes.readableBytes)}"#)
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

    /// The history of the room, in as many fragments as it has lines, and a ping to learn how far away the client is.
    private mutating func welcome() async throws {
        hasJoined = true
        let lines = ["grüß dich 👋", "who brings the cake? 🍰", "Ana does!"]
        let messages = lines.map { #"{"from":"ben","text":"\#($0)"}"# }.joined(separator: ",")
        try await socket.say(#"{"type":"history","messages":[\#(messages)]}"#, fragments: lines.count)
        try await pace.work()
        try await socket.ping("still there?")
    }

    private mutating func answer() async throws {
        guard let answer = answers.popFirst() else { return }
        try await socket.say(#"{"type":"text","from":"ben","text":"\#(answer)"}"#)
    }
}
