/// What a source says of the two sides of a conversation, beside the packet that opens it.
struct OpeningNotes: Sendable {
    /// What the packet has for the server's address stands for none.
    let isServerUnknown: Bool
    /// Names, empty where there are none.
    let client: [UInt8]
    let server: [UInt8]

    /// The notes among annotations of the packet that opens a conversation; nil where there are none.
    init?(_ annotations: [RelayAnnotation]) {
        for case .opened(let isServerUnknown, let client, let server) in annotations {
            (self.isServerUnknown, self.client, self.server) = (isServerUnknown, client, server)
            return
        }
        return nil
    }

    /// Adds what is known to an opening. Returns what its names point to.
    func add(to opening: inout Opening) -> [UInt8] {
        if isServerUnknown { opening.server.address = IPAddress() }
        opening.clientName = ByteRange(0..<client.count)
        opening.serverName = ByteRange(client.count..<client.count + server.count)
        return client + server
    }
}
