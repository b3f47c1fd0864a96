import CaptureFiles
import Dissection
import Foundation
import LiveCapture
import Testing

/// Listening to the loopback interface while this test talks over it.
@Suite(.serialized)
struct LiveInterfaceTests {
    private static let loopback = (try? NetworkInterface.all())?.first { $0.isLoopback && $0.isUp }?.name

    /// Whether this process has the right to capture; says that the test is skipped where it has not.
    private static func mayListen(to name: String) -> Bool {
        do {
            _ = try LiveInterface(name: name)
            return true
        } catch {
            guard error.kind == .notPermitted else { return true }
            print("skipped: \(error.description)")
            return false
        }
    }

    /// A TCP connection over loopback from this process to itself, on which `text` is sent.
    private struct Exchange {
        let listener: Int32
        let port: UInt16

        init?() {
            listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let listener = listener
            let bound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &length) == 0
                }
            }
            guard bound else { return nil }
            port = UInt16(bigEndian: address.sin_port)
        }

        func send(_ text: String) {
            let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            address.sin_port = port.bigEndian
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            let server = accept(listener, nil, nil)
            _ = write(client, text, text.utf8.count)
            close(client)
            var rest = [UInt8](repeating: 0, count: 256)
            while read(server, &rest, rest.count) > 0 {}
            close(server)
            close(listener)
        }
    }

    @Test func whatIsSaidOverLoopback() throws {
        guard let name = Self.loopback, let exchange = Exchange() else {
            print("skipped: no loopback interface to listen to")
            return
        }
        guard Self.mayListen(to: name) else { return }
        var live = try LiveInterface(name: name, filter: "tcp port \(exchange.port)")
        let linkType = live.linkType
        let before = Int64(Date().timeIntervalSince1970) * 1_000_000_000
        exchange.send("said over loopback")
        var numbers: [UInt64] = []
        var heard = false
        // SYN, SYN-ACK, ACK, data, ACK, FIN, FIN: seven packets or a few less; silence for two seconds is the end.
        var silences = 0
        while silences < 20 && !(heard && numbers.count >= 6) {
            guard let packet = try live.next(waitingMilliseconds: 100) else {
                silences += 1
                continue
            }
            numbers.append(packet.number)
            var bytes: [UInt8] = []
            bytes.append(copying: packet.bytes)
            if bytes.suffix(18) == Array("said over loopback".utf8)[...] { heard = true }
            #expect(packet.linkType == linkType)
            #expect(Int(packet.originalLength) == bytes.count)
            #expect((packet.time?.nanoseconds ?? 0) >= before)
        }
        #expect(heard)
        #expect(numbers == Array(1...UInt64(numbers.count)))
        #expect((live.statistics()?.received ?? 0) >= 6)
        #expect(live.statistics()?.droppedBySystem == 0)
    }

    @Test func interfacesThatAreNotThere() {
        do {
            _ = try LiveInterface(name: "nosuch0")
            Issue.record("it listens")
        } catch {
            guard error.kind != .notPermitted else {
                print("skipped: \(error.description)")
                return
            }
            #expect(error.kind == .noSuchInterface)
            #expect(error.description.hasPrefix("there is no interface nosuch0; there are "))
            if let name = Self.loopback { #expect(error.description.contains(name)) }
        }
    }

    @Test func filtersThatDoNotCompile() {
        guard let name = Self.loopback else { return }
        do {
            _ = try LiveInterface(name: name, filter: "port port")
            Issue.record("it listens")
        } catch {
            guard error.kind != .notPermitted else { return }
            #expect(error.kind == .badFilter)
            #expect(error.description.contains("syntax error"))
        }
    }
}
