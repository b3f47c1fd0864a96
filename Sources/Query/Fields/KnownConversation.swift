import Dissection
import Reports

/// What an expression has to know of a conversation.
struct ConversationNeeds: OptionSet, Sendable {
    let rawValue: UInt8

    static var endpoints: Self { Self(rawValue: 1) }
    static var names: Self { Self(rawValue: 2) }
    static var exchanges: Self { Self(rawValue: 4) }
}

/// What later events of a conversation do not carry: kept from its first ones as long as it is open.
final class KnownConversation {
    /// What a request was for.
    struct Target: Sendable {
        var exchange: UInt64 = 0
        var host: [UInt8] = []
        /// The target, at most 1,024 bytes.
        var target: [UInt8] = []

        var heldBytes: Int { MemoryLayout<Target>.stride + host.capacity + target.capacity }
    }

    var client: Endpoint?
    var server: Endpoint?
    var clientName: [UInt8] = []
    var serverName: [UInt8] = []
    var processName: [UInt8] = []
    var processIdentifier: UInt32?
    /// What the TLS client asked for.
    var tlsName: [UInt8] = []
    /// TLS is spoken, or was.
    var isTLS = false
    /// Requests of a stream, or of a connection that has none.
    private struct Exchanges {
        /// Those whose responses are to come, in order.
        var waiting: [Target] = []
        /// The last one.
        var asked = Target()
        /// That of the last response.
        var answered: Target?
        /// A WebSocket or the like was agreed on: there are no more requests.
        var isUpgraded = false

        var heldBytes: Int { asked.heldBytes + (answered?.heldBytes ?? 0) + waiting.reduce(0) { $0 + $1.heldBytes } }

        mutating func ask(_ request: Target) {
            asked = request
            if waiting.count >= KnownConversation.mostWaiting { waiting.removeFirst() }
            waiting.append(request)
        }

        mutating func answer(_ head: ResponseHead) {
            guard let number = head.asked?.exchange else {
                answered = asked
                return
            }
            guard let index = waiting.firstIndex(where: { $0.exchange == number }) else {
                // One that was answered before: 103 Early Hints, then the answer.
                if answered?.exchange != number { answered = asked.exchange == number ? asked : nil }
                return
            }
            answered = waiting[index]
            if head.status >= 200 || head.status == 101 { waiting.removeFirst(index + 1) }
        }
    }

    private var exchanges = ByStream(vacant: Exchanges())
    /// What was asked of it since the last event that said something new.
    var answers = KnownAnswers()

    /// Requests of one conversation that may wait.
    private static let mostWaiting = 64
    private static let longestName = 256
    private static let longestTarget = 1_024

    /// Takes what an event says of the events after it.
    func note(_ event: borrowing ConversationEvent, _ needs: ConversationNeeds) {
        let stream = event.channel.stream
        defer { exchanges.note(heldBytes: exchanges[stream].heldBytes, of: stream) }
        answers = KnownAnswers()
        switch event.fact {
        case .opened(let opening):
            client = opening.client
            server = opening.server
            guard needs.contains(.names) else { return }
            clientName = copied(event.part(opening.clientName))
            serverName = copied(event.part(opening.serverName))
            processName = copied(event.part(opening.processName))
            processIdentifier = opening.processIdentifier
        case .tls(let facts):
            isTLS = true
            if needs.contains(.names), !facts.serverName.isEmpty { tlsName = copied(event.part(facts.serverName)) }
        case .request(let head) where needs.contains(.exchanges): take(head, event)
        case .response(let head) where needs.contains(.exchanges): exchanges[event.channel.stream].answer(head)
        case .upgrade(let upgrade) where needs.contains(.exchanges) && upgrade.accepted:
            var asked = exchanges[event.channel.stream].asked
            if !upgrade.host.isEmpty { asked.host = copied(event.part(upgrade.host)) }
            if !upgrade.target.isEmpty { asked.target = event.part(upgrade.target).prefix(Self.longestTarget).copy }
            if upgrade.isToHTTP2(event) {
                exchanges[1] = exchanges[event.channel.stream]
            } else {
                exchanges[event.channel.stream] = Exchanges(asked: asked, answered: asked, isUpgraded: true)
            }
        case _: return
        }
    }

    private func take(_ head: RequestHead, _ event: borrowing ConversationEvent) {
        var request = Target(exchange: head.exchange)
        request.target = event.part(head.target).prefix(Self.longestTarget).copy
        request.host = copied(event.host(of: head))
        exchanges[event.channel.stream].ask(request)
    }

    /// The request that an event belongs to: a response has its own, and a body that of the head before it.
    func target(of event: borrowing ConversationEvent) -> Target? {
        if event.channel.stream != 0 { exchanges.touch(by: event) }
        let stream = event.channel.stream
        if Self.isAnswered(event) { return exchanges[stream].answered }
        return exchanges[stream].asked.exchange > 0 || exchanges[stream].isUpgraded ? exchanges[stream].asked : nil
    }

    /// Whether that is the request of the last response, and not the last one.
    @inline(__always)
    static func isAnswered(_ event: borrowing ConversationEvent) -> Bool {
        switch event.kind {
        case .response: true
        case .body: event.from == .server
        case _: false
        }
    }

    /// Of an instance and its place in a table.
    private static let ownBytes = 384

    private func copied(_ name: RawSpan) -> [UInt8] { name.prefix(Self.longestName).copy }

    var heldBytes: Int {
        Self.ownBytes + clientName.capacity + serverName.capacity + tlsName.capacity + processName.capacity
            + exchanges.heldBytes
    }
}

extension Upgrade {
    /// Whether HTTP/2 was agreed on, whose stream 1 answers the request that asked for it (RFC 7540, section 3.2).
    func isToHTTP2(_ event: borrowing ConversationEvent) -> Bool { accepted && event.bytes(protocolName).isWord("h2c") }
}
