import Dissection

/// A format of payloads: what it is called, how sure it is that bytes are its own, what they say. Adding one is a type and a row in
/// `PayloadTable`.
package protocol PayloadFormat {
    /// In lower case, as `decoded.as` has it in a record.
    static var name: StaticString { get }

    /// How sure the format is of a payload. It looks at no more bytes than it has to, because most payloads are of other formats.
    static func likelihood(of bytes: RawSpan, in context: PayloadContext) -> PayloadLikelihood

    /// Reads a payload that the format was the surest of. What it cannot read it says by `DecodedPayload.stop`.
    ///
    /// - Parameter calls: what waits for an answer in this conversation, for formats that have calls.
    static func decode(_ bytes: RawSpan, in context: PayloadContext, calls: inout PendingCalls, into decoded: inout DecodedPayload)
}

/// How sure a format is that a payload is its own.
package enum PayloadLikelihood: UInt8, Comparable, Sendable {
    case no
    case possible
    case likely
    /// The conversation says so itself, or the bytes can hardly be anything else.
    case certain

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// What is known of a payload beside its bytes.
package struct PayloadContext: Sendable {
    package var from: Side
    /// Of the WebSocket message (RFC 6455, section 11.8).
    package var opcode: UInt8
    /// Bytes of the payload are not at hand.
    package var isCut: Bool
    /// When its last byte came, where there is a clock.
    package var time: Timestamp?
    /// The subprotocol that was agreed (RFC 6455, section 1.9), as on the wire.
    package var subprotocol: [UInt8] = []
    /// The target of the request that opened the WebSocket.
    package var target: [UInt8] = []

    package init(from: Side, opcode: UInt8, isCut: Bool, time: Timestamp? = nil) {
        self.from = from
        self.opcode = opcode
        self.isCut = isCut
        self.time = time
    }

    var isText: Bool { opcode == 1 }

    /// Whether the subprotocol is this one, in any case.
    func speaks(_ name: StaticString) -> Bool { subprotocol.rawBytes.isWord(name) }

    /// Whether words stand in the target.
    func targetHas(_ words: StaticString) -> Bool {
        let words = words.bytes
        guard words.byteCount > 0, target.count >= words.byteCount else { return false }
        // The target is at most 256 bytes.
        return (0...target.count - words.byteCount).contains { target.rawBytes.extracting($0..<$0 + words.byteCount).isEqual(words) }
    }
}

/// Calls of one conversation that wait for their answer, at most 256; the oldest are forgotten.
package struct PendingCalls: Sendable {
    private struct Call: Sendable {
        let from: Side
        let key: [UInt8]
        let time: Timestamp
        let name: [UInt8]

        /// What its texts take.
        var bytes: Int { key.count + name.count + 64 }
    }

    private var calls: [Call] = []
    private static let most = 256
    private static let longestKey = 128

    package init() {}

    private var textBytes = 0
    /// Bytes of memory.
    var heldBytes: Int { calls.capacity * MemoryLayout<Call>.stride + textBytes }

    /// Notes a call.
    ///
    /// - Parameters:
    ///   - key: what its answer will name.
    ///   - name: what was called, for the line of the answer.
    package mutating func note(_ key: [UInt8], name: [UInt8] = [], in context: PayloadContext) {
        guard let time = context.time, key.count <= Self.longestKey else { return }
        if calls.count == Self.most { textBytes -= calls.removeFirst().bytes }
        let call = Call(from: context.from, key: key, time: time, name: name.count <= Self.longestKey ? name : [])
        calls.append(call)
        textBytes += call.bytes
    }

    /// How long the call took that is answered now, and what was called; nil where none is known.
    package mutating func answer(_ key: [UInt8], in context: PayloadContext) -> (latency: Int64, name: [UInt8])? {
        guard let time = context.time, let index = calls.firstIndex(where: { $0.from != context.from && $0.key == key }) else { return nil }
        let call = calls.remove(at: index)
        textBytes -= call.bytes
        return (time.nanoseconds(since: call.time), call.name)
    }
}
