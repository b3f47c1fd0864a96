/// Watches bytes that are shown as they come for objects and arrays of JSON with nothing between them: nothing waits for it. Where the second one of a
/// side begins, values are messages from there on.
///
/// ```
/// client  {"op":"hello"}{"op":"join"}            from the second on
/// server                             {"ok":1}    each side by itself
/// ```
///
/// Values with line ends between them are lines, which `LineWatch` believes after more turns.
struct JSONWatch {
    private struct Values {
        var cutter = JSONCutter()
        /// The first two bytes that are no white space.
        var beginning = ShortBytes()
        /// One value has ended.
        var hasOne = false
        var isOver = false

        /// Whether it may begin an object with a name, or an array of these, of arrays, or of strings. `[1]` may be text.
        var mayBegin: Bool {
            guard beginning.count > 0 else { return true }
            let isObject = beginning[0] == UInt8(ascii: "{")
            guard isObject || beginning[0] == UInt8(ascii: "[") else { return false }
            guard beginning.count > 1 else { return true }
            return beginning[1] == UInt8(ascii: "\"") || !isObject && beginning[1] == UInt8(ascii: "{")
        }
    }

    private var client = Values()
    private var server = Values()

    /// Neither side has sent values of JSON alone.
    var isOver: Bool { client.isOver && server.isOver }

    /// Whether a side has sent something else.
    func isOther(_ side: Side) -> Bool { side == .client ? client.isOver : server.isOver }

    /// Takes the next bytes of a side. Returns where in them values are messages from.
    mutating func receive(_ bytes: RawSpan, from side: Side) -> Int? {
        let peer = side == .client ? server : client
        // In the middle of a value of the other side nothing can begin.
        let mayBegin = peer.isOver || peer.cutter.isBetween
        return side == .client ? Self.receive(bytes, &client, mayBegin) : Self.receive(bytes, &server, mayBegin)
    }

    private static func receive(_ bytes: RawSpan, _ values: inout Values, _ mayBegin: Bool) -> Int? {
        var position = 0
        while position < bytes.byteCount, !values.isOver {
            let byte = bytes[position]
            if values.cutter.isBetween, values.hasOne {
                if mayBegin, byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { return position }
                if byte == 0x0A || byte == 0x0D { values.isOver = true }
            }
            if values.beginning.count < 2, byte > 0x20 { values.beginning.append(byte) }
            // A byte at a time until it is clear how the first value begins.
            let step = values.beginning.count < 2 || values.cutter.isBetween ? 1 : bytes.byteCount - position
            switch values.cutter.advance(over: bytes.extracting(position..<position + step)) {
            case .inside: position += step
            case .broken: values.isOver = true
            case .ends(let count):
                position += count
                values.hasOne = true
                values.cutter.restart()
            }
            if !values.mayBegin { values.isOver = true }
        }
        return nil
    }
}
