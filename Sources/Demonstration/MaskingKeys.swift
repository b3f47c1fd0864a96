import NIOWebSocket

/// The masking keys of a client, the same ones in each run.
///
/// A real client takes keys that nobody can foresee (RFC 6455, section 10.3); here one run is to look like the next.
struct MaskingKeys {
    private var generator = Steady(state: 0x756E_6D61_736B)

    mutating func next() -> WebSocketMaskingKey { .random(using: &generator) }

    /// SplitMix64.
    private struct Steady: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }
}
