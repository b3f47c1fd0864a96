import Foundation
import Libc
import Support
import Testing

/// Clients that begin something, never finish it, and leave.
@Suite("Memory of unfinished requests", .serialized)
struct PreambleMemoryTests {
    @Test(
        "an unfinished head or ClientHello costs about what it holds, and is given back when its client has left",
        arguments: ["http", "reverse"])
    func unfinished(mode: String) throws {
        #if os(Linux)
        let (clients, size) = (400, 60_000)
        let listener = try LoopbackListener()
        let proxy = try ProxyProcess([
            "--mode", mode == "http" ? mode : "reverse:tls://localhost:\(listener.port)", "--first-bytes-timeout", "60",
        ])
        // What the first clients have it allocate for good.
        for _ in 0..<20 { try LoopbackSocket(port: proxy.port).close() }
        let start = try #require(proxy.residentBytes)
        let beginning: [UInt8] =
            mode == "http"
            ? Array("GET http://localhost/ HTTP/1.1\r\nX-Long: ".utf8)
            // Four records of a ClientHello that would have 0xF000 bytes.
            : [22, 3, 1, 0x3F, 0xFC, 1, 0, 0xF0, 0, 3, 3]
        let rest = [UInt8](repeating: 22, count: (mode == "http" ? size : 0x3FFC - 6 - 100))
        var sockets = try (0..<clients).map { _ in try LoopbackSocket(port: proxy.port) }
        for socket in sockets { try socket.send(beginning + rest) }
        let held = clients * (beginning.count + rest.count)
        let taken = Self.settled {
            proxy.residentBytes.map { $0 - start } ?? 0
        } until: {
            $0 > held * 9 / 10
        }
        // Of ClientHellos the bytes are kept beside the message.
        #expect(taken < held * (mode == "http" ? 13 : 23) / 10 + clients * 40_000, "\(taken) of \(held)")
        sockets = []
        var left = Int.max
        // Memory is given back after the last that was heard; what a thread frees behind that goes when somebody has come again.
        for _ in 0..<3 where left >= Self.mostLeft {
            try LoopbackSocket(port: proxy.port).close()
            left = Self.settled {
                proxy.residentBytes.map { $0 - start } ?? 0
            } until: {
                $0 < Self.mostLeft
            }
        }
        #expect(left < Self.mostLeft, "\(left) are left of \(taken)")
        #endif
    }

    /// Bytes that may stay after the clients have left: pages of the allocator that something small still lies in, of which there are more where
    /// the loops take turns with other programs.
    private static let mostLeft = 15 << 20

    /// Looks until it is so, for ten seconds; what was seen last.
    private static func settled(_ look: () -> Int, until isSo: (Int) -> Bool) -> Int {
        let deadline = Date(timeIntervalSinceNow: 10)
        var seen = look()
        while !isSo(seen), Date() < deadline {
            // Memory that is given back tells nobody.
            poll(nil, 0, 20)
            seen = look()
        }
        return seen
    }
}
