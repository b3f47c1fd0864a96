import Dissection

/// What goes into a recording that is made of a capture: `-w` of `read` and `capture`.
package struct RecordingSettings: Sendable {
    /// Makes the filter; a conversation of which it shows anything is one whose packets are recorded. Nil where all are.
    package var makeFilter: (@Sendable () -> any EventFilter)?
    /// The conversations that are recorded; all where none are named.
    package var conversations: ConversationSelection?
    /// Whether events of some conversations never come: those are not recorded.
    package var leavesSomeOut = false
    /// The formats that payloads are decoded by, where the filter looks at what they say.
    package var payloads = PayloadTable.none
    /// Bytes of one payload that the filter looks at.
    package var soughtBytes = 0
    /// What a first reading of the inputs has found; nil where they can be read once.
    package var found: PickedPackets?
    /// Whether Decryption Secrets Blocks are copied.
    package var keepsSecrets = true
    /// Bytes of packets that are kept until it is known whether they are recorded: of one conversation, and over all.
    package var keptBytes = (ofConversation: 1 << 20, total: 16 << 20)

    package init() {}

    /// Whether every packet is recorded, of whatever protocol.
    var picksAll: Bool { makeFilter == nil && conversations == nil && !leavesSomeOut }
}
