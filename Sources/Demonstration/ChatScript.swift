import NIOCore
import NIOWebSocket

/// What Ana's app says, and what it waits for in between.
package enum ChatScript: Sendable, CaseIterable {
    /// Joins, talks, sends a picture, and then cuts a text in the middle of an emoji.
    case cutEmoji
    /// Joins, talks, and takes its leave as it should.
    case farewell

    func play(_ socket: inout ChatSocket, pace: Pace) async throws {
        switch self {
        case .cutEmoji: try await playCutEmoji(&socket, pace)
        case .farewell: try await playFarewell(&socket, pace)
        }
    }

    private func playCutEmoji(_ socket: inout ChatSocket, _ pace: Pace) async throws {
        try await join(&socket, pace)
        try await pace.think()
        try await socket.say(#"{"say":"hello everybody"}"#)
        try await expectText(&socket)
        try await pace.think()
        try await socket.send(binary: Self.picture)
        try await expectText(&socket)
        try await pace.think()
        // The app allows so many bytes where it should count characters: the last byte of the emoji is cut away.
        try await socket.say(bytes: #"{"say":"on my way 🚲"#.utf8.dropLast())
        guard case .close(let code) = try await socket.hear() else { throw ChatFailure.outOfTurn(expected: "Close frame") }
        try await pace.work()
        try await socket.close(code)
    }

    private func playFarewell(_ socket: inout ChatSocket, _ pace: Pace) async throws {
        try await join(&socket, pace)
        try await pace.think()
        try await socket.say(#"{"say":"on my way 🚲"}"#)
        try await expectText(&socket)
        try await pace.think()
        try await socket.ping("1")
        guard try await socket.hear() == .pong else { throw ChatFailure.outOfTurn(expected: "pong") }
        try await pace.think()
        try await socket.close(.normalClosure, "bye")
    }

    /// Enters the room, takes its history, and answers the ping that follows.
    private func join(_ socket: inout ChatSocket, _ pace: Pace) async throws {
        try await pace.think()
        try await socket.say(#"{"join":7,"name":"ana"}"#)
        try await expectText(&socket)
        guard case .ping(let payload) = try await socket.hear() else { throw ChatFailure.outOfTurn(expected: "ping") }
        try await pace.work()
        try await socket.pong(payload)
    }

    private func expectText(_ socket: inout ChatSocket) async throws {
        guard case .text = try await socket.hear() else { throw ChatFailure.outOfTurn(expected: "text") }
    }

    /// A PNG of one red pixel.
    private static let picture: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00,
        0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xDE, 0x00, 0x00, 0x00, 0x0C, 0x49, 0x44, 0x41, 0x54, 0x08, 0xD7, 0x63,
        0xF8, 0xCF, 0xC0, 0x00, 0x00, 0x03, 0x01, 0x01, 0x00, 0x18, 0xDD, 0x8D, 0xB0, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE,
        0x42, 0x60, 0x82,
    ]
}
