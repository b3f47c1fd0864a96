internal import Dissection

/// Frames of HTTP/2 as a test writes them.
package enum HTTP2Frames {
    package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

    /// A frame: 9 bytes, then its payload.
    package static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, _ payload: [UInt8] = []) -> [UInt8] {
        let length = UInt32(payload.count)
        return [UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF), type, flags] + four(stream) + payload
    }

    package static func four(_ value: UInt32) -> [UInt8] {
        [UInt8(value >> 24), UInt8(value >> 16 & 0xFF), UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)]
    }

    package static func settings(_ values: [(UInt16, UInt32)] = []) -> [UInt8] {
        frame(4, values.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xFF)] + four($0.1) })
    }

    package static let accepted = frame(4, flags: 1)

    /// A block of literals that leave the table as it is.
    package static func block(_ fields: [(String, String)]) -> [UInt8] {
        fields.flatMap { [0] + string($0.0) + string($0.1) }
    }

    private static func string(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
        var rest = bytes.count - 127
        var length: [UInt8] = [127]
        while rest >= 128 {
            length.append(UInt8(rest & 127) | 128)
            rest >>= 7
        }
        return length + [UInt8(rest)] + bytes
    }

    package static func headers(_ stream: UInt32, _ fields: [(String, String)], end: Bool = false) -> [UInt8] {
        frame(1, flags: end ? 5 : 4, stream: stream, block(fields))
    }

    package static func data(_ stream: UInt32, _ text: String, end: Bool = false) -> [UInt8] {
        frame(0, flags: end ? 1 : 0, stream: stream, Array(text.utf8))
    }

    package static func get(_ stream: UInt32, _ path: String = "/", _ more: [(String, String)] = []) -> [UInt8] {
        headers(stream, [(":method", "GET"), (":scheme", "http"), (":path", path), (":authority", "x")] + more, end: true)
    }

    package static func post(_ stream: UInt32, _ more: [(String, String)] = []) -> [UInt8] {
        headers(stream, [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "x")] + more)
    }

    package static func ok(_ stream: UInt32, _ more: [(String, String)] = [], end: Bool = false) -> [UInt8] {
        headers(stream, [(":status", "200")] + more, end: end)
    }

    package static func reset(_ stream: UInt32, _ code: UInt32) -> [UInt8] { frame(3, stream: stream, four(code)) }

    package static func window(_ stream: UInt32, _ increment: UInt32) -> [UInt8] { frame(8, stream: stream, four(increment)) }

    package static func ping(_ payload: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8], answers: Bool = false) -> [UInt8] {
        frame(6, flags: answers ? 1 : 0, payload)
    }

    package static func goAway(last: UInt32, _ code: UInt32, _ text: String = "") -> [UInt8] {
        frame(7, four(last) + four(code) + Array(text.utf8))
    }

    /// The openings of both sides.
    package static let client = preface + settings()
    package static let server = settings()

    /// A conversation whose openings are right.
    package static func talk(_ steps: [Talk.Step]) -> Talk { Talk([.client(client), .server(server)] + steps) }
}
