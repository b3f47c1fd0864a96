/// Messages with a header that says with `Content-Length` how long each is; the header is no part of the message.
struct ContentLengthCutter: CuttingMachine {
    private var head = ContentLengthHead()
    /// Bytes of the body that are still to come, once the header is over.
    private(set) var remaining: UInt64?

    var header: Int { head.count }

    mutating func restart() { self = ContentLengthCutter() }

    mutating func advance(over bytes: RawSpan) -> Cut {
        var position = 0
        while remaining == nil {
            guard position < bytes.byteCount else { return .inside }
            switch head.take(bytes[position]) {
            case .inside: break
            case .ends(let length): remaining = length
            case .broken(let fault): return .broken(fault)
            }
            position += 1
        }
        let left = remaining ?? 0
        let rest = UInt64(bytes.byteCount - position)
        guard rest >= left else {
            remaining = left - rest
            return .inside
        }
        remaining = 0
        return .ends(position + Int(left))
    }
}
