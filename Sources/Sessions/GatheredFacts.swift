import Dissection
import Reports

/// What the records of a batch say of conversations and exchanges, gathered so that a row is written once for all of them: a short conversation is opened,
/// named and closed within one batch, and each of these would look its row up, and change what is listed by its host.
struct GatheredFacts {
    /// What is new of a conversation.
    struct OfConversation {
        var opening: Opening?
        var name: (host: [UInt8], spoken: [UInt8], path: [UInt8])?
        var end: End?
        /// What was found before an end in the batch, or without one.
        var found: Found?
    }

    /// Findings, and the severity of the worst.
    struct Found {
        var count: UInt64 = 0
        var worst: Severity?

        mutating func add(_ severity: Severity) {
            count &+= 1
            if worst.map({ $0.rawValue < severity.rawValue }) ?? true { worst = severity }
        }
    }

    /// Its opening: whose row it is, and when it came.
    struct Opening {
        let number: UInt64
        let time: Int64?
        let client, server: SessionFact.End
        let transport: StaticString
    }

    struct End {
        let time: Int64?
        let closing: Closing
        let spoken: [UInt8]
        var found: Found
    }

    /// Where the row of an exchange is.
    struct ExchangeKey: Hashable, Comparable {
        let conversation: Int64
        let exchange: UInt64

        static func < (left: Self, right: Self) -> Bool { (left.conversation, left.exchange) < (right.conversation, right.exchange) }
    }

    /// A request, and what answered it as far as that came in the same batch.
    struct OfExchange {
        let record: Int64
        let time: Int64?
        let method, target, host: [UInt8]
        var response: (record: Int64, status: UInt16, latency: Int64?)?
    }

    private(set) var conversations: [Int64: OfConversation] = [:]
    private(set) var exchanges: [ExchangeKey: OfExchange] = [:]

    mutating func removeAll() {
        conversations.removeAll(keepingCapacity: true)
        exchanges.removeAll(keepingCapacity: true)
    }

    /// Takes an opening: what was known of a conversation of this number before is another's.
    mutating func open(_ conversation: Int64, _ opening: Opening) { conversations[conversation] = OfConversation(opening: opening) }

    mutating func name(_ conversation: Int64, host: [UInt8], spoken: [UInt8], path: [UInt8]) {
        conversations[conversation, default: OfConversation()].name = (host, spoken, path)
    }

    /// Takes an end, which counts what was found before it.
    mutating func close(_ conversation: Int64, _ end: End) {
        conversations[conversation, default: OfConversation()].end = end
        conversations[conversation]?.found = nil
    }

    /// Takes a finding: what was found after the end is added to it, in whatever batch that came.
    mutating func find(_ conversation: Int64, severity: Severity) {
        var known = conversations[conversation] ?? OfConversation()
        if known.end != nil {
            known.end?.found.add(severity)
        } else {
            var found = known.found ?? Found()
            found.add(severity)
            known.found = found
        }
        conversations[conversation] = known
    }

    /// Takes a request: an earlier one of this number is forgotten, with its response.
    mutating func ask(_ key: ExchangeKey, _ request: OfExchange) { exchanges[key] = request }

    /// Takes a response.
    ///
    /// - Returns: false where its request came in an earlier batch, so that its row is in the file.
    mutating func answer(_ key: ExchangeKey, record: Int64, status: UInt16, latency: Int64?) -> Bool {
        guard let index = exchanges.index(forKey: key) else { return false }
        exchanges.values[index].response = (record, status, latency)
        return true
    }
}
