import Dissection
import Support
import Testing

@Suite("Packets with nothing for TCP, and why")
struct SkippedPacketTests {
    private func inIP(_ number: UInt8, _ payload: [UInt8]) -> Decoded {
        decode(Build.ethernet(Build.ipv4(payload, ipProtocol: number)))
    }

    private func inUDP(_ port: UInt16, _ payload: [UInt8]) -> Decoded { inIP(17, Build.udp(to: port, payload)) }

    @Test func protocols() {
        #expect(inIP(1, [8, 0, 0, 0]).skipped == .icmp)
        #expect(inIP(132, []).skipped == .sctp)
        #expect(inIP(2, []).skipped == .ipProtocol)
        #expect(inIP(50, []).skipped == .tunnel)
        #expect(inUDP(53, [1, 2, 3]).skipped == .udp)
        #expect(decode(Build.ethernet(Build.ipv6([], next: 58), type: 0x86DD)).skipped == .icmp)
        #expect(decode(Build.ethernet(Build.ipv6([], next: 59), type: 0x86DD)).skipped == .ipProtocol)
    }

    @Test func links() {
        #expect(decode(Build.ethernet([0, 1], type: 0x0806)).skipped == .arp)
        #expect(decode(Build.ethernet([0, 1], type: 0x88CC)).skipped == .etherType)
        #expect(decode(Build.ethernet([0x42, 0x42, 3, 0], type: 4)).skipped == .linkControl)
        #expect(decode(PacketSample.wireless(control: [0x80, 0]), link: LinkType(rawValue: 105)).skipped == .linkControl)
        #expect(decode(PacketSample.wireless(control: [0x08, 0x41]), link: LinkType(rawValue: 105)).skipped == .tunnel)
        #expect(decode(PacketSample.wireless(control: [0x08, 0x05]), link: LinkType(rawValue: 105)).skipped == .fragment)
        #expect(decode([0xFF, 3, 0xC0, 0x21, 1], link: LinkType(rawValue: 9)).skipped == .linkControl)
        #expect(decode([1, 2, 3], link: LinkType(rawValue: 147)).skipped == .linkType)
    }

    @Test("QUIC by its versions on any port, by the fixed bit on port 443 only")
    func quic() {
        #expect(inUDP(4433, [0xC3, 0, 0, 0, 1, 8]).skipped == .quic)
        #expect(inUDP(4433, [0xC3, 0x6B, 0x33, 0x43, 0xCF]).skipped == .quic)
        // With the fixed bit cleared by agreement (RFC 9287), and what only looks like it.
        #expect(inUDP(4433, [0x83, 0, 0, 0, 1, 8]).skipped == .quic)
        #expect(inUDP(4433, [0x83, 0, 0, 0, 1, 21]).skipped == .udp)
        #expect(inUDP(4433, [0xC3, 0x6B, 0x33, 0x43, 0xCE]).skipped == .udp)
        #expect(inUDP(443, [0x40, 1, 2, 3]).skipped == .quic)
        #expect(inUDP(444, [0x40, 1, 2, 3]).skipped == .udp)
        #expect(inUDP(443, [0x80, 0, 0, 0, 0, 8]).skipped == .quic)
        // A DTLS handshake record.
        #expect(inUDP(443, [0x16, 0xFE, 0xFD, 0, 0]).skipped == .udp)
    }

    @Test("headers that contradict themselves")
    func damaged() {
        var shortHeader = Build.ethernet(ipv4())
        shortHeader[14] = 0x44
        #expect(decode(shortHeader).skipped == .damaged)
        var offset = Build.ethernet(ipv4())
        offset[46] = 0x40
        #expect(decode(offset).skipped == .damaged)
        // A TCP header longer than the packet was.
        offset[46] = 0xF0
        #expect(decode(offset).skipped == .damaged)
        // … and one whose options the capture cut: everything else is known.
        let long = Build.ethernet(Build.ipv4(tcp("hi", options: Array(repeating: 1, count: 40))))
        let cut = decode(Array(long.prefix(60)), originalLength: long.count)
        #expect(cut.payload.isEmpty)
        #expect(cut.segment?.payloadLength == 2)
        #expect(decode(Array(long.prefix(53)), originalLength: long.count).skipped == .truncated)
        #expect(decode(Build.ethernet(Build.ipv4(tcp(), totalLength: 19))).skipped == .damaged)
        #expect(decode(Build.ethernet(Build.ipv4(tcp(), totalLength: 39))).skipped == .damaged)
        #expect(decode(Build.ethernet([0x50] + ipv4().dropFirst())).skipped == .damaged)
        #expect(inIP(17, [0, 1, 0, 2, 0, 7, 0, 0]).skipped == .damaged)
    }

    @Test("nesting ends at sixteen IP headers")
    func nesting() {
        var packet = ipv4()
        for _ in 0..<15 { packet = Build.ipv4(packet, ipProtocol: 4) }
        #expect(decode(Build.ethernet(packet)).text == "hello, world")
        packet = Build.ipv4(packet, ipProtocol: 4)
        #expect(decode(Build.ethernet(packet)).skipped == .tunnel)
        var tagged = ipv4()
        var type: UInt16 = 0x0800
        for _ in 0..<200 {
            tagged = Build.vlan(1, tagged, type: type)
            type = 0x8100
        }
        #expect(decode(Build.ethernet(tagged, type: 0x8100)).skipped == .tunnel)
    }

    @Test("padding is no payload; a length beyond the packet counts as cut")
    func lengths() {
        let padded = Build.ethernet(ipv4("hi"), padded: true)
        #expect(padded.count == 60)
        #expect(decode(padded).text == "hi")
        let longer = decode(Build.ethernet(Build.ipv4(tcp("hi"), totalLength: 1_500)))
        #expect(longer.text == "hi")
        #expect(longer.segment?.payloadLength == 1_460)
        let cut = decode(Build.ethernet(Build.ipv4(tcp("hi"), totalLength: 0)), originalLength: 54 + 9_000)
        #expect(cut.segment?.payloadLength == 9_000)
    }

    @Test("a route not yet travelled: the last stop is the peer")
    func routing() {
        let via = Build.address6(1)
        let last = Build.address6(9)
        let route: [UInt8] = [6, 2, 4, 1, 0, 0, 0, 0] + last
        let packet = Build.ethernet(Build.ipv6(to: via, route + tcp(), next: 43), type: 0x86DD)
        // Two words of eight bytes behind the first: the header says so.
        #expect(decode(packet).segment?.destination.address.low == 9)
        // Type 0 has the last stop last, type 4 first; with no segments left the IPv6 header has it.
        func destination(type: UInt8, left: UInt8) -> UInt64? {
            let list: [UInt8] = [6, 4, type, left, 0, 0, 0, 0] + Build.address6(7) + Build.address6(8)
            return decode(Build.ethernet(Build.ipv6(to: via, list + tcp(), next: 43), type: 0x86DD)).segment?.destination.address.low
        }
        #expect(destination(type: 0, left: 2) == 8)
        #expect(destination(type: 4, left: 1) == 7)
        #expect(destination(type: 4, left: 0) == 1)
    }
}
