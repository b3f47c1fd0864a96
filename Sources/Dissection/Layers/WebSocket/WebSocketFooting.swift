/// Shell, replaced when the layer lands.
package enum WebSocketFooting {
    /// Whether a frame border at `start` is well supported by the bytes that follow.
    package static func isBorder(_ bytes: RawSpan, at start: Int, masked: Bool) -> Bool { false }

    /// The first well-supported frame border from `start` on.
    package static func border(in bytes: RawSpan, from start: Int, masked: Bool) -> Int? { nil }
}
