import NIOSSL
import Synchronization

/// Keeps the TLS contexts that were made last: making one costs a parse of certificates and keys.
///
/// What decides the key comes from strangers, so that the number is bounded; the one that was longest not asked for goes first.
package final class TLSContextCache<Key: Hashable & Sendable>: Sendable {
    private struct Entry {
        var context: NIOSSLContext
        var lastUse: UInt64
    }
    private struct State {
        var entries: [Key: Entry] = [:]
        var uses: UInt64 = 0

        mutating func use(_ key: Key) -> NIOSSLContext? {
            uses += 1
            entries[key]?.lastUse = uses
            return entries[key]?.context
        }

        mutating func keep(_ context: NIOSSLContext, for key: Key, limit: Int) {
            uses += 1
            if entries.count >= limit, entries[key] == nil, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
                entries[oldest] = nil
            }
            entries[key] = Entry(context: context, lastUse: uses)
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    /// - Parameter limit: contexts kept; at least one.
    package init(limit: Int) { self.limit = max(limit, 1) }

    /// The context of a key, made anew where it is not there. Two threads that ask for one at a time may both make it; one stays.
    package func context(for key: Key, make: () throws -> NIOSSLContext) rethrows -> NIOSSLContext {
        if let known = state.withLock({ $0.use(key) }) { return known }
        let made = try make()
        state.withLock { $0.keep(made, for: key, limit: limit) }
        return made
    }

    /// Contexts in it.
    package var count: Int { state.withLock { $0.entries.count } }
}
