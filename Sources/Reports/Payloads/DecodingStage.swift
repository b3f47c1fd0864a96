import Dissection

/// What payloads say, read once for each event however many outputs of a run ask: the first that asks has it read.
///
/// An output that runs by itself has a stage of its own, which reads whenever it is asked.
package final class DecodingStage {
    private var reader: PayloadReader
    /// Whether `next` is called before each event, and several outputs may ask about it.
    let isShared: Bool
    /// Whether nothing is read.
    let isIdle: Bool
    /// Events so far, and those that were noted and read last.
    private(set) var event: UInt64 = 0
    private var noted: UInt64 = 0
    private var read: UInt64 = 0
    private var decoded: DecodedPayload?
    /// What was read last is JSON and no more, and `decoded` says nothing of it.
    private var isPlain = false
    private var isAsked = false
    /// What else the outputs of a line have in common, as long as one of them has it.
    private var objects: [ObjectIdentifier: Common] = [:]

    private struct Common { weak var object: AnyObject? }

    package init(_ table: PayloadTable, isShared: Bool = false) {
        reader = PayloadReader(table)
        isIdle = reader.isIdle
        self.isShared = isShared
    }

    /// An output will ask.
    ///
    /// - Parameter isForLine: for lines of text, which have no more than the summary or the payload itself; it counts where all outputs ask so.
    func join(isForLine: Bool = false) {
        reader.isForLines = isForLine && (reader.isForLines || !isAsked)
        isAsked = true
    }

    /// What outputs with the same key have in common, which the first of them makes.
    func object<Object: AnyObject>(_ key: ObjectIdentifier, _ make: () -> Object) -> Object {
        if let known = objects[key]?.object as? Object { return known }
        let object = make()
        objects = objects.filter { $0.value.object != nil }
        objects[key] = Common(object: object)
        return object
    }

    /// Bytes of what is known, of a stage of an output's own.
    var heldBytes: Int { isShared ? 0 : reader.heldBytes }

    /// Bytes of what is known, for all outputs.
    var sharedBytes: Int { isShared ? reader.heldBytes : 0 }

    /// Calls without an answer of the conversation that was closed last.
    var unanswered: UnansweredCalls { reader.unanswered }

    /// The next event comes.
    @inline(__always)
    func next() { event &+= 1 }

    /// Takes what an event says of the payloads after it.
    @inline(__always)
    func note(_ event: borrowing ConversationEvent) {
        if isShared {
            if noted == self.event { return }
            noted = self.event
        }
        reader.note(event)
    }

    /// What the payload of an event says, which was noted; nil where it has none, or none that a format knows.
    func payload(of event: borrowing ConversationEvent) -> DecodedPayload? {
        guard isShared else { return reader.payload(of: event) }
        if read != self.event {
            read = self.event
            isPlain = reader.isPlainJSON(event)
            if !isPlain { decoded = reader.payloadOfAnyFormat(event) }
        }
        return isPlain ? .plainJSON : decoded
    }

    /// Takes an event. Returns what its payload says.
    func read(_ event: borrowing ConversationEvent) -> DecodedPayload? {
        // Of a message nothing is noted: its memory would be asked for ahead of its use, which comes now.
        if event.kind == .message { noted = self.event } else { note(event) }
        return payload(of: event)
    }

    /// The event that was noted is not read, as nothing is asked of it.
    func pass() { if !isShared { reader.pass() } }
}
