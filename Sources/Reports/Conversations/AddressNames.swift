import Dissection

/// Names that a capture gives for addresses, bounded: every command gives them to the conversations that begin after them, before anything else
/// sees these.
package struct AddressNames {
    private var names: [IPAddress: [UInt8]] = [:]
    package private(set) var heldBytes = 0

    private static let most = 16_384
    private static let longest = 255

    package init() {}

    package var isEmpty: Bool { names.isEmpty }

    /// Hands on the beginning of a conversation with the names of both ends. What the source itself has named stays as it is.
    package func name(_ event: borrowing ConversationEvent, _ opening: Opening, pass: (borrowing ConversationEvent) -> Void) {
        guard opening.clientName.isEmpty, opening.serverName.isEmpty, opening.viaMode.isEmpty else { return pass(event) }
        var opening = opening
        let server = names[opening.server.address] ?? []
        // On one machine both have the same address, and the name is the one that was asked for.
        let client = opening.client.address == opening.server.address ? [] : names[opening.client.address] ?? []
        // The name of the process is in the content already.
        let content = event.content.copy + client + server
        opening.clientName = ByteRange(start: event.content.byteCount, count: client.count)
        opening.serverName = ByteRange(start: event.content.byteCount + client.count, count: server.count)
        pass(
            ConversationEvent(
                conversation: event.conversation, from: event.from, place: event.place, offset: event.offset, fact: .opened(opening),
                content: content.rawBytes))
    }

    /// Takes a name; the first one of an address counts, as it is the canonical one.
    package mutating func add(_ name: RawSpan, of address: RawSpan) {
        guard names.count < AddressNames.most, let address = IPAddress(address), names[address] == nil else { return }
        var bytes: [UInt8] = []
        bytes.append(copying: name.extracting(0..<min(name.byteCount, AddressNames.longest)))
        names[address] = bytes
        heldBytes += bytes.count + 96
    }
}

extension IPAddress {
    /// 4 or 16 bytes in network order.
    fileprivate init?(_ bytes: RawSpan) {
        func number(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) } }
        switch bytes.byteCount {
        case 4: self.init(ipv4: UInt32(truncatingIfNeeded: number(0..<4)))
        case 16: self.init(ipv6High: number(0..<8), low: number(8..<16))
        case _: return nil
        }
    }
}
