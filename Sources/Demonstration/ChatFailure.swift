/// A chat that did not go as it should.
enum ChatFailure: Error, Equatable, CustomStringConvertible {
    case tooLong
    case notUpgraded
    case noTunnel(String)
    case outOfTurn(expected: String)

    var description: String {
        switch self {
        case .tooLong: "a message of the chat is too long"
        case .notUpgraded: "the server did not switch to WebSocket"
        case .noTunnel(let answer): "the proxy opened no tunnel: \(answer)"
        case .outOfTurn(let expected): "the chat took another course: no \(expected) came"
        }
    }
}
