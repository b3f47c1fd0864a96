package import Dispatch
internal import Foundation
internal import Libc

/// One end of a TCP connection on loopback, driven by hand. Each call that waits gives up after `patience` seconds and throws.
package final class LoopbackSocket {
    package struct Failure: Error, CustomStringConvertible {
        package var step: String
        package var number: Int32

        package var description: String { "\(step): \(String(cString: strerror(number)))" }
    }

    /// How the other side ended what it sends.
    package enum Ending: Equatable { case finished, reset }

    /// Seconds until something that does not come is given up.
    package static let patience = 20

    let descriptor: Int32
    private var isClosed = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
        // The tests' bytes go at once, so that each write is a segment of its own.
        Self.set(descriptor, IPPROTO_TCP.asInt32, TCP_NODELAY, Int32(1))
        Self.set(descriptor, SOL_SOCKET, SO_RCVTIMEO, timeval(tv_sec: Self.patience, tv_usec: 0))
        Self.set(descriptor, SOL_SOCKET, SO_SNDTIMEO, timeval(tv_sec: Self.patience, tv_usec: 0))
    }

    /// Connects to a port of 127.0.0.1.
    package convenience init(port: UInt16) throws {
        let descriptor = Self.makeSocket()
        guard descriptor >= 0 else { throw Failure(step: "socket", number: errno) }
        guard Self.withLoopback(port, { connect(descriptor, $0, $1) }) == 0 else {
            let number = errno
            _ = Self.systemClose(descriptor)
            throw Failure(step: "connect", number: number)
        }
        self.init(descriptor: descriptor)
    }

    deinit { close() }

    // MARK: What it does

    /// Sends all of it.
    package func send(_ bytes: [UInt8]) throws { try Self.send(bytes, to: descriptor) }

    /// Sends it so many times by a thread of its own, for more than the way can hold while nobody reads.
    ///
    /// - Returns: signalled when all is sent, or the other side is gone. Wait for it before the socket is closed.
    package func sendAside(_ bytes: [UInt8], times: Int) -> DispatchSemaphore {
        let isSent = DispatchSemaphore(value: 0)
        let descriptor = descriptor
        Thread {
            for _ in 0..<times where (try? Self.send(bytes, to: descriptor)) == nil { break }
            isSent.signal()
        }.start()
        return isSent
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { systemSend(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw Failure(step: "send", number: errno) }
            sent += count
        }
    }

    package func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Ends its own direction with a FIN; the other one stays open.
    package func finish() { _ = shutdown(descriptor, Self.writing) }

    /// Ends both directions with a RST.
    package func reset() {
        Self.set(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
        close()
    }

    package func close() {
        guard !isClosed else { return }
        isClosed = true
        _ = Self.systemClose(descriptor)
    }

    // MARK: What it sees

    /// Exactly so many bytes; fewer where the other side ends before.
    package func receive(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8]()
        bytes.reserveCapacity(count)
        var buffer = [UInt8](repeating: 0, count: min(max(count, 1), 1 << 16))
        while bytes.count < count {
            let received = recv(descriptor, &buffer, min(buffer.count, count - bytes.count), 0)
            guard received >= 0 else { throw Failure(step: "receive, \(bytes.count) of \(count) bytes came", number: errno) }
            if received == 0 { break }
            bytes += buffer[..<received]
        }
        return bytes
    }

    /// What is there, once something is; nothing where the other side has ended.
    package func receiveSome() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let received = recv(descriptor, &buffer, buffer.count, 0)
        guard received >= 0 else { throw Failure(step: "receive", number: errno) }
        return Array(buffer[..<received])
    }

    /// A head of HTTP to its empty line, and not one byte more.
    package func receiveHead() throws -> String {
        var head = [UInt8]()
        while !head.suffix(4).elementsEqual([0x0D, 0x0A, 0x0D, 0x0A]) {
            let byte = try receive(1)
            if byte.isEmpty || head.count > 1 << 16 { break }
            head += byte
        }
        return String(decoding: head, as: UTF8.self)
    }

    /// What comes until the other side ends, and how it does.
    package func receiveToTheEnd() throws -> (bytes: [UInt8], ending: Ending) {
        var bytes = [UInt8]()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let received = recv(descriptor, &buffer, buffer.count, 0)
            if received == 0 { return (bytes, .finished) }
            if received < 0 {
                guard errno == ECONNRESET else { throw Failure(step: "receive to the end", number: errno) }
                return (bytes, .reset)
            }
            bytes += buffer[..<received]
        }
    }

    /// Whether nothing has come, and nothing comes within so many milliseconds.
    package func isSilent(milliseconds: Int32) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return Self.systemPoll(&poll, 1, milliseconds) == 0
    }

    // MARK: The system's calls, some of which share a name with a method here

    static func makeSocket() -> Int32 {
        #if canImport(Darwin)
        return socket(AF_INET, SOCK_STREAM, 0)
        #else
        return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    static func withLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }

    static func set<Value>(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Value) {
        withUnsafePointer(to: value) { _ = setsockopt(descriptor, level, option, $0, socklen_t(MemoryLayout<Value>.size)) }
    }

    static let writing = Int32(SHUT_WR)
    static let systemClose = Libc.close
    static let systemPoll = Libc.poll
    private static let systemSend = Libc.send
}

extension BinaryInteger {
    /// `IPPROTO_TCP` is an `Int` here and an `Int32` there.
    fileprivate var asInt32: Int32 { Int32(truncatingIfNeeded: self) }
}

/// A socket that listens on a free port of 127.0.0.1.
package final class LoopbackListener {
    package let port: UInt16
    private let descriptor: Int32

    package init() throws {
        let descriptor = LoopbackSocket.makeSocket()
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = LoopbackSocket.withLoopback(0) { bind(descriptor, $0, $1) } == 0 && listen(descriptor, 64) == 0
        let named = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard descriptor >= 0, bound, named else { throw LoopbackSocket.Failure(step: "listen", number: errno) }
        self.descriptor = descriptor
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { _ = LoopbackSocket.systemClose(descriptor) }

    /// The next connection.
    package func accept() throws -> LoopbackSocket {
        guard isDialled(within: LoopbackSocket.patience * 1_000) else { throw LoopbackSocket.Failure(step: "accept", number: ETIMEDOUT) }
        let accepted = Libc.accept(descriptor, nil, nil)
        guard accepted >= 0 else { throw LoopbackSocket.Failure(step: "accept", number: errno) }
        return LoopbackSocket(descriptor: accepted)
    }

    /// Whether somebody dials within so many milliseconds.
    package func isDialled(within milliseconds: Int) -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return LoopbackSocket.systemPoll(&poll, 1, Int32(milliseconds)) > 0
    }
}
