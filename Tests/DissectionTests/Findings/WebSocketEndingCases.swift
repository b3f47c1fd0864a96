import Dissection
import Support

/// What is found about the close of a WebSocket, and about its compression.
extension FindingCase {
    private static func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] { bigEndian(UInt64(code), 2) + reason }

    static let webSocketClosing: [FindingCase] = {
        let bye: Talk.Step = .serverFrame(8, close(1000))
        /// A server closes with `code`, and nearly so with `other`.
        func code(_ row: String, _ found: [String], _ code: UInt16, nearly other: UInt16) -> FindingCase {
            webSocket("close-code-" + row, found, [.serverFrame(8, close(code))], nearly: [.serverFrame(8, close(other))])
        }
        return FindingCase.table {
            webSocket(
                "close-payload-one-byte", ["< @0 websocket.close-payload-one-byte: a Close frame with a payload of one byte"],
                [.serverFrame(8, [3])], nearly: [.serverFrame(8, [])])
            code("out-of-range", ["< @0 websocket.close-code-out-of-range: close code 999, codes are 1000 to 4999"], 999, nearly: 1000)
            code("out-of-range", ["< @0 websocket.close-code-out-of-range: close code 5000, codes are 1000 to 4999"], 5000, nearly: 4999)
            // A code in digits, or in the other byte order; other text and numbers are neither.
            webSocket(
                "close-code-out-of-range",
                ["< @0 websocket.close-code-out-of-range: close code 12592, codes are 1000 to 4999; the payload is the text 1001"],
                [.serverFrame(8, Array("1001".utf8))], nearly: [.serverFrame(8, close(1001))])
            code(
                "out-of-range",
                ["< @0 websocket.close-code-out-of-range: close code 59395, codes are 1000 to 4999; in the other byte order it is 1000"],
                0xE803,
                nearly: 1000)
            code(
                "out-of-range", ["< @0 websocket.close-code-out-of-range: close code 12336, codes are 1000 to 4999"], 0x3030, nearly: 1001)
            code("unassigned", ["< @0 websocket.close-code-unassigned: close code 1004 is not assigned"], 1004, nearly: 1003)
            code("reserved", ["< @0 websocket.close-code-reserved: close code 1005 is never sent"], 1005, nearly: 1007)
            code("reserved", ["< @0 websocket.close-code-reserved: close code 1006 is never sent"], 1006, nearly: 1008)
            code("reserved", ["< @0 websocket.close-code-reserved: close code 1015 is never sent"], 1015, nearly: 1014)
            code("unassigned", ["< @0 websocket.close-code-unassigned: close code 1016 is not assigned"], 1016, nearly: 1012)
            code("unassigned", ["< @0 websocket.close-code-unassigned: close code 2999 is not assigned"], 2999, nearly: 3000)
            webSocket(
                "close-code-of-client", ["< @0 websocket.close-code-of-client: a server closes with 1010, which only a client uses"],
                [.serverFrame(8, close(1010))], nearly: [.clientFrame(8, close(1010))])
            // The echo of a client's.
            webSocket(
                "close-code-of-client", ["< @0 websocket.close-code-of-client: a server closes with 1010, which only a client uses"],
                [.serverFrame(8, close(1010))],
                nearly: [.clientFrame(8, close(1010)), .serverFrame(8, close(1010))])
            webSocket(
                "close-reason-utf8-invalid",
                ["< @0 websocket.close-reason-utf8-invalid: the reason in the Close frame is not UTF-8, first bad byte 1"],
                [.serverFrame(8, close(1000, [0x61, 0xFF]))],
                nearly: [.serverFrame(8, close(1000, Array("für".utf8)))])
            webSocket(
                "close-code-not-echoed",
                ["> @0 websocket.close-code-not-echoed: the Close frame has code 1000, the other side's before it had code 1001"],
                [.serverFrame(8, close(1001)), .clientFrame(8, close(1000))],
                nearly: [.serverFrame(8, close(1001)), .clientFrame(8, [])])
            // Who has not answered the ping before a Close frame has not read that.
            webSocket(
                "close-code-not-echoed",
                ["< @3 websocket.close-code-not-echoed: the Close frame has code 1000, the other side's before it had code 1011"],
                [.clientFrame(9, [1]), .clientFrame(8, close(1011)), .serverFrame(10, [1]), .serverFrame(8, close(1000))],
                nearly: [.clientFrame(9, [1]), .clientFrame(8, close(1011)), .serverFrame(8, close(1000)), .serverFrame(10, [1])])
            webSocket(
                "close-repeated", ["< @4 websocket.close-repeated: another Close frame of the same side"], [bye, bye],
                nearly: [bye, .clientFrame(8, close(1000))])
            // The other side may not have read it yet.
            webSocket(
                "data-after-close", ["< @4 websocket.data-after-close: a data frame, opcode 1, after the Close frame"],
                [bye, .serverText("more")], nearly: [bye, .clientText("more"), .clientFrame(8, close(1000))])
            webSocket(
                "bytes-after-close", ["< @4 websocket.bytes-after-close: data that is not a frame after the Close frame"],
                [bye, .server("HTTP/1.1 400 Bad Request\r\n\r\n")], nearly: [bye, .serverFrame(9, [])])
        }
    }()

    static let webSocketDeflate: [FindingCase] = {
        let kept = InflaterTests.deflate(
            ["{\"room\":7,\"text\":\"hello there\"}", "{\"room\":7,\"text\":\"hello again\"}"].map { Array($0.utf8) })
        func compressed(_ messages: [[UInt8]]) -> [Talk.Step] { messages.map { .serverFrame(1, $0, rsv: 4) } }
        let deflate = FrameTalk.deflate
        let alone = WebSocketNegotiation(compression: Upgrade.Compression(serverTakeover: false))
        var random = SplitMix(seed: 3)
        let noise = (0..<600).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let narrow = WebSocketNegotiation(compression: Upgrade.Compression(serverWindowBits: 9))
        func noisy(_ bits: Int32) -> [Talk.Step] {
            InflaterTests.deflate([noise, noise], windowBits: bits).map { .serverFrame(2, $0, rsv: 4) }
        }
        let keepsContext =
            "it refers to bytes before its beginning, so the server probably keeps its context although it agreed to server_no_context_takeover"
        let first = frame(1, kept[0], rsv: 4)
        let whole: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        return FindingCase.table {
            webSocket(
                "deflate-invalid",
                ["< @0 websocket.deflate-invalid: a compressed message that cannot be inflated; its bytes are not a DEFLATE stream"],
                [.serverFrame(1, [0xFF, 0xFF, 0xFF], rsv: 4)], nearly: compressed([whole]), deflate)
            // A peer that keeps its window against the agreement.
            FindingCase(
                "websocket.deflate-invalid",
                ["< @35 websocket.deflate-invalid: a compressed message that cannot be inflated; \(keepsContext)"],
                fires: FrameTalk(compressed(kept), alone),
                nearly: FrameTalk(compressed(kept), deflate))
            // Each of its messages stands alone: what came before the next one cannot be missing.
            FindingCase(
                "websocket.deflate-invalid",
                [
                    "< @35 websocket.deflate-invalid: a compressed message that cannot be inflated; \(keepsContext)",
                    "< @\(37 + kept[1].count) websocket.deflate-invalid: a compressed message that cannot be inflated; \(keepsContext)",
                ],
                fires: FrameTalk(compressed(kept + [kept[1]]), alone), nearly: FrameTalk(compressed([kept[0], kept[0]]), alone))
            webSocket(
                "deflate-window-exceeded",
                ["< @610 websocket.deflate-window-exceeded: a compressed message refers further back than the agreed window of 512 bytes"],
                noisy(15), nearly: noisy(9), narrow)
            webSocket(
                "deflate-context-lost",
                [
                    "< @35 websocket.deflate-context-lost: a compressed message cannot be inflated: earlier messages could not be, or are not in the capture"
                ],
                [.server(Array(first.dropLast(5))), .gap(.server, 5, .missing)] + compressed([kept[1], kept[1]]),
                // What does not need the lost window can be read.
                nearly: [.server(Array(first.dropLast(5))), .gap(.server, 5, .missing)] + compressed([whole]), deflate)
            FindingCase(
                "websocket.deflate-context-lost",
                [
                    "< @35 websocket.deflate-context-lost: a compressed message cannot be inflated: earlier messages could not be, or are not in the capture"
                ],
                fires: FrameTalk([.server(Array(first.dropLast(5))), .gap(.server, 5, .missing)] + compressed([kept[1]]), deflate),
                nearly: FrameTalk([.server(Array(first.dropLast(5))), .gap(.server, 5, .missing)] + compressed([kept[1]]), alone))
            // The tail that a sender has to remove.
            webSocket(
                "deflate-unterminated",
                [
                    "< @0 websocket.deflate-unterminated: compressed message not ended by a sync flush, or its 00 00 ff ff tail was not removed"
                ], compressed([whole + [0, 0, 0xFF, 0xFF]]), nearly: compressed([whole]), deflate)
            contentLimit
        }
    }()

    /// 70 messages of 60,000 zeros are more than 4 MiB, 69 are not.
    private static var contentLimit: FindingCase {
        let zeros = InflaterTests.deflate([[UInt8](repeating: 0, count: 60_000)])[0]
        func messages(_ count: Int) -> ManyMessages { ManyMessages(frame: frame(2, zeros, rsv: 4), count: count) }
        return FindingCase(
            "websocket.content-limit",
            [
                "< @5313 websocket.content-limit: the compressed messages became too long to be shown whole; 54304 bytes of this one are shown"
            ], fires: messages(70), nearly: messages(69))
    }
}

/// The same compressed frame many times over: too much to be cut in every way.
private struct ManyMessages: Scene {
    var frame: [UInt8]
    var count: Int

    func play<Sink: ConversationSink & ~Copyable>(_ cutting: Talk.Cutting, into sink: inout Sink) {
        let steps = (0..<count).map { _ in Talk.Step.server(frame) }
        let agreed = WebSocketNegotiation(compression: Upgrade.Compression(serverTakeover: false))
        FrameTalk(steps, agreed).play(cutting, into: &sink)
    }
}
