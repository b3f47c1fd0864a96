/// What looking for a frame boundary costs, and when it is worth looking again.
package struct ResyncEffort {
    /// Headers and bytes of text that were looked at, for tests of what the search costs.
    package var steps = 0
    /// How many bytes there have to be before an undecided answer can become another one.
    package var wanted = 0
    /// Where the last whole frame ends that was looked at; the answer yes stands on no byte behind it.
    var taken = 0
    /// The frame whose text comes: where it begins, how much of it is text so far, and whether the next byte can go on with it.
    private var text: (frame: Int, count: Int, validator: UTF8Validator)?
    /// Bytes of a text that are looked at.
    static let mostText = 256

    package init() {}

    /// Whether the first bytes of a text can be some. Each is looked at once.
    mutating func takesText(_ payload: RawSpan, from frame: Int, key: UInt32) -> Bool {
        var (position, validator) = (0, UTF8Validator())
        if let text, text.frame == frame { (position, validator) = (text.count, text.validator) }
        let end = min(payload.byteCount, ResyncEffort.mostText)
        guard position < end else { return true }
        steps += end - position
        var clear = [UInt8](repeating: 0, count: end - position)
        Unmasking.copy(payload.extracting(position..<end), key: key, position: UInt64(position), to: &clear, at: 0)
        guard validator.check(clear.rawBytes) == nil else { return false }
        text = (frame, end, validator)
        return true
    }

    /// So many bytes are dropped before those that were looked at.
    mutating func drop(_ count: Int) {
        wanted = max(0, wanted - count)
        text = nil
    }
}
