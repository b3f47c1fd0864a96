import Dissection
import Support
import Testing

/// The process that a capture of macOS names beside a packet stands in the opening of the conversation.
@Suite struct PacketProcessTests {
    /// The processes of openings, as `name pid`.
    private struct Openings: ConversationSink {
        var processes: [String] = []

        mutating func receive(_ event: borrowing ConversationEvent) {
            guard case .opened(let opening) = event.fact else { return }
            var name: [UInt8] = []
            name.append(copying: event.bytes(opening.processName))
            processes.append("\(String(decoding: name, as: UTF8.self)) \(opening.processIdentifier.map { "\($0)" } ?? "-")")
        }
    }

    /// struct pktap_header (bsd/net/pktap.h of XNU), as long as it was at first or cut.
    private func header(_ name: String, _ identifier: UInt32, length: Int = 108) -> [UInt8] {
        var bytes =
            little(UInt32(length)) + little(1 as UInt32) + little(1 as UInt32) + Array("en0".utf8) + [UInt8](repeating: 0, count: 21)
        bytes += [UInt8](repeating: 0, count: 16) + little(identifier) + Array(name.utf8)
        bytes += [UInt8](repeating: 0, count: max(0, 156 - bytes.count))
        return Array(bytes[..<length])
    }

    private func opened(_ packets: [[UInt8]], link: UInt32 = 258) -> [String] {
        var dissector = Dissector(seed: 1)
        var sink = Openings()
        for (index, bytes) in packets.enumerated() {
            dissector.receive(
                CapturedPacket(
                    number: UInt64(index + 1), time: nil, linkType: LinkType(rawValue: link), originalLength: UInt32(bytes.count),
                    bytes: bytes.rawBytes), sink: &sink)
        }
        dissector.finish(sink: &sink)
        return sink.processes
    }

    private func syn(from port: UInt16) -> [UInt8] { Build.ethernet(Build.ipv4(Build.tcp(from: port, flags: 2))) }

    @Test func `a header of pktap names the process, of a SYN and from the middle on`() {
        #expect(opened([header("curl", 711) + syn(from: 1_000)]) == ["curl 711"])
        #expect(opened([header("curl", 711, length: 156) + syn(from: 1_000)]) == ["curl 711"])
        #expect(opened([header("Messages", 402) + Build.ethernet(ipv4())]) == ["Messages 402"])
        #expect(opened([header("Messages", 402) + Build.ethernet(Build.ipv4(tcp("")))]) == ["Messages 402"])
    }

    @Test func `the first packet of a conversation counts, each conversation has its own`() {
        let packets = [
            header("one", 1) + syn(from: 1_000), header("two", 2) + syn(from: 1_001), header("", .max) + syn(from: 1_002),
            header("three", 3) + syn(from: 1_000), header("four", 4) + syn(from: 1_003),
        ]
        #expect(opened(packets) == ["one 1", "two 2", " -", "four 4"])
    }

    @Test func `a short header and one without process name none`() {
        #expect(opened([header("", 0, length: 12) + syn(from: 1_000)]) == [" -"])
        #expect(opened([header("curl", 711, length: 75) + syn(from: 1_000)]) == [" -"])
        #expect(opened([header("curl", 711, length: 76) + syn(from: 1_000)]) == ["curl 711"])
        #expect(opened([header("", .max) + syn(from: 1_000)]) == [" -"])
        #expect(opened([header("kernel_task", 0) + syn(from: 1_000)]) == ["kernel_task 0"])
        #expect(opened([header("nameless", .max) + syn(from: 1_000)]) == ["nameless -"])
    }

    @Test func `a header that the capture cut is truncated, one that is longer than its packet damaged`() {
        let packet = header("curl", 711) + syn(from: 1_000)
        #expect(decode(Array(packet[..<100]), link: LinkType(rawValue: 258), originalLength: packet.count).skipped == .truncated)
        #expect(decode(Array(packet[..<100]), link: LinkType(rawValue: 258)).skipped == .damaged)
        #expect(opened([Array(packet[..<100])]).isEmpty)
    }

    @Test func `the number of Apple's DLT_USER2 is not taken for pktap`() {
        #expect(opened([header("curl", 711) + syn(from: 1_000)], link: 149).isEmpty)
    }

    @Test func `a name is cut at 16 bytes, not in the middle of a character`() {
        func name(_ text: String) -> String? {
            PacketProcess(identifier: 1, name: Array(text.utf8).rawBytes).map { String(decoding: $0.name, as: UTF8.self) }
        }
        #expect(name("sixteen bytes ok") == "sixteen bytes ok")
        #expect(name("seventeen bytes !") == "seventeen bytes ")
        #expect(name("fifteen bytes..é") == "fifteen bytes..")
        #expect(name("fourteen byte.é") == "fourteen byte.é")
        #expect(name("up to\0here") == "up to")
        #expect(PacketProcess(identifier: 0, name: RawSpan()) == nil)
    }
}
