package import Dissection

/// What `make fuzz` runs: each takes any bytes and says what did not hold. None of them may trap, whatever the bytes.
///
/// They stand here rather than beside the program that libFuzzer drives, so that a test can replay what one found.
package enum Fuzzer: String, CaseIterable, Sendable {
    /// A capture file, read whole and in small pieces.
    case captureFile = "capture-file"
    /// Packets through the whole dissector; `PacketFuzzing` says how the bytes are read.
    case packets
    /// A talk in HTTP/1 and what it is upgraded to; `TalkFuzzing` says how the bytes are read.
    case http1
    /// A talk in WebSocket frames behind a handshake.
    case webSocket = "websocket"
    /// A talk in HTTP/2; `HTTP2Fuzzing` says how the bytes are read.
    case http2
    /// Header blocks of HTTP/2; `HPACKFuzzing` says how the bytes are read.
    case hpack
    /// TLS with keys: key logs, records and whole talks; `DecryptionFuzzing` says how the bytes are read.
    case tls
    /// Payloads in each format; `PayloadFuzzing` says how the bytes are read.
    case payloads

    /// What does not hold for `input`; empty when all is well.
    package func complaints(about input: [UInt8]) -> [String] {
        switch self {
        case .captureFile: CaptureFuzzing.complaints(about: input)
        case .packets: PacketFuzzing.complaints(about: input)
        case .http1: TalkFuzzing.complaints(about: input, isWebSocket: false)
        case .webSocket: TalkFuzzing.complaints(about: input, isWebSocket: true)
        case .http2: HTTP2Fuzzing.complaints(about: input)
        case .hpack: HPACKFuzzing.complaints(about: input)
        case .tls: DecryptionFuzzing.complaints(about: input)
        case .payloads: PayloadFuzzing.complaints(about: input)
        }
    }

    /// Bounds that a few kilobytes of input reach.
    package static var tightLimits: Limits {
        var limits = Limits()
        limits.totalBytes = 256 << 10
        limits.messageBytes = 4 << 10
        limits.outOfOrderBytes = 8 << 10
        limits.headBytes = 2 << 10
        limits.bodyPartBytes = 2 << 10
        limits.pendingRequests = 4
        limits.pendingPings = 4
        limits.roleBytes = 2 << 10
        limits.helloBytes = 2 << 10
        limits.inflatedBytes = 256 << 10
        limits.codedBodyBytes = 256 << 10
        limits.conversations = 4
        return limits
    }
}

/// Walks the bytes that a fuzzer was given; where they end it reads zeros.
struct InputCursor {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func byte() -> UInt8 {
        guard position < bytes.count else { return 0 }
        defer { position += 1 }
        return bytes[position]
    }

    /// A length in two bytes, most significant first.
    mutating func length() -> Int { Int(byte()) << 8 | Int(byte()) }

    /// As many bytes as there are, at most `count`.
    mutating func run(_ count: Int) -> [UInt8] {
        let end = min(bytes.count, position + count)
        defer { position = end }
        return Array(bytes[min(position, end)..<end])
    }
}
