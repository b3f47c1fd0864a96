/// A length at the beginning of a message.
struct LengthForm: Equatable {
    let bytes: Int
    let isLittleEndian: Bool
    let countsItself: Bool

    static let all: [LengthForm] = [2, 4, 8].flatMap { bytes in
        [false, true].flatMap { order in [false, true].map { LengthForm(bytes: bytes, isLittleEndian: order, countsItself: $0) } }
    }

    /// Whether a segment is one message that begins so.
    ///
    /// - Parameters:
    ///   - beginning: its first eight bytes, the first one highest.
    ///   - count: the bytes that it has.
    func fits(_ beginning: UInt64, _ count: UInt64) -> Bool {
        count > UInt64(bytes) && value(beginning) == count - (countsItself ? 0 : UInt64(bytes))
    }

    /// The number that a segment begins with.
    private func value(_ beginning: UInt64) -> UInt64 {
        let field = beginning >> UInt64(64 - 8 * bytes)
        return isLittleEndian ? field.byteSwapped >> UInt64(64 - 8 * bytes) : field
    }

    /// How many bytes follow a segment that is a length alone; nil where it is anything else.
    func rest(_ beginning: UInt64, _ count: UInt64) -> UInt64? {
        let value = value(beginning)
        let own = countsItself ? UInt64(bytes) : 0
        return count == UInt64(bytes) && value > own && value <= UInt64(StreamFraming.mostBytes) ? value - own : nil
    }

    /// - Parameters:
    ///   - messages: that begin so.
    ///   - isAlone: some of the lengths are in a segment of their own.
    func words(_ messages: Int, isAlone: Bool) -> String {
        let order = isLittleEndian ? "little-endian" : "big-endian"
        let counting = countsItself ? "that counts itself" : "that does not count itself"
        return "\(bytes) bytes, \(order), \(counting) (\(messages) of \(messages))\(isAlone ? ", in a segment of its own" : "")"
    }
}
