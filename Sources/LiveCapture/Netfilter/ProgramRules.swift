#if os(Linux)
import Dissection

/// Rules of nftables (nf_tables.h) that copy the TCP packets of the processes of a control group to a group of NFLOG, each once.
///
/// ```
/// out: socket cgroupv2 GROUP  ▸ own and peer's address go to the set of flows;  in the set ▸ log
/// in:  the peer is in the set ▸ logged when it was sent (loopback);  the same as out, with the two ends exchanged
/// ```
///
/// The set is needed because not every packet has a socket of the program: the reply of a listener and what comes after the program has closed belong
/// to sockets of the kernel's own.
///
/// The table belongs to the socket that made it, and goes with it.
struct ProgramRules {
    let table: String
    /// The control group: the number of its folder, and how deep below the root it lies.
    let (group, level): (UInt64, UInt32)
    /// The group of NFLOG.
    let log: UInt16
    /// Ends of connections whose packets are not logged.
    var leftOut: [Endpoint] = []

    /// Of a packet of 64 KiB on loopback NFLOG would leave out the last bytes: its messages are shorter than that. The kernel sends two segments in one
    /// packet at least, where there is so much to send, so peers on interfaces with such an MTU agree on segments of half of it.
    static let segmentSize: UInt16 = 32_000

    private typealias Attribute = NetlinkAttribute

    /// NFPROTO_INET: IPv4 and IPv6.
    private static let inet: UInt8 = 1
    private static let tables: UInt16 = 10 << 8
    private enum Make {
        static let (table, chain, rule, set): (UInt16, UInt16, UInt16, UInt16) = (tables | 0, tables | 3, tables | 6, tables | 9)
    }

    /// The two versions of IP: NFPROTO_, where the addresses are in the header and how long they are, and the number of their type in nft(8).
    private struct Version {
        let number: UInt8
        let (source, destination, size): (UInt32, UInt32, UInt32)
        let type: UInt32
        let set: String
    }

    private static let versions = [
        Version(number: 2, source: 12, destination: 16, size: 4, type: 7, set: "flows4"),
        Version(number: 10, source: 8, destination: 24, size: 16, type: 8, set: "flows6"),
    ]

    /// What makes the table, as one transaction.
    func messages() -> [NetlinkSocket.Message] {
        let flags = NetlinkSocket.create
        // NFT_TABLE_F_OWNER.
        var messages = [
            NetlinkSocket.Message(type: 0x10, resource: 10), make(Make.table, flags, Attribute.number(2, UInt32(2))),
        ]
        for (index, version) in Self.versions.enumerated() { messages.append(make(Make.set, flags, set(version, UInt32(index + 1)))) }
        // Before addresses are translated on the way out, and after that on the way in: what the program knows them by.
        for (chain, hook, priority) in [("out", UInt32(3), Int32(-350)), ("in", UInt32(1), Int32(350))] {
            let place = Attribute.nested(4, Attribute.number(1, hook), Attribute.number(2, UInt32(bitPattern: priority)))
            // Policy: accept.
            messages.append(
                make(Make.chain, flags, Attribute.name(3, chain) + place + Attribute.name(7, "filter") + Attribute.number(5, UInt32(1))))
            for rule in rules(isIncoming: chain == "in") {
                messages.append(
                    make(Make.rule, flags | NetlinkSocket.append, Attribute.name(2, chain) + Attribute.bytes(4 | 0x8000, rule)))
            }
        }
        messages[messages.count - 1].flags |= NetlinkSocket.acknowledged
        return messages + [NetlinkSocket.Message(type: 0x11, resource: 10)]
    }

    private func make(_ type: UInt16, _ flags: UInt16, _ attributes: [UInt8]) -> NetlinkSocket.Message {
        .init(type: type, flags: flags, family: Self.inet, attributes: Attribute.name(1, table) + attributes)
    }

    /// The set of flows: address and port of the program's end, then of the other one; in the time that a closed connection may still have packets,
    /// NFT_SET_TIMEOUT and NFT_SET_EVAL.
    private func set(_ version: Version, _ number: UInt32) -> [UInt8] {
        // Types of nft(8), six bits each: address, inet_service, address, inet_service.
        let type = version.type << 18 | 13 << 12 | version.type << 6 | 13
        return Attribute.name(2, version.set) + Attribute.number(3, UInt32(0x30)) + Attribute.number(4, type)
            + Attribute.number(5, 2 * version.size + 8) + Attribute.nested(9, Attribute.number(1, Self.mostFlows))
            + Attribute.number(10, number) + Attribute.number(11, Self.flowTime)
    }

    /// The flows that are known at most. Beyond, what has no socket of the program is not captured.
    private static let mostFlows: UInt32 = 65_536
    /// Milliseconds that a flow is known after the last packet that had a socket.
    private static let flowTime: UInt64 = 65_000
    /// What an expression loads first is in the first register of four bytes (NFT_REG32_00).
    private static let register: UInt32 = 8

    private func rules(isIncoming: Bool) -> [[UInt8]] {
        var rules = [meta(16) + compare([6], isEqual: false) + accept]
        for end in leftOut { rules += [0, 2].map { leaveOut(end, portAt: $0) } }
        for version in Self.versions {
            let (own, exchanged) = (flow(version, isReversed: isIncoming), flow(version, isReversed: !isIncoming))
            let isVersion = meta(15) + compare([version.number])
            if isIncoming { rules.append(isVersion + exchanged + lookup(version) + accept) }
            rules.append(isVersion + isOfGroup + own + update(version))
            rules.append(isVersion + own + lookup(version) + isSYN + limitSegmentSize)
            rules.append(isVersion + own + lookup(version) + logging + accept)
        }
        // There was no room in the set.
        rules.append(isOfGroup + logging)
        return rules
    }

    /// Accepts packets that come from an end of a connection (its port is at 0 of the header of TCP), or go to it (at 2).
    private func leaveOut(_ end: Endpoint, portAt offset: UInt32) -> [UInt8] {
        let isNew = end.address.family == .ipv6
        let version = Self.versions[isNew ? 1 : 0]
        let address = Attribute.native(end.address.high.bigEndian) + Attribute.native(end.address.low.bigEndian)
        return meta(15) + compare([version.number])
            + payload(Self.register, base: 1, offset == 0 ? version.source : version.destination, version.size)
            + compare(address.suffix(Int(version.size))) + payload(Self.register, base: 2, offset, 2)
            + compare(Attribute.native(end.port.bigEndian)) + accept
    }

    // MARK: - Expressions

    private func expression(_ name: String, _ attributes: [UInt8]...) -> [UInt8] {
        Attribute.nested(1, Attribute.name(1, name), Attribute.bytes(2 | 0x8000, attributes.flatMap { $0 }))
    }

    /// Loads NFT_META_NFPROTO (15) or NFT_META_L4PROTO (16).
    private func meta(_ key: UInt32) -> [UInt8] { expression("meta", Attribute.number(1, Self.register), Attribute.number(2, key)) }

    private func compare(_ value: some Collection<UInt8>, isEqual: Bool = true) -> [UInt8] {
        expression(
            "cmp", Attribute.number(1, Self.register), Attribute.number(2, UInt32(isEqual ? 0 : 1)),
            Attribute.nested(3, Attribute.bytes(1, Array(value))))
    }

    /// Whether the packet's socket belongs to the control group: NFT_SOCKET_CGROUPV2.
    private var isOfGroup: [UInt8] {
        expression("socket", Attribute.number(1, UInt32(3)), Attribute.number(2, Self.register), Attribute.number(3, level))
            + compare(NetlinkAttribute.native(group))
    }

    /// Loads a part of a header: of the network layer (1) or the transport layer (2).
    private func payload(_ register: UInt32, base: UInt32, _ offset: UInt32, _ length: UInt32) -> [UInt8] {
        expression(
            "payload", Attribute.number(1, register), Attribute.number(2, base), Attribute.number(3, offset), Attribute.number(4, length))
    }

    /// Loads address and port of the sender, then of the receiver; the other way round where that is the program.
    private func flow(_ version: Version, isReversed: Bool) -> [UInt8] {
        let (words, first) = (version.size / 4, Self.register)
        let (near, far) = isReversed ? (version.destination, version.source) : (version.source, version.destination)
        return payload(first, base: 1, near, version.size) + payload(first + words, base: 2, isReversed ? 2 : 0, 2)
            + payload(first + words + 1, base: 1, far, version.size) + payload(first + 2 * words + 1, base: 2, isReversed ? 0 : 2, 2)
    }

    private func lookup(_ version: Version) -> [UInt8] {
        expression("lookup", Attribute.name(1, version.set), Attribute.number(2, Self.register))
    }

    /// NFT_DYNSET_OP_UPDATE.
    private func update(_ version: Version) -> [UInt8] {
        expression(
            "dynset", Attribute.name(1, version.set), Attribute.number(3, UInt32(1)), Attribute.number(4, Self.register),
            Attribute.number(6, Self.flowTime))
    }

    /// The flags of TCP are byte 13 of its header.
    private var isSYN: [UInt8] {
        payload(Self.register, base: 2, 13, 1)
            + expression(
                "bitwise", Attribute.number(1, Self.register), Attribute.number(2, Self.register), Attribute.number(3, UInt32(1)),
                Attribute.nested(4, Attribute.bytes(1, [2])), Attribute.nested(5, Attribute.bytes(1, [0])))
            + compare([0], isEqual: false)
    }

    /// The kernel only ever lowers the maximum segment size (option 2 of TCP), and leaves a smaller one alone.
    private var limitSegmentSize: [UInt8] {
        expression(
            "immediate", Attribute.number(1, Self.register),
            Attribute.nested(2, Attribute.bytes(1, Attribute.native(Self.segmentSize.bigEndian))))
            + expression(
                "exthdr", Attribute.number(7, Self.register), Attribute.bytes(2, [2]), Attribute.number(3, UInt32(2)),
                Attribute.number(4, UInt32(2)), Attribute.number(6, UInt32(1)))
    }

    /// A message for each packet: others come up to a second later, when there are enough.
    private var logging: [UInt8] { expression("log", Attribute.number(1, log), Attribute.number(4, UInt16(1))) }

    private var accept: [UInt8] {
        expression("immediate", Attribute.number(1, UInt32(0)), Attribute.nested(2, Attribute.nested(2, Attribute.number(1, UInt32(1)))))
    }
}
#endif
