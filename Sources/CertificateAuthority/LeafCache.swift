import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Keeps what was made for a leaf: the leaf itself, or a TLS context with it. Bounded; the least recently used go first, an eighth at a time;
/// what is about to run out is made anew.
///
/// Safe from any thread. Making happens outside the lock, so that one slow making holds up nobody else: two threads that miss the same key at
/// once both make, and both get what the first of them put in.
package final class LeafCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        /// From then on it is made anew.
        var renewAfter: Date
        /// The count of uses when it was last used.
        var lastUse: UInt64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The most entries that are kept.
    package let capacity: Int

    /// - Parameter capacity: the most entries that are kept, at least one.
    package init(capacity: Int = 1_024) {
        self.capacity = max(1, capacity)
    }

    /// How many entries there are.
    package var count: Int { state.withLock { $0.entries.count } }

    /// What is kept for the key, else what `make` makes, which is then kept.
    ///
    /// - Parameters:
    ///   - now: the time of the wall clock.
    ///   - make: makes the value and says from when on it has to be made anew (`Leaf.renewAfter`); its error is passed on and nothing is kept.
    package func value<Failure: Error>(
        for key: Key, at now: Date = Date(), make: () throws(Failure) -> (value: Value, renewAfter: Date)
    ) throws(Failure) -> Value {
        if let found = state.withLock({ Self.find(key, at: now, in: &$0) }) { return found }
        let made = try make()
        return state.withLock { state in
            if let first = Self.find(key, at: now, in: &state) { return first }
            if state.entries[key] == nil, state.entries.count >= capacity { makeRoom(in: &state) }
            state.uses += 1
            state.entries[key] = Entry(value: made.value, renewAfter: made.renewAfter, lastUse: state.uses)
            return made.value
        }
    }

    /// Gives up an eighth of the entries at once, because finding the oldest means looking at all of them.
    private func makeRoom(in state: inout State) {
        let uses = state.entries.values.map(\.lastUse).sorted()
        let last = uses[max(1, uses.count / 8) - 1]
        state.entries = state.entries.filter { $0.value.lastUse > last }
    }

    private static func find(_ key: Key, at now: Date, in state: inout State) -> Value? {
        guard let index = state.entries.index(forKey: key), now < state.entries.values[index].renewAfter else { return nil }
        state.uses += 1
        state.entries.values[index].lastUse = state.uses
        return state.entries.values[index].value
    }
}
