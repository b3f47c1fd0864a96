/// The longest message that a side has sent, and the one that it is in the middle of: what the other side may have found too long.
struct MessageSizes: Sendable {
    /// Messages up to so many bytes are found too long by nobody, and are not noted as long as there is no longer one.
    static let leastNoted: UInt64 = 125

    /// Bytes of the longest message, after inflating.
    private(set) var longest: UInt64 = 0
    /// Bytes of the longest message before that one.
    private(set) var survived: UInt64 = 0
    /// Which message of its side the longest one is, from 1 on.
    private(set) var number: UInt64 = 0
    /// When its last byte came.
    private(set) var time: Timestamp?
    private(set) var isText = false
    private(set) var isOneFrame = false
    /// Frames that the other side had sent by then.
    private(set) var peerFrames: UInt64 = 0
    /// The message that is not whole; nil where none is under way.
    private(set) var open: Open?

    /// A message under way.
    struct Open: Sendable {
        /// Bytes that it has by the headers of its frames so far, before inflating.
        var length: UInt64
        var isText: Bool
        /// Its last frame has begun: it has no more than `length`.
        var isLastFrame: Bool
        var isOneFrame: Bool
        var isCompressed: Bool
    }

    /// Takes a message that is whole and longer than all before.
    ///
    /// - Parameters:
    ///   - number: which message of its side it is.
    ///   - peerFrames: what the other side has sent so far.
    mutating func takeLongest(
        _ length: UInt64, isText: Bool, isOneFrame: Bool, at time: Timestamp?, number: UInt64, peerFrames: UInt64
    ) {
        survived = longest
        longest = length
        (self.isText, self.isOneFrame, self.time) = (isText, isOneFrame, time)
        (self.number, self.peerFrames) = (number, peerFrames)
    }

    /// A data frame of a message has begun that is not whole.
    mutating func begin(_ message: Open) { open = message }

    /// The message under way has ended.
    mutating func end() { open = nil }
}

extension WebSocketDirection {
    /// A data frame has begun, which is not whole in the bytes at hand.
    func noteOpen(_ session: inout WebSocketSession) {
        let (length, isTooLong) = message.seen.addingReportingOverflow(frame.length)
        var isCompressed = true
        if case .plain = message.content { isCompressed = false }
        let open = MessageSizes.Open(
            length: isTooLong ? .max : length, isText: message.opcode == 1, isLastFrame: frame.fin,
            isOneFrame: frame.fin && frame.opcode != 0, isCompressed: isCompressed)
        session.noteSizes(of: side) { $0.begin(open) }
    }

    /// The message that has just been reported is longer than all before it.
    func noteLongest(_ length: UInt64, _ session: inout WebSocketSession, _ context: borrowing ConversationContext) {
        let isOneFrame = frame.fin && frame.opcode != 0
        let isText = (isOneFrame ? frame.opcode : message.opcode) == 1
        let (time, number, peerFrames) = (framePlace.time, context[side].messages, context[side.peer].frames)
        session.noteSizes(of: side) {
            $0.takeLongest(length, isText: isText, isOneFrame: isOneFrame, at: time, number: number, peerFrames: peerFrames)
        }
    }
}
