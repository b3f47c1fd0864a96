import Dissection
import LiveCapture
import Testing

/// BPF expressions on packets from files.
struct PacketFilterTests {
    /// An IPv4 packet with a TCP segment to the port.
    private func segment(to port: UInt16) -> [UInt8] {
        var bytes: [UInt8] = [0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
        bytes += [0xC0, 0x00, UInt8(port >> 8), UInt8(port & 0xFF)] + [UInt8](repeating: 0, count: 16)
        return bytes
    }

    private func accepts(_ filter: inout PacketFilter, _ linkType: LinkType, _ bytes: [UInt8]) throws -> Bool {
        let packet = CapturedPacket(
            number: 1, time: nil, linkType: linkType, originalLength: UInt32(bytes.count), bytes: bytes.rawBytes)
        return try filter.accepts(packet)
    }

    @Test("One expression, compiled anew for each link type")
    func severalLinkTypes() throws {
        var filter = try PacketFilter("tcp dst port 8080")
        let ether = [UInt8](repeating: 2, count: 12) + [8, 0]
        for _ in 0..<2 {
            #expect(try accepts(&filter, .ethernet, ether + segment(to: 8080)))
            #expect(try !accepts(&filter, .ethernet, ether + segment(to: 8081)))
            #expect(try accepts(&filter, .raw, segment(to: 8080)))
            #expect(try !accepts(&filter, .raw, segment(to: 80)))
            #expect(try accepts(&filter, .null, [2, 0, 0, 0] + segment(to: 8080)))
            #expect(try !accepts(&filter, .raw, []))
        }
    }

    @Test func expressionsThatDoNotCompile() throws {
        do {
            _ = try PacketFilter("tcp port port")
            Issue.record("it compiled")
        } catch {
            #expect(error.kind == .badFilter)
            #expect(error.description.contains("\"tcp port port\" does not compile"))
            #expect(error.description.contains("syntax error"))
        }
        var filter = try PacketFilter("ether host 02:02:02:02:02:02")
        do {
            _ = try accepts(&filter, .raw, segment(to: 1))
            Issue.record("it compiled")
        } catch let error as LiveCaptureError {
            #expect(error.kind == .badFilter)
            #expect(error.description.contains("link type RAW"))
        }
    }
}
