import Dissection
import Support

/// A whole legal conversation that a seed makes, cut into segments as its numbers say: pipelined HTTP, HTTP in turns, or WebSocket.
struct RandomTalk {
    private(set) var talk: CleanTalk
    private var random: SplitMix
    private let segmentBytes: Int
    private let acknowledges: UInt64

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        talk = CleanTalk("seed \(seed)")
        segmentBytes = [12, 40, 400, 1_460][Int(random.next() % 4)]
        acknowledges = random.next() % 3
        switch random.next() % 3 {
        case 0: exchange(pipelined: true)
        case 1: exchange(pipelined: false)
        default: webSocket()
        }
        end()
    }

    private mutating func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    private mutating func say(_ side: Side, _ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            talk = talk.says(
                side, Array(rest.prefix(segmentBytes)), isAcknowledged: acknowledges == 0 || (acknowledges == 1 && number(3) == 0))
            rest = rest.dropFirst(segmentBytes)
        }
    }

    private mutating func exchange(pipelined: Bool) {
        let count = 1 + number(6)
        var (requests, responses): ([[UInt8]], [[UInt8]]) = ([], [])
        for index in 0..<count {
            let method = ["GET", "HEAD", "POST", "DELETE"][number(4)]
            let body = method == "POST" ? String(repeating: "b", count: number(90)) : ""
            let length = method == "POST" ? "Content-Length: \(body.utf8.count)\r\n" : ""
            requests.append(Array("\(method) /\(index) HTTP/1.1\r\nHost: a\r\n\(length)\r\n\(body)".utf8))
            let content = String(repeating: "c", count: number(200))
            let told = method == "HEAD" ? "" : content
            responses.append(
                Array(
                    (number(2) == 0
                        ? "HTTP/1.1 200 OK\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(told)"
                        : "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n"
                            + (method == "HEAD" ? "" : "5\r\nabcde\r\n0\r\n\r\n")).utf8))
        }
        var index = 0
        while index < count {
            let together = pipelined ? 1 + number(count - index) : 1
            for request in requests[index..<index + together] { say(.client, request) }
            for response in responses[index..<index + together] { say(.server, response) }
            index += together
        }
    }

    private mutating func webSocket() {
        talk = CleanTalk.webSocketOpen
        for _ in 0..<1 + number(9) {
            let payload = [UInt8](repeating: 0x61, count: number(120))
            if number(2) == 0 {
                say(.client, [0x81, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload)
            } else {
                say(.server, [0x82, UInt8(payload.count)] + payload)
            }
        }
    }

    private mutating func end() {
        switch number(5) {
        case 0: talk = talk.sends(.client, [.fin, .ack]).sends(.server, [.fin, .ack]).sends(.client, .ack)
        case 1: talk = talk.sends(.server, [.fin, .ack]).sends(.client, .ack).sends(.client, [.fin, .ack]).sends(.server, .ack)
        case 2: talk = talk.sends(.server, [.rst, .ack])
        case 3: talk = talk.sends(.server, [.fin, .ack]).sends(.client, [.rst, .ack])
        default: return
        }
    }

    /// The packets captured in an order that is none: each up to three places later than it was sent.
    mutating func jittered() -> Segments {
        let shifts = (0..<talk.segments.packetCount).map { _ in number(300) }
        return talk.segments.reordered { order in
            let keys = order.map { $0 * 100 + shifts[$0] }
            order.sort { (keys[$0], $0) < (keys[$1], $1) }
        }
    }

    /// The packets without some of those from `first` on.
    mutating func withLosses(from first: Int) -> Segments {
        let first = min(first, talk.segments.packetCount - 1)
        let lost = Set((0..<1 + number(4)).map { _ in first + number(talk.segments.packetCount - first) })
        return talk.segments.reordered { order in order.removeAll { lost.contains($0) } }
    }

    /// The packets, some of which come again a few places later.
    mutating func withCopies() -> Segments {
        let copies = (0..<1 + number(5)).map { _ in (number(talk.segments.packetCount), 1 + number(6)) }
        return talk.segments.reordered { order in
            for (packet, later) in copies { order.insert(packet, at: min(order.count, packet + later)) }
        }
    }
}
