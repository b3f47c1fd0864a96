/// What an app says when something went wrong on the wire, what it means, and where to look for it here.
///
/// Each one is held by a recording under `fixtures/`, of which `read` prints what the symptom promises.
package struct Symptom: Sendable {
    /// What libraries, browsers and systems say, in their own words; the first is the title.
    package let said: [String]
    /// What it means, in one or two sentences.
    package let means: String
    /// What to look for in a capture, a log or a live session.
    package let look: String
    /// The recording that shows it, below `fixtures/`.
    package let recording: String
    /// What `read` prints of that recording, on one line.
    package let shows: String

    init(_ said: [String], means: String, look: String, recording: String, shows: String) {
        (self.said, self.means, self.look, self.recording, self.shows) = (said, means, look, recording, shows)
    }

    /// A group of symptoms under its title.
    package struct Group: Sendable {
        package let title: String
        package let symptoms: [Symptom]
    }

    /// All of them, in the order of the page.
    package static let groups: [Group] = [
        Group(title: "Handshakes", symptoms: handshakes), Group(title: "Frames", symptoms: frames),
        Group(title: "Close codes", symptoms: closeCodes), Group(title: "Connections", symptoms: connections),
        Group(title: "Raw TCP", symptoms: rawTCP), Group(title: "HTTP", symptoms: http),
        Group(title: "HTTP/2 and gRPC", symptoms: http2AndGrpc), Group(title: "TLS", symptoms: tls),
        Group(title: "Socket.IO", symptoms: socketIO), Group(title: "WebSocket libraries", symptoms: webSocketLibraries),
        Group(title: "MQTT", symptoms: mqtt), Group(title: "STOMP", symptoms: stomp), Group(title: "AMQP", symptoms: amqp),
        Group(title: "XMPP", symptoms: xmpp), Group(title: "Redis", symptoms: redis),
    ]

    package static var all: [Symptom] { groups.flatMap(\.symptoms) }
}
