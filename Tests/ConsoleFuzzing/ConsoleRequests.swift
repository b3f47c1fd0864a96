/// Requests of a client that knows the token, so that what is fuzzed is what they are about and not their heads.
///
/// An input has them one after another, each ended by a zero byte. One that begins with `P` is a POST: the target up to a line feed, then the body. One
/// that begins with `L` is the upgrade to the WebSocket, and all that follow are its messages, the first of them after the one with the token. Any
/// other is a GET of what follows its first byte.
enum ConsoleRequests {
    static func bytes(of input: [UInt8]) -> [UInt8] {
        let common = "Host: localhost:\(ConsoleFuzzing.port)\r\nAuthorization: Bearer \(ConsoleFuzzing.token)\r\n"
        var (bytes, isLive): ([UInt8], Bool) = ([], false)
        for part in input.split(separator: 0) {
            let rest = part.dropFirst()
            switch part.first {
            case _ where isLive: bytes += frame(part)
            case UInt8(ascii: "P"):
                let halves = rest.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
                let body = halves.count > 1 ? halves[1] : []
                bytes += Array("POST /api/\(target(halves[0])) HTTP/1.1\r\n\(common)Content-Length: \(body.count)\r\n\r\n".utf8) + body
            case UInt8(ascii: "L"):
                isLive = true
                bytes += "GET /api/live HTTP/1.1\r\n\(common)Origin: http://localhost:\(ConsoleFuzzing.port)\r\nUpgrade: websocket\r\n".utf8
                bytes += "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".utf8
                bytes += frame(Array("{\"token\":\"\(ConsoleFuzzing.token)\"}".utf8)[...])
            case _: bytes += "GET /api/\(target(rest)) HTTP/1.1\r\n\(common)\r\n".utf8
            }
        }
        return bytes
    }

    /// What cannot be in a target is percent-encoded (RFC 3986, section 2.1).
    private static func target(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for byte in bytes {
            if (0x21...0x7E).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }

    /// A text message in one frame, masked with zeros (RFC 6455, section 5.2).
    private static func frame(_ payload: ArraySlice<UInt8>) -> [UInt8] {
        let count = min(payload.count, 65_535)
        let length: [UInt8] = count < 126 ? [0x80 | UInt8(count)] : [0xFE, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [0x81] + length + [0, 0, 0, 0] + payload.prefix(count)
    }
}
