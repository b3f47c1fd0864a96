import Reports
import Synchronization

/// The conversations that a first reading of the inputs finds, for the second one.
package final class FoundConversations: Sendable {
    private let numbers: Mutex<ConversationSet>

    /// - Parameter mostBytes: the memory that they may take.
    package init(mostBytes: Int) { numbers = Mutex(ConversationSet(mostBytes: mostBytes)) }

    package var set: ConversationSet { numbers.withLock { $0 } }

    func insert(_ number: UInt64) { numbers.withLock { $0.insert(number) } }
}
