import Dissection

/// One conversation whose bytes the caller has: of a socket, a proxy, a test, a file of its own.
///
/// ```swift
/// let live = LiveConversation(client: "10.0.0.7:50312", server: "chat.example:80", openedAt: time(0))
/// var events = live.receive("GET /rooms HTTP/1.1\r\nHost: chat.example\r\n\r\n".utf8, from: .client, at: time(1))
/// ```
///
/// Each call takes what one side brought and returns the events that it completes: nothing is buffered on the way to the caller. The
/// conversation is read as it would be from a capture. It belongs to one task at a time.
public final class LiveConversation {
    private var dissector: LiveDissector
    private var copies: EventCopies
    private var index: Int32?
    private var lastTime: Timestamp

    /// Begins a conversation. The first call returns its `opened` event before all others.
    ///
    /// - Parameters:
    ///   - client: `ADDRESS:PORT`, with an IPv6 address in brackets; what is not an address counts as a name.
    ///   - server: the same.
    ///   - number: what events have as ``ConversationEvent/conversation``.
    ///   - time: when it began.
    ///   - options: as for captures; the limits apply to this conversation alone.
    public init(
        client: String, server: String, number: Int = 1, openedAt time: CaptureTime, options: ReadingOptions = ReadingOptions()
    ) {
        dissector = LiveDissector(limits: options.limits.limits, layers: options.layers(options.keyLog?.make()))
        copies = EventCopies(decodesPayloads: options.decodesPayloads)
        lastTime = Timestamp(nanoseconds: time.nanosecondsSince1970)
        let (clientEnd, clientName) = LiveConversation.endpoint(client)
        let (serverEnd, serverName) = LiveConversation.endpoint(server)
        let names = clientName + serverName
        let opening = Opening(
            client: clientEnd, server: serverEnd, start: .accepted, roles: .handshake, clientName: ByteRange(0..<clientName.count),
            serverName: ByteRange(clientName.count..<names.count))
        index = dissector.begin(opening, content: names.rawBytes, number: UInt64(max(1, number)), at: lastTime, sink: &copies)
    }

    /// Takes the next bytes that a side sent.
    ///
    /// - Parameters:
    ///   - bytes: in the order in which they were sent, as many or few as there are.
    ///   - side: who sent them.
    ///   - time: when they arrived; not before that of the last call.
    public func receive(_ bytes: some Collection<UInt8>, from side: ConversationEvent.Side, at time: CaptureTime) -> [ConversationEvent] {
        let bytes = Array(bytes)
        return take(.bytes(bytes.rawBytes), from: side, at: time)
    }

    /// Learns that bytes of a side are missing: reading goes on at the next boundary that can be found after them.
    public func miss(_ count: Int, from side: ConversationEvent.Side, at time: CaptureTime) -> [ConversationEvent] {
        take(.gap(length: UInt64(max(0, count)), cause: .missing), from: side, at: time)
    }

    /// Learns that a side sends no more (FIN). The conversation has ended when both sides have finished.
    public func finish(_ side: ConversationEvent.Side, at time: CaptureTime) -> [ConversationEvent] {
        take(.finished, from: side, at: time)
    }

    /// Learns that a side reset the connection (RST), which ends the conversation.
    public func reset(by side: ConversationEvent.Side, at time: CaptureTime) -> [ConversationEvent] { take(.reset, from: side, at: time) }

    /// Ends the conversation as it is, because nothing more will come of it; `closed` is the last event. Nothing happens where it has ended.
    public func close(at time: CaptureTime) -> [ConversationEvent] {
        guard let index else { return [] }
        self.index = nil
        dissector.close(.shutdown, by: .unknown, at: index, later(time), sink: &copies)
        return copies.take()
    }

    private func take(
        _ event: borrowing StreamEvent, from side: ConversationEvent.Side, at time: CaptureTime
    ) -> [ConversationEvent] {
        guard let index else { return [] }
        if !dissector.receive(event, from: side.side, at: index, later(time), sink: &copies) { self.index = nil }
        return copies.take()
    }

    /// Time does not go back in a conversation.
    private func later(_ time: CaptureTime) -> Timestamp {
        lastTime = max(lastTime, Timestamp(nanoseconds: time.nanosecondsSince1970))
        return lastTime
    }

    /// The address and port of a text, and the name where it has one in the place of the address.
    private static func endpoint(_ text: String) -> (endpoint: Endpoint, name: [UInt8]) {
        var (host, port) = (Substring(text), UInt16(0))
        if let colon = text.lastIndex(of: ":"), let number = UInt16(text[text.index(after: colon)...]) {
            (host, port) = (text[..<colon], number)
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        if let address = IPAddress(text: host) { return (Endpoint(address: address, port: port), []) }
        return (Endpoint(address: IPAddress(), port: port), Array(host.utf8.prefix(255)))
    }
}
