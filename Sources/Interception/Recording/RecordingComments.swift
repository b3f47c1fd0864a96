import Dissection
import Reports

// What a recording says in words about a conversation.

extension Beginning {
    /// What its first packet says: what a packet cannot say itself.
    func comment(number: UInt64) -> String {
        let isServerUnknown = server.endpoint.address.family == .none && (transport == .tcp || isRefused)
        var text = RelayComment.opening(number, isServerUnknown: isServerUnknown)
        if let via { text += ", via \(via.mode)" + (via.target.isEmpty ? "" : " to \(via.target)") }
        if let name = client.name { text += ", client \(name)" }
        if let name = server.name { text += ", server \(name)" }
        if transport == .unix { text += ", over a Unix socket" }
        return text
    }

    /// What the packets of its connections say in a sealed recording: which conversation goes over them.
    func connectionComment(number: UInt64) -> String {
        var text = RelayComment.opening(number, isServerUnknown: false)
        if let via { text += ", via \(via.mode)" + (via.target.isEmpty ? "" : " to \(via.target)") }
        if let name = server.name { text += ", server \(name)" }
        return text
    }

    /// The name that the server's address goes by; none where it is an address itself, or a path.
    var serverHostName: String? {
        guard transport == .tcp, server.endpoint.address.family != .none, let name = server.name, !name.isEmpty, !name.contains(":"),
            name.contains(where: { !"0123456789.".contains($0) })
        else { return nil }
        return name
    }
}
