import CaptureFiles
import Dissection
import Reports

/// How inputs are read: what is wanted of them, within which memory, and whom to tell what is wrong with them.
package struct InputSettings: Sendable {
    /// Bounds of what is kept for conversations.
    package var limits = Limits()
    /// Bytes of one payload that the sink wants at most; all that is kept where it does not say.
    package var payloadDemand: Int?
    /// Bytes that a decompressor may take for its window.
    package var windowBytes = 128 << 20
    /// The most bytes of a line of a log.
    package var longestLine = 32 << 20
    /// The conversations that are wanted; nil for all.
    package var conversations: ConversationSelection?
    package var rules: [DecodeRule] = []
    /// The times of the messages that the sink looks at, in nanoseconds since 1970, where it looks at no others.
    package var window: ClosedRange<Int64>?
    /// Packets, or lines of a log, between two looks at the sink.
    package var pause = 256
    /// What the program calls itself.
    package var tool = "unmask"
    /// Ends the reading; what came until then is told whole.
    package var stop = StopFlag()
    /// Takes a line for the user. A first reading leaves what is wrong with the inputs to the second.
    package var tell: @Sendable (String) -> Void = { _ in }

    package init() {}
}
