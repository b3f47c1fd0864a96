/// How long a message a server of Engine.IO takes, in the words that findings have for it: over a WebSocket and in the body of a request.
package enum EngineIOLimit {
    /// Bytes, unless it is set (socket.io/docs/v4/server-options, `maxHttpBufferSize`).
    package static let usual: UInt64 = 1_000_000
    package static let usualWords: StaticString = "1 MB"
    package static let usualOwner: StaticString = "Socket.IO unless it is set (maxHttpBufferSize)"

    /// Appends that something is beyond what the server has announced.
    package static func append(beyond announced: UInt64, to text: inout FindingText) {
        text.append("; it is beyond the announced maxPayload of ")
        text.append(grouped: announced)
        text.append(announced == 1 ? " byte" : " bytes")
    }
}
