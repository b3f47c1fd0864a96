import Dissection

/// One thing that a side said in a recording.
package struct RecordedElement: Sendable {
    package enum Kind: String, Sendable { case request, response, message, close, data }

    package var kind: Kind
    package var from: Side
    var keys: ContentKeys
    /// Method and target, or status; the code of a Close frame.
    package var title: String = ""
    /// Header fields that are compared, names in lower case.
    var fields: [(name: String, value: String)] = []
    /// Bytes of the payload.
    package var length: UInt64 = 0
    /// The first of them; none where the memory had no room.
    var content: [UInt8] = []
    package var packet: UInt64?
    /// Of HTTP/2; 0 for none.
    var stream: UInt32 = 0
    /// Nanoseconds until a response, or until a message that answers one of the other side.
    package var latency: Int64?

    /// Bytes of the payload that are kept.
    static let keptBytes = 4_096

    /// All of the payload is there.
    var isWhole: Bool { UInt64(content.count) >= length }

    var heldBytes: Int {
        MemoryLayout<RecordedElement>.stride + content.count + title.utf8.count
            + fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 48 }
    }
}

/// A conversation of a recording.
package struct RecordedConversation: Sendable {
    package var number: UInt64
    /// Without its port.
    package var host = ""
    package var path = ""
    package var elements: [RecordedElement] = []
    /// How it ended, in words.
    package var ending = ""
    /// Elements that the memory had no room for.
    package var dropped: UInt64 = 0
    /// Records of TLS that is not decrypted.
    package var sealed: UInt64 = 0

    /// How many messages it has: the requests and responses of one that has no others.
    var messages: UInt64 {
        let others = elements.count { $0.kind != .request && $0.kind != .response }
        return UInt64(others > 0 ? others : elements.count)
    }

    /// Such as `chat.example /room 3`.
    package var name: String { [host, path, "\(number)"].filter { !$0.isEmpty }.joined(separator: " ") }
}

/// A recording that is to be compared.
package struct Recording: Sendable {
    package internal(set) var talks: [RecordedConversation] = []
    /// Elements whose content is not kept, so that it is known that they differ, and not in what.
    package internal(set) var withoutContent: UInt64 = 0
    package internal(set) var dropped: UInt64 = 0

    package init() {}
}
