internal import Libc

/// A socket that listens on loopback, and one exchange with it: both ends by hand, so that a capture has something to see.
package final class LoopbackServer {
    package struct Failure: Error { package var step: String }

    package let port: UInt16
    private let listening: Int32

    package init() throws {
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #else
        let type = Int32(SOCK_STREAM.rawValue)
        #endif
        let socket = socket(AF_INET, type, 0)
        listening = socket
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
                bind(socket, plain, length) == 0 && listen(socket, 4) == 0 && getsockname(socket, plain, &length) == 0
            }
        }
        guard socket >= 0, bound else { throw Failure(step: "listen") }
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(listening) }

    /// Connects, sends the request from one end and the answer from the other, and closes both.
    package func exchange(_ request: String, _ answer: String) throws {
        #if canImport(Darwin)
        let client = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(client) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else { throw Failure(step: "connect") }
        let server = accept(listening, nil, nil)
        guard server >= 0 else { throw Failure(step: "accept") }
        defer { close(server) }
        try pass(request, from: client, to: server)
        try pass(answer, from: server, to: client)
    }

    private func pass(_ text: String, from sender: Int32, to receiver: Int32) throws {
        let bytes = Array(text.utf8)
        guard write(sender, bytes, bytes.count) == bytes.count else { throw Failure(step: "write") }
        var received = 0
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while received < bytes.count {
            let count = read(receiver, &buffer, buffer.count)
            guard count > 0 else { throw Failure(step: "read") }
            received += count
        }
    }
}
