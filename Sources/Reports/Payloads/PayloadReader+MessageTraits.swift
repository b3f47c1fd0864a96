extension PayloadReader {
    /// What a message is beside its payload.
    struct MessageTraits {
        var opcode: UInt8
        var cutIsLength: Bool
        var carrier = PayloadContext.Carrier.message
        var framing: [UInt8] = []
    }
}
