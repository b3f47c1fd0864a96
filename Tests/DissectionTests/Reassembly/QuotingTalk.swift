import Dissection
import Support

/// What the two sides of a legal conversation say, made by a seed: HTTP, WebSocket, TLS and raw bytes, in tunnels or not, whose contents
/// are those of other conversations: messages of HTTP, frames and records as somebody has recorded them.
struct QuotingTalk {
    private(set) var runs: [(side: Side, bytes: [UInt8])] = []
    private var random: SplitMix

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        switch number(8) {
        case 0, 1, 2: exchanges()
        case 3, 4: webSocket()
        case 5: sealed()
        case 6: raw()
        default:
            say(.client, "CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n")
            say(.server, "HTTP/1.1 200 OK\r\n\r\n")
            switch number(4) {
            case 0: exchanges()
            case 1: webSocket()
            case 2: sealed()
            default: raw()
            }
        }
    }

    mutating func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private mutating func say(_ side: Side, _ bytes: [UInt8]) { if !bytes.isEmpty { runs.append((side, bytes)) } }

    private mutating func say(_ side: Side, _ text: String) { say(side, Array(text.utf8)) }

    private mutating func noise(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }

    // MARK: - What is quoted

    private static let offer = Array(
        ("GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8)
    private static let switching = Array(
        ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n").utf8)

    /// Frames of one side of a WebSocket.
    private mutating func frames(_ side: Side) -> [UInt8] {
        (0..<2 + number(5)).flatMap { (_: Int) -> [UInt8] in
            let key = side == .client ? noise(4) : nil
            let text = Array("{\"index\":\(number(1_000)),\"of\":\"a chat\"}".utf8)
            return frame([1, 1, 2, 9][number(4)], text + (number(4) == 0 ? noise(number(90)).map { $0 & 0x7F } : []), key: key)
        }
    }

    private mutating func record() -> [UInt8] {
        let count = 20 + number(200)
        return [0x17, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)] + noise(count)
    }

    /// What somebody has recorded, or nothing that is known.
    private mutating func content() -> [UInt8] {
        let post = "POST /quoted HTTP/1.1\r\nHost: q\r\nContent-Length: 4\r\n\r\nbody"
        let answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
        switch number(12) {
        case 0: return frames(.client)
        case 1: return frames(.server)
        case 2: return Self.offer + frames(.client)
        case 3: return Self.switching + frames(.server)
        case 4: return Array((0..<1 + number(4)).map { _ in post }.joined().utf8)
        case 5: return Array((0..<1 + number(4)).map { _ in answer }.joined().utf8)
        case 6: return Array("GET /x HTTP/1.1\r\nHost: q\r\n\r\n\(answer)\(post)".utf8)
        case 7: return (0..<1 + number(3)).flatMap { _ in record() }
        case 8: return [UInt8](repeating: 0, count: number(40))
        case 9: return noise(number(300))
        case 10: return Array(String(repeating: "a line of text\r\n", count: number(30)).utf8)
        default: return frames(.client) + frames(.server)
        }
    }

    // MARK: - What is spoken

    private mutating func exchanges() {
        let isPipelined = number(3) == 0
        var (requests, responses): ([[UInt8]], [[UInt8]]) = ([], [])
        for index in 0..<1 + number(5) {
            let body = number(2) == 0 ? content() : []
            let isChunked = !body.isEmpty && number(3) == 0
            let method = body.isEmpty ? ["GET", "HEAD", "DELETE"][number(3)] : "POST"
            requests.append(
                Array("\(method) /\(index) HTTP/1.1\r\nHost: a\r\n".utf8) + framed(body, isChunked, isTold: !body.isEmpty, hasBody: true))
            let answer = content()
            responses.append(
                Array("HTTP/1.1 \(number(3) == 0 ? "404 No" : "200 OK")\r\nContent-Type: application/octet-stream\r\n".utf8)
                    + framed(answer, number(3) == 0, isTold: true, hasBody: method != "HEAD"))
        }
        if isPipelined {
            for request in requests { say(.client, request) }
            for response in responses { say(.server, response) }
            return
        }
        for (request, response) in zip(requests, responses) {
            say(.client, request)
            say(.server, response)
        }
    }

    private mutating func framed(_ body: [UInt8], _ isChunked: Bool, isTold: Bool, hasBody: Bool) -> [UInt8] {
        guard isTold else { return [13, 10] }
        if !isChunked { return Array("Content-Length: \(body.count)\r\n\r\n".utf8) + (hasBody ? body : []) }
        var bytes = Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
        guard hasBody else { return bytes }
        var rest = body[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(1 + number(150))
            bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
            rest = rest.dropFirst(chunk.count)
        }
        return bytes + Array("0\r\n\r\n".utf8)
    }

    private mutating func webSocket() {
        say(.client, Self.offer)
        say(.server, Self.switching)
        for _ in 0..<1 + number(12) {
            let side: Side = number(2) == 0 ? .client : .server
            let key = { (talk: inout QuotingTalk) in side == .client ? talk.noise(4) : nil }
            switch number(6) {
            case 0: say(side, frame(9, noise(number(20)), key: key(&self)))
            case 1:
                say(side, frame(2, content(), fin: false, key: key(&self)))
                say(side, frame(0, content(), fin: true, key: key(&self)))
            default: say(side, frame(2, content(), key: key(&self)))
            }
        }
        guard number(2) == 0 else { return }
        let first: Side = number(2) == 0 ? .client : .server
        for side in [first, first.peer] { say(side, frame(8, [3, 0xE8], key: side == .client ? noise(4) : nil)) }
    }

    private mutating func sealed() {
        say(
            .client, [0x16, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2F, 1, 0])
        say(
            .server,
            [0x16, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3] + [UInt8](repeating: 9, count: 32) + [0, 0xC0, 0x2F, 0] + [0x14, 3, 3, 0, 1, 1])
        say(.client, [0x14, 3, 3, 0, 1, 1])
        for _ in 0..<1 + number(8) { say(number(2) == 0 ? .client : .server, record()) }
    }

    private mutating func raw() {
        say(.client, [1, 2, 0, 0xFF])
        for _ in 0..<1 + number(8) { say(number(2) == 0 ? .client : .server, number(2) == 0 ? content() : noise(1 + number(20))) }
    }
}
