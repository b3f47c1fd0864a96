import Dissection

/// Calls of one conversation that wait for their answer, at most 256; the oldest are forgotten.
package struct PendingCalls: Sendable {
    private struct Call: Sendable {
        let from: Side
        let exchange: UInt64
        let key: [UInt8]
        let time: Timestamp
        let name: [UInt8]
        /// Others with the same key may wait as well: answers come in the order of the calls.
        let isInOrder: Bool
        /// It may have been answered already, by what was lost or could not be read.
        var isTentativelyHeld = false
        /// What it is called at the end, where it has no answer by then; empty where it need not have one.
        var label: [UInt8]
        /// Since when the side has waited for what comes next.
        var since: Timestamp

        /// What its texts take.
        var bytes: Int { key.count + name.count + label.count + 96 }
    }

    private var calls: [Call] = []
    /// Whether anything of a side was seen: the client's first.
    private var isHeard = (false, false)
    private static let most = 256
    private static let longestKey = 128
    private static let longestLabel = 160

    package init() {}

    private var textBytes = 0
    /// Bytes of memory.
    var heldBytes: Int { calls.capacity * MemoryLayout<Call>.stride + textBytes }

    /// Notes a call.
    ///
    /// - Parameters:
    ///   - key: what its answer will name.
    ///   - name: what was called, for the line of the answer.
    ///   - exchange: that of HTTP which the answer belongs to as well, where there is one: calls of several may have one key.
    ///   - inOrder: whether several calls may wait under one key, which are answered in their order; otherwise the last one does.
    ///   - label: what the call is called where the conversation ends without an answer; empty where the protocol does not demand one.
    package mutating func note(
        _ key: [UInt8], name: [UInt8] = [], exchange: UInt64 = 0, owed label: [UInt8] = [], inOrder: Bool = false,
        in context: PayloadContext
    ) {
        guard let time = context.time, key.count <= Self.longestKey else { return }
        // A key that is used again stands for the later call, unless both are answered.
        remove { $0.from == context.from && $0.exchange == exchange && $0.key == key && (!inOrder || $0.isTentativelyHeld) }
        if calls.count == Self.most { textBytes -= calls.removeFirst().bytes }
        let call = Call(
            from: context.from, exchange: exchange, key: key, time: time, name: name.count <= Self.longestKey ? name : [],
            isInOrder: inOrder,
            label: context.isAnsweredHere ? label.rawBytes.wholeCharacters(in: Self.longestLabel).copy : [], since: time)
        calls.append(call)
        textBytes += call.bytes
    }

    /// How long the call took that is answered now, and what was called; nil where none is known.
    ///
    /// - Parameters:
    ///   - exchange: of calls with this key that of this exchange is answered.
    ///   - orOther: where it has none, the last one of any other is: some answers come in a stream that another request opened.
    package mutating func answer(
        _ key: [UInt8], exchange: UInt64 = 0, orOther: Bool = true, in context: PayloadContext
    ) -> (latency: Int64, name: [UInt8])? {
        func isAnswered(_ call: Call) -> Bool { call.from != context.from && call.key == key }
        var found = calls.lastIndex { $0.exchange == exchange && isAnswered($0) }
        if found == nil, orOther { found = calls.lastIndex(where: isAnswered) }
        if let last = found, calls[last].isInOrder {
            found = calls.firstIndex(where: isAnswered)
            // Of several that may have been answered it is not known which one this is.
            if let first = found, first < last, calls[first].isTentativelyHeld {
                remove { isAnswered($0) && $0.isTentativelyHeld }
                return nil
            }
        }
        guard let time = context.time, let index = found else { return nil }
        let call = calls.remove(at: index)
        textBytes -= call.bytes
        return (time.nanoseconds(since: call.time), call.name)
    }

    /// How long the call has taken so far that goes on, the side's own or the other's, and what was called; nil where none is known.
    package func known(_ key: [UInt8], from side: Side, in context: PayloadContext) -> (latency: Int64, name: [UInt8])? {
        guard let time = context.time, let call = calls.last(where: { $0.from == side && $0.key == key }) else { return nil }
        return (time.nanoseconds(since: call.time), call.name)
    }

    /// How long the side's own call took that it ends itself, and what was called; nil where none is known.
    package mutating func end(_ key: [UInt8], in context: PayloadContext) -> (latency: Int64, name: [UInt8])? {
        guard let time = context.time, let index = calls.firstIndex(where: { $0.from == context.from && $0.key == key }) else { return nil }
        let call = calls.remove(at: index)
        textBytes -= call.bytes
        return (time.nanoseconds(since: call.time), call.name)
    }

    // MARK: - Calls without an answer

    /// The call goes on: its side waits for something else from now on, or for nothing where the label is empty.
    package mutating func goOn(_ key: [UInt8], from side: Side, owed label: [UInt8], in context: PayloadContext) {
        guard let time = context.time, let index = calls.lastIndex(where: { $0.from == side && $0.key == key }) else { return }
        textBytes -= calls[index].bytes
        calls[index].label = context.isAnsweredHere ? label.rawBytes.wholeCharacters(in: Self.longestLabel).copy : []
        calls[index].since = time
        textBytes += calls[index].bytes
    }

    /// Whether no call waits.
    var isEmpty: Bool { calls.isEmpty }

    /// Whether a side owes an answer to what the other has called.
    func areOwed(by side: Side) -> Bool { calls.contains { $0.from != side && !$0.label.isEmpty } }

    /// Something of a side was lost or could not be read: it may have answered what was asked before.
    mutating func doubtAnswers(of side: Side) {
        for index in calls.indices where calls[index].from != side {
            textBytes -= calls[index].label.count
            calls[index].label = []
            calls[index].isTentativelyHeld = true
        }
    }

    private mutating func remove(where isMeant: (Call) -> Bool) {
        var freed = 0
        calls.removeAll { call in
            guard isMeant(call) else { return false }
            freed += call.bytes
            return true
        }
        textBytes -= freed
    }

    /// The side's calls whose keys begin like this have no answer any more.
    package mutating func drop(_ beginning: [UInt8], from side: Side) {
        remove { $0.from == side && $0.key.starts(with: beginning) }
    }

    /// The side's calls whose keys begin like this may be answered, but need not be.
    package mutating func excuse(_ beginning: [UInt8], from side: Side) {
        for index in calls.indices where calls[index].from == side && calls[index].key.starts(with: beginning) {
            textBytes -= calls[index].label.count
            calls[index].label = []
        }
    }

    /// The key of the other side's first call whose key ends like this.
    package func firstKey(endingWith ending: [UInt8], in context: PayloadContext) -> [UInt8]? {
        calls.first { $0.from != context.from && $0.key.suffix(ending.count).elementsEqual(ending) }?.key
    }

    /// Something of a side was seen.
    mutating func hear(_ side: Side) { if side == .client { isHeard.0 = true } else { isHeard.1 = true } }

    /// An answer may take so long, in nanoseconds, where nothing more was seen.
    private static let patience: Int64 = 1_000_000_000

    /// Adds the calls that have no answer. Of a side that was not captured at all nothing is known.
    ///
    /// - Parameter lastSeen: where the conversation goes on unseen, until when it was seen: what was called right before that may have an answer.
    func addUnanswered(to unanswered: inout UnansweredCalls, lastSeen: Timestamp? = nil) {
        for call in calls where !call.label.isEmpty && (call.from == .client ? isHeard.1 : isHeard.0) {
            if let lastSeen, lastSeen.nanoseconds(since: call.since) < Self.patience { continue }
            unanswered.add(.init(from: call.from, label: call.label, since: call.since))
        }
    }
}

/// Calls of a conversation that had no answer when it ended.
package struct UnansweredCalls: Sendable {
    package struct Call: Sendable {
        package let from: Side
        /// What was called, and the number of the call where it has one.
        package let label: [UInt8]
        /// When it was called.
        package let since: Timestamp
    }

    /// The first ones, at most 16.
    package private(set) var calls: [Call] = []
    /// Of both sides.
    package private(set) var total: UInt64 = 0

    static let most = 16

    mutating func add(_ call: Call) {
        total += 1
        if calls.count < Self.most { calls.append(call) }
    }
}
