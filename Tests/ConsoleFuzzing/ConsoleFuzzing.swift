import NIOCore
import NIOEmbedded
import WebConsole

/// What a client may send to the server of the console. Whatever it is, nothing traps, and these hold:
///
/// - Without the token, or without a name of the console, the response has nothing of the session.
/// - Nothing makes the server say that it failed.
/// - The responses are the same whether the bytes come at once or one by one, up to an upgrade: what the WebSocket sends by itself depends on time.
package enum ConsoleFuzzing: String, CaseIterable, Sendable {
    /// Bytes as they are on the wire: heads, targets, Host, Origin, the token, an upgrade, frames.
    case connection = "console"
    /// What a client says that knows the token, `ConsoleRequests` says how: targets, JSON, filters, places in views, the messages of the WebSocket.
    case requests = "console-requests"

    /// Known to the seeds of `scripts/fuzz_seeds.py`.
    static let token = "0123456789abcdef0123456789abcdef"
    static let port = 8181

    private static let session = Result { try FuzzedSession() }
    /// What every request that gets something has in one of its fields, whatever the case of letters.
    private static let names = ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)"].map { Array($0.utf8) }
    private static let failures = ["HTTP/1.1 500 ", "HTTP/1.1 503 "].map { Array($0.utf8) }
    private static let upgrade = Array("HTTP/1.1 101 ".utf8)

    /// What does not hold for `input`; empty when all is well.
    package func complaints(about input: [UInt8]) -> [String] {
        let session: FuzzedSession
        let input = self == .requests ? ConsoleRequests.bytes(of: input) : input
        do { session = try Self.session.get() } catch { return ["no session: \(error)"] }
        let (whole, single) = (Self.responses(to: input, session, at: 65_536), Self.responses(to: input, session, at: 1))
        var complaints: [String] = []
        if whole != single, !Self.has(whole, Self.upgrade) {
            complaints.append("at once: \(Self.words(whole)), byte by byte: \(Self.words(single))")
        }
        let lowered = input.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        if Self.has(whole, Array(FuzzedSession.secret.utf8)) {
            let shown = "something of the session: \(Self.words(whole))"
            if !Self.has(input, Array(Self.token.utf8)) { complaints.append("without the token, \(shown)") }
            if !Self.names.contains(where: { Self.has(lowered, $0) }) { complaints.append("under another name, \(shown)") }
        }
        for failure in Self.failures where Self.has(whole, failure) { complaints.append("it failed: \(Self.words(whole))") }
        return complaints
    }

    /// Whether requests, in the form of `requests`, get something of the session.
    package static func getsSession(_ requests: String) throws -> Bool {
        let input = ConsoleRequests.bytes(of: Array(requests.utf8))
        return Self.has(Self.responses(to: input, try session.get(), at: 65_536), Array(FuzzedSession.secret.utf8))
    }

    /// What the server sends to a client that sends `input` in pieces of `count` bytes.
    private static func responses(to input: [UInt8], _ session: FuzzedSession, at count: Int) -> [UInt8] {
        let loop = EmbeddedEventLoop()
        let channel = EmbeddedChannel(loop: loop)
        let console = DetachedConsole(session.store, port: port, token: token)
        var sent: [UInt8] = []
        func collect() {
            loop.run()
            while let bytes = try? channel.readOutbound(as: ByteBuffer.self) { sent += bytes.readableBytesView }
        }
        do {
            try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: port)).wait()
            try console.configure(channel)
        } catch {
            return Array("no connection: \(error)".utf8)
        }
        for start in stride(from: 0, to: input.count, by: count) where channel.isActive {
            _ = try? channel.writeInbound(ByteBuffer(bytes: input[start..<min(start + count, input.count)]))
            collect()
        }
        _ = try? channel.finish(acceptAlreadyClosed: true)
        collect()
        // What waits for its time has it, and is gone.
        loop.advanceTime(by: .hours(1))
        collect()
        return sent
    }

    private static func has(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first, bytes.count >= part.count else { return false }
        for start in 0...bytes.count - part.count where bytes[start] == first && bytes[start..<start + part.count].elementsEqual(part) {
            return true
        }
        return false
    }

    private static func words(_ bytes: [UInt8]) -> String {
        "\(bytes.count) bytes \(String(decoding: bytes.prefix(2_000), as: UTF8.self).debugDescription)"
    }
}
