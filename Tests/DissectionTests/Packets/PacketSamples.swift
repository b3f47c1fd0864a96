import Dissection
import Support

/// One packet of every wrapping that is read, each around the segment "hello, world".
struct PacketSample: CustomStringConvertible, Sendable {
    var description: String
    var link: LinkType
    var bytes: [UInt8]

    init(_ description: String, _ link: UInt32, _ bytes: [UInt8]) {
        self.description = description
        self.link = LinkType(rawValue: link)
        self.bytes = bytes
    }

    private static func eth(_ name: String, _ type: UInt16, _ payload: [UInt8]) -> PacketSample {
        PacketSample(name, 1, Build.ethernet(payload, type: type))
    }

    private static func inIP(_ name: String, _ number: UInt8, _ payload: [UInt8]) -> PacketSample {
        eth(name, 0x0800, Build.ipv4(from: 1, to: 2, payload, ipProtocol: number))
    }

    private static func inUDP(_ name: String, _ port: UInt16, _ payload: [UInt8]) -> PacketSample {
        inIP(name, 17, Build.udp(to: port, payload))
    }

    static let snap: [UInt8] = [0xAA, 0xAA, 3, 0, 0, 0, 8, 0]
    static let addresses18 = [UInt8](repeating: 2, count: 18)

    /// An 802.11 data frame: control, duration, three addresses, sequence control.
    static func wireless(control: [UInt8] = [0x08, 0x01], extra: [UInt8] = [], _ body: [UInt8] = snap + ipv4()) -> [UInt8] {
        control + [0, 0] + addresses18 + [0x10, 0] + extra + body
    }

    static let all: [PacketSample] = links + internet + tunnels

    static let links: [PacketSample] = [
        eth("Ethernet", 0x0800, ipv4()),
        eth("Ethernet, IPv6", 0x86DD, ipv6()),
        eth("Ethernet, TCP options", 0x0800, Build.ipv4(tcp(options: Array(repeating: 1, count: 12)))),
        eth("802.3 with SNAP", UInt16(snap.count + ipv4().count), snap + ipv4()),
        eth("VLAN", 0x8100, Build.vlan(7, ipv4())),
        eth("VLAN, 802.3 with SNAP", 0x8100, Build.vlan(7, snap + ipv4(), type: UInt16(snap.count + ipv4().count))),
        eth("QinQ", 0x88A8, Build.vlan(7, Build.vlan(8, ipv6(), type: 0x86DD), type: 0x8100)),
        eth("QinQ, old", 0x9100, Build.vlan(7, Build.vlan(8, ipv4()), type: 0x8100)),
        PacketSample("Linux cooked", 113, [0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 8, 0] + ipv4()),
        PacketSample("Linux cooked, LLC", 113, [0, 0, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0, 0, 4] + snap + ipv4()),
        PacketSample("Linux cooked 2", 276, [0x86, 0xDD, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 1, 2, 3, 4, 5, 6, 0, 0] + ipv6()),
        PacketSample("raw", 101, ipv4()), PacketSample("raw, IPv6", 101, ipv6()),
        PacketSample("raw IPv4", 228, ipv4()), PacketSample("raw IPv6", 229, ipv6()),
        PacketSample("null, little-endian", 0, [2, 0, 0, 0] + ipv4()),
        PacketSample("null, big-endian", 0, [0, 0, 0, 2] + ipv4()),
        PacketSample("null, IPv6 of Linux", 0, [10, 0, 0, 0] + ipv6()),
        PacketSample("null, IPv6 of OpenBSD", 0, [24, 0, 0, 0] + ipv6()),
        PacketSample("null, IPv6 of FreeBSD", 0, [0, 0, 0, 28] + ipv6()),
        PacketSample("null, IPv6 of Darwin", 0, [30, 0, 0, 0] + ipv6()),
        PacketSample("loop", 108, [0, 0, 0, 2] + ipv4()),
        PacketSample("PPP", 9, [0xFF, 3, 0, 0x21] + ipv4()),
        PacketSample("PPP, compressed", 9, [0x57] + ipv6()),
        PacketSample("PPP, serial", 50, [0xFF, 3, 0, 0x57] + ipv6()),
        PacketSample("PPP, serial, Cisco", 50, [0x0F, 0, 8, 0] + ipv4()),
        PacketSample("PPP, Cisco all the same", 9, [0x8F, 0, 8, 0] + ipv4()),
        PacketSample("PPP, direction", 166, [1, 3, 0, 0x21] + ipv4()),
        PacketSample("PPPoE", 51, [0x11, 0, 0, 9] + Build.bytes(UInt16(2 + ipv4().count)) + [0, 0x21] + ipv4()),
        eth("PPPoE in Ethernet", 0x8864, [0x11, 0, 0, 9] + Build.bytes(UInt16(2 + ipv4().count)) + [0, 0x21] + ipv4()),
        PacketSample("Cisco HDLC", 104, [0x0F, 0, 8, 0] + ipv4()),
        PacketSample("802.11", 105, wireless()),
        PacketSample("802.11, four addresses", 105, wireless(control: [0x08, 0x03], extra: [1, 2, 3, 4, 5, 6])),
        PacketSample("802.11, QoS", 105, wireless(control: [0x88, 0x01], extra: [0, 0])),
        PacketSample("802.11, QoS and HT", 105, wireless(control: [0x88, 0x81], extra: [0, 0, 1, 2, 3, 4])),
        PacketSample(
            "802.11, A-MSDU", 105,
            wireless(
                control: [0x88, 0x01], extra: [0x80, 0],
                [UInt8](repeating: 3, count: 12) + Build.bytes(UInt16((snap + ipv4()).count)) + snap + ipv4())),
        PacketSample("radiotap", 127, [0, 0] + little(8 as UInt16) + [0, 0, 0, 0] + wireless()),
        PacketSample(
            "radiotap, check sequence and padding", 127,
            [0, 0] + little(25 as UInt16) + little(0x8000_0003 as UInt32) + [0, 0, 0, 0, 0, 0, 0, 0]
                + [1, 2, 3, 4, 5, 6, 7, 8] + [0x30]
                + wireless(control: [0x88, 0x01], extra: [0, 0, 0, 0]) + [9, 9, 9, 9]),
        PacketSample("Prism", 119, [0x44, 0, 0, 0] + little(144 as UInt32) + [UInt8](repeating: 0, count: 136) + wireless()),
        PacketSample("AVS", 163, [0x80, 0x21, 0x10, 1, 0, 0, 0, 64] + [UInt8](repeating: 0, count: 56) + wireless()),
        PacketSample("AVS as Prism", 119, [0x80, 0x21, 0x10, 1, 0, 0, 0, 64] + [UInt8](repeating: 0, count: 56) + wireless()),
        PacketSample("PPI", 192, [0, 0] + little(12 as UInt16) + little(105 as UInt32) + [1, 2, 3, 4] + wireless()),
        PacketSample(
            "NFLOG", 239,
            [2, 0, 0, 0] + little(5 as UInt16) + little(10 as UInt16) + [0, 0, 0, 0]
                + little(UInt16(4 + ipv4().count)) + little(9 as UInt16) + ipv4()),
        PacketSample(
            "NFLOG, big-endian", 239, [10, 0, 0, 0] + Build.bytes(UInt16(4 + ipv6().count)) + [0, 9] + ipv6()),
        PacketSample(
            "NFLOG, bridge", 239,
            [7, 0, 0, 0] + little(8 as UInt16) + little(1 as UInt16) + [0x86, 0xDD, 3, 0]
                + little(UInt16(4 + ipv6().count)) + little(9 as UInt16) + ipv6()),
        PacketSample(
            "NFLOG, bridge, big-endian", 239,
            [7, 0, 0, 0] + [0, 8, 0, 1, 8, 0, 3, 0] + Build.bytes(UInt16(4 + ipv4().count)) + [0, 9] + ipv4()),
        PacketSample("FDDI", 10, [0x54] + [UInt8](repeating: 2, count: 12) + snap + ipv4()),
        PacketSample("FDDI, synchronous", 10, [0xD0] + [UInt8](repeating: 2, count: 12) + snap + ipv4()),
        PacketSample("Token Ring", 6, [0x10, 0x40] + [UInt8](repeating: 2, count: 12) + snap + ipv4()),
        PacketSample(
            "Token Ring, routed", 6,
            [0x10, 0x40] + [2, 2, 2, 2, 2, 2, 0x82, 2, 2, 2, 2, 2] + [6, 0x30, 1, 2, 3, 4] + snap + ipv4()),
        PacketSample("ARCNET, RFC 1051", 129, [1, 2, 0, 0, 0xF0] + ipv4()),
        PacketSample("ARCNET, RFC 1201", 129, [1, 2, 0, 0, 0xD4, 0, 1, 2] + ipv4()),
        PacketSample("ARCNET, exception", 129, [1, 2, 0, 0, 0xD4, 0xFF, 0xFF, 0xFF, 0xD4, 0, 1, 2] + ipv4()),
        PacketSample("ARCNET, BSD", 7, [1, 2, 0xD4, 0, 1, 2] + ipv4()),
        PacketSample("IP over InfiniBand", 242, [UInt8](repeating: 7, count: 40) + [8, 0, 0, 0] + ipv4()),
        PacketSample("IP over InfiniBand, snoop", 0x1_0000 + 26, [0x86, 0xDD, 0, 0] + ipv6()),
        PacketSample("Juniper", 178, [0x4D, 0x47, 0x43, 0x80, 0, 3, 1, 1, 1] + Build.ethernet(ipv4())),
        PacketSample("Juniper, no extensions", 178, [0x4D, 0x47, 0x43, 0x01] + Build.ethernet(ipv4())),
        PacketSample(
            "Network Monitor, 802.11", 0x2_0000 + 6, [2] + little(32 as UInt16) + [UInt8](repeating: 0, count: 29) + wireless()),
        PacketSample("pktap", 258, little(12 as UInt32) + little(1 as UInt32) + little(1 as UInt32) + Build.ethernet(ipv4())),
    ]

    static let internet: [PacketSample] = [
        eth("IPv4 options", 0x0800, Build.ipv4(tcp(), options: [1, 1, 1, 0])),
        eth("IPv4 length 0", 0x0800, Build.ipv4(tcp(), totalLength: 0)),
        eth("IPv6 length 0", 0x86DD, Build.ipv6(tcp(), payloadLength: 0)),
        eth(
            "IPv6 jumbogram", 0x86DD,
            Build.ipv6([6, 0, 0xC2, 4] + Build.bytes(UInt32(8 + tcp().count)) + tcp(), next: 0, payloadLength: 0)),
        eth(
            "IPv6 hop-by-hop, destination, routing", 0x86DD,
            Build.ipv6(
                [60, 0, 1, 4, 0, 0, 0, 0] + [43, 1, 1, 12] + [UInt8](repeating: 0, count: 12) + [6, 0, 9, 0, 0, 0, 0, 0] + tcp(), next: 0)),
        eth("IPv6 atomic fragment", 0x86DD, Build.ipv6(Build.fragment6(tcp(), offset: 0, hasMore: false), next: 44)),
        eth("IPv6 AH", 0x86DD, Build.ipv6([6, 4] + [UInt8](repeating: 0, count: 22) + tcp(), next: 51)),
        inIP("AH", 51, [4, 4] + [UInt8](repeating: 0, count: 22) + ipv4()),
    ]

    static let tunnels: [PacketSample] = [
        inIP("IP in IP", 4, ipv4()),
        inIP("6in4", 41, ipv6()),
        eth("IPv4 in IPv6", 0x86DD, Build.ipv6(ipv4(), next: 4)),
        inIP("GRE", 47, [0, 0, 8, 0] + ipv4()),
        inIP("GRE, checksum, key, sequence", 47, [0xB0, 0, 0x86, 0xDD, 1, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 1] + ipv6()),
        inIP("GRE, Ethernet", 47, [0x20, 0, 0x65, 0x58, 0, 0, 5, 1] + Build.ethernet(ipv4())),
        inIP("ERSPAN I", 47, [0, 0, 0x88, 0xBE] + Build.ethernet(ipv4())),
        inIP("ERSPAN II", 47, [0x10, 0, 0x88, 0xBE, 0, 0, 0, 1] + [0x10, 1, 0, 1, 0, 0, 0, 0] + Build.ethernet(ipv4())),
        inIP(
            "ERSPAN III", 47,
            [0x10, 0, 0x22, 0xEB, 0, 0, 0, 1] + [0x20, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + Build.ethernet(ipv4())),
        inIP("PPTP", 47, [0x30, 0x81, 0x88, 0x0B, 0, 60, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1] + [0xFF, 3, 0, 0x21] + ipv4()),
        inIP("MikroTik", 47, [0x20, 1, 0x64, 0, 0, 66, 5, 0] + Build.ethernet(ipv4())),
        inIP("EtherIP", 97, [0x30, 0] + Build.ethernet(ipv4())),
        inUDP("VXLAN", 4789, [8, 0, 0, 0, 0, 0, 5, 0] + Build.ethernet(ipv4())),
        inUDP("VXLAN, Linux", 8472, [8, 0, 0, 0, 0, 0, 5, 0] + Build.ethernet(ipv6(), type: 0x86DD)),
        inUDP("VXLAN-GPE", 4790, [0x0C, 0, 0, 1, 0, 0, 5, 0] + ipv4()),
        inUDP("GENEVE", 6081, [1, 0, 0x65, 0x58, 0, 0, 5, 0, 1, 2, 3, 0] + Build.ethernet(ipv4())),
        inUDP("GENEVE, IP", 6081, [0, 0, 8, 0, 0, 0, 5, 0] + ipv4()),
        inUDP("GTP-U", 2152, [0x30, 255, 0, 52, 0, 0, 0, 1] + ipv4()),
        inUDP("GTP-U, extension", 2152, [0x34, 255, 0, 60, 0, 0, 0, 1, 0, 0, 0, 0x85, 1, 0, 9, 0] + ipv4()),
        inUDP("L2TP", 1701, [0, 2, 0, 9, 0, 8] + [0x21] + ipv4()),
        inUDP(
            "L2TP, length, numbers, offset", 1701,
            [0x4A, 2] + Build.bytes(UInt16(18 + 4 + ipv6().count)) + [0, 9, 0, 8, 0, 1, 0, 2, 0, 4, 9, 9, 9, 9]
                + [0xFF, 3, 0, 0x57] + ipv6()),
        inUDP("L2TPv3", 1701, [0, 3, 0, 0, 0, 0, 0, 9] + Build.ethernet(ipv4())),
        inIP("L2TPv3, IP", 115, [0, 0, 0, 9] + Build.ethernet(ipv4())),
        inIP("L2TPv3, IP, cookie and sublayer", 115, [0, 0, 0, 9, 1, 2, 3, 4, 0x40, 0, 0, 1] + Build.ethernet(ipv6(), type: 0x86DD)),
        eth("MPLS", 0x8847, [0, 1, 0, 64, 0, 2, 1, 64] + ipv4()),
        eth("MPLS, control word", 0x8847, [0, 2, 1, 64, 0, 0, 0, 0] + Build.ethernet(ipv4())),
        eth("MPLS, Ethernet whose address begins with 0", 0x8847, [0, 2, 1, 64] + Build.ethernet(ipv4())),
        eth("MPLS, IPv6", 0x8848, [0, 2, 1, 64] + ipv6()),
        eth("backbone bridging", 0x88E7, [0, 0, 0, 5] + Build.ethernet(ipv4())),
        eth("FabricPath", 0x8903, [0, 0x20] + Build.ethernet(ipv4())),
        eth("VN-tag", 0x8926, [0, 0, 0, 5, 8, 0] + ipv4()),
    ]
}
