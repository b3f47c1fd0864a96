import CaptureFiles
import Foundation
import Libc
import Support

import Testing

/// A proxy that is killed under load: what it has written stands whole.
@Suite(.serialized) struct KilledProxyTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-killed-\(UUID().uuidString)")

    /// Starts a proxy in front of `port`; gives it and the port that it listens at.
    private func start(before port: UInt16) throws -> (process: Process, port: UInt16) {
        let log = folder.appendingPathComponent("log").path
        FileManager.default.createFile(atPath: log, contents: nil)
        let process = Process()
        process.executableURL = UnmaskProcess.executable
        process.arguments = [
            "proxy", "--listen", "127.0.0.1:0", "--mode", "reverse:tcp://127.0.0.1:\(port)", "--format", "ndjson", "-w",
            folder.appendingPathComponent("talk.pcapng").path,
        ]
        let said = Pipe()
        process.standardError = said
        process.standardOutput = try #require(FileHandle(forWritingAtPath: log))
        try process.run()
        let line = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
        let found = try #require(line.firstMatch(of: /127\.0\.0\.1:(\d+)/), "\(line)")
        return (process, try #require(UInt16(found.1)))
    }

    /// Waits until so many records are there: on a busy machine the recorder comes later than the relay.
    private func awaitRecords(_ count: Int) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while try Data(contentsOf: folder.appendingPathComponent("log")).count(where: { $0 == 0x0A }) < count {
            try #require(ContinuousClock.now < deadline, "nothing is recorded")
            poll(nil, 0, 5)
        }
    }

    @Test func `each line and each block stands whole, whenever the proxy is killed`() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for rounds in [50, 400, 1_000, 2_500, 6_000] {
            let server = try StreamSocket.listening()
            let (process, port) = try start(before: try server.port)
            defer { process.terminate() }
            let client = try StreamSocket.connected(to: port)
            let peer = try server.accepted()
            for round in 0..<rounds { try #require(client.send("message \(round)\n") && peer.receive()) }
            try awaitRecords(2)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let log = try Data(contentsOf: folder.appendingPathComponent("log"))
            #expect(log.last == 0x0A, "\(rounds) rounds")
            for line in log.split(separator: 0x0A) { _ = try JSONSerialization.jsonObject(with: line) }
            var reader = try CaptureReader(path: folder.appendingPathComponent("talk.pcapng").path)
            var packets = 0
            while let item = try reader.next() { if case .packet = item { packets += 1 } }
            // What came before the last moments is there.
            #expect(packets >= 3 && log.split(separator: 0x0A).count >= 2)
        }
    }
}

/// One end of a connection over loopback, by hand.
private final class StreamSocket {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static func make() throws -> Int32 {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        // Nothing here takes longer than ten seconds.
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        try #require(descriptor >= 0)
        return descriptor
    }

    private static func withLoopback(_ port: UInt16, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32) throws -> UInt16 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
        }
        try #require(status == 0)
        return UInt16(bigEndian: address.sin_port)
    }

    static func listening() throws -> StreamSocket {
        let socket = StreamSocket(try make())
        _ = try withLoopback(0) { bind(socket.descriptor, $0, $1) == 0 ? listen(socket.descriptor, 4) : -1 }
        return socket
    }

    static func connected(to port: UInt16) throws -> StreamSocket {
        let socket = StreamSocket(try make())
        _ = try withLoopback(port) { connect(socket.descriptor, $0, $1) }
        return socket
    }

    var port: UInt16 {
        get throws { try StreamSocket.withLoopback(0) { getsockname(descriptor, $0, &$1) } }
    }

    func accepted() throws -> StreamSocket {
        let peer = accept(descriptor, nil, nil)
        try #require(peer >= 0)
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        return StreamSocket(peer)
    }

    func send(_ text: String) -> Bool { text.utf8CString.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count - 1) } > 0 }

    /// Takes what has come, after a wait for it.
    func receive() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        return read(descriptor, &bytes, bytes.count) > 0
    }
}
