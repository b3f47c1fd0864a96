import Dissection
import Synchronization

/// What a first reading of captures finds out about their packets, for the second one, which records them.
package final class PickedPackets: Sendable {
    /// What is said of a packet.
    struct Comment: Sendable {
        let conversation: UInt64
        let text: String
    }

    struct Contents: Sendable {
        fileprivate(set) var conversations: ConversationSet
        /// By packet.
        fileprivate(set) var comments: [UInt64: [Comment]] = [:]
        /// Packets of which only a later one has shown to which conversation they belong.
        fileprivate(set) var owners: [UInt64: UInt64] = [:]
        /// Bytes of memory that it takes, but for the conversations.
        fileprivate(set) var heldBytes = 0
        /// Findings for which there was no room.
        fileprivate(set) var lostComments: UInt64 = 0
    }

    private let mutex: Mutex<Contents>
    private let mostBytes: Int

    /// - Parameter mostBytes: the memory that it may take.
    package init(mostBytes: Int) {
        self.mostBytes = mostBytes / 2
        mutex = Mutex(Contents(conversations: ConversationSet(mostBytes: mostBytes / 2)))
    }

    var contents: Contents { mutex.withLock { $0 } }

    /// Whether there was no room for all conversations that are picked.
    package var isCut: Bool { mutex.withLock { $0.conversations.isCut } }

    /// Findings for which there was no room.
    package var lostComments: UInt64 { mutex.withLock { $0.lostComments } }

    /// Bytes of memory that it takes.
    var heldBytes: Int { mutex.withLock { $0.heldBytes } }

    func pick(_ conversation: UInt64) { mutex.withLock { $0.conversations.insert(conversation) } }

    func add(_ text: String, of conversation: UInt64, on packet: UInt64) {
        let cost = text.utf8.count + 96
        mutex.withLock { contents in
            guard contents.heldBytes + cost <= mostBytes else {
                contents.lostComments &+= 1
                return
            }
            contents.heldBytes += cost
            contents.comments[packet, default: []].append(Comment(conversation: conversation, text: text))
        }
    }

    func note(_ conversation: UInt64, of packet: UInt64) {
        mutex.withLock { contents in
            guard contents.heldBytes + 48 <= mostBytes else { return }
            contents.heldBytes += 48
            contents.owners[packet] = conversation
        }
    }
}
