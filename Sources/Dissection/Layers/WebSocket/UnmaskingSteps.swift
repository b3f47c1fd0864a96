extension WebSocketDirection {
    /// Unmasks payload that is not kept whole, a step at a time.
    @inline(__always)
    mutating func inSteps(_ payload: RawSpan, _ body: (inout WebSocketDirection, RawSpan) -> Void) {
        var position = 0
        prepareScratch(min(payload.byteCount, WebSocketDirection.scratchBytes))
        // Taken out for the time, so that `body` may change everything else.
        var step: [UInt8] = []
        swap(&step, &scratch)
        while position < payload.byteCount {
            let count = min(step.count, payload.byteCount - position)
            Unmasking.copy(
                payload.extracting(position..<position + count), key: frame.maskingKey, position: taken &+ UInt64(position), to: &step,
                at: 0)
            body(&self, step.rawBytes.extracting(0..<count))
            position += count
        }
        swap(&step, &scratch)
    }
}
