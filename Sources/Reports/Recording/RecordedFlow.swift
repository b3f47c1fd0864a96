import Dissection

/// A live conversation as a TCP connection in a recording: its ends, and how far each side has come.
struct RecordedFlow {
    /// Who is who; both of one family, IPv4 mapped into IPv6 where the other end has an IPv6 address.
    let client: Endpoint
    let server: Endpoint
    /// The VLAN that tells this connection from another one between the same ends at the same time; 0 for none.
    var vlan: UInt16 = 0
    /// The sequence number of the next byte of each side.
    var clientNext: UInt32
    var serverNext: UInt32
    /// Whom the proxy has this connection with, in a sealed recording.
    var peer = Side.client
    /// Its ends are free for another connection.
    var isReleased = false
    var clientHasEnded = false
    var serverHasEnded = false
    /// What is said on the next packet.
    var comments: [String] = []

    /// - Parameter number: of the conversation; the initial sequence numbers are made from it, so that each connection has others.
    init(client: Endpoint, server: Endpoint, number: UInt64) {
        var (client, server) = (client, server)
        // A server whose address was never learnt still has to be somewhere.
        if client.address.family == .none { client.address = IPAddress(ipv4: 0) }
        if server.address.family == .none { server.address = IPAddress(ipv4: 0) }
        if client.address.family != server.address.family {
            client.address = client.address.mapped
            server.address = server.address.mapped
        }
        self.client = client
        self.server = server
        clientNext = UInt32(truncatingIfNeeded: number) &* 2_654_435_761
        serverNext = UInt32(truncatingIfNeeded: number) &* 2_246_822_519 ^ 0x5A5A_5A5A
    }

    var isOver: Bool { clientHasEnded && serverHasEnded }

    /// Passes over bytes of a side that are not there, so that a reader sees that they are missing.
    mutating func skip(_ count: UInt64, of side: Side) {
        if side == .client { clientNext &+= UInt32(truncatingIfNeeded: count) } else { serverNext &+= UInt32(truncatingIfNeeded: count) }
    }

    /// Bytes of one packet at most: what an IPv4 packet takes besides its headers.
    static let mostPayload = 65_495

    /// Makes the headers of a packet of one side, in front of `payload`, and counts what it takes of the sequence.
    mutating func compose(_ flags: TCPFlags, from side: Side, payload: RawSpan, into header: inout [UInt8]) {
        header.removeAll(keepingCapacity: true)
        let (source, destination) = side == .client ? (client, server) : (server, client)
        let isIPv6 = source.address.family == .ipv6
        if vlan != 0 {
            // Ethernet addresses of nobody in particular, locally administered (IEEE 802), and an IEEE 802.1Q tag.
            let (near, far): (UInt8, UInt8) = side == .client ? (1, 2) : (2, 1)
            header += [2, 0, 0, 0, 0, far, 2, 0, 0, 0, 0, near, 0x81, 0x00]
            header.append(bigEndian: vlan)
            header.append(bigEndian: isIPv6 ? 0x86DD : 0x0800 as UInt16)
        }
        let segmentLength = UInt16(20 + payload.byteCount)
        let ipStart = header.count
        if isIPv6 {
            header += [0x60, 0, 0, 0]
            header.append(bigEndian: segmentLength)
            header += [6, 64]
        } else {
            header += [0x45, 0]
            header.append(bigEndian: segmentLength + 20)
            header += [0, 0, 0x40, 0, 64, 6, 0, 0]
        }
        let addresses = header.count
        header.append(source.address)
        header.append(destination.address)
        if !isIPv6 {
            var checksum = InternetChecksum()
            checksum.add(header.rawBytes.extracting(ipStart..<header.count))
            header.store(bigEndian: checksum.value, at: ipStart + 10)
        }
        let tcpStart = header.count
        let (sequence, acknowledgement) = side == .client ? (clientNext, serverNext) : (serverNext, clientNext)
        header.append(bigEndian: source.port)
        header.append(bigEndian: destination.port)
        header.append(bigEndian: sequence)
        header.append(bigEndian: flags.contains(.ack) ? acknowledgement : 0)
        header += [0x50, flags.rawValue, 0xFF, 0xFF, 0, 0, 0, 0]
        var checksum = InternetChecksum()
        checksum.add(header.rawBytes.extracting(addresses..<header.count))
        checksum.add(6)
        checksum.add(segmentLength)
        checksum.add(payload)
        header.store(bigEndian: checksum.value, at: tcpStart + 16)
        let taken = UInt32(payload.byteCount) &+ (flags.contains(.syn) || flags.contains(.fin) ? 1 : 0)
        if side == .client { clientNext &+= taken } else { serverNext &+= taken }
    }
}

/// How many connections there are between two ends at the moment.
struct OpenEnds {
    private struct Ends: Hashable {
        var client: Endpoint
        var server: Endpoint
    }

    private var counts: [Ends: Int] = [:]

    /// A connection begins: one that has a twin is told from it by a VLAN.
    mutating func take(_ flow: inout RecordedFlow, number: UInt64) {
        let twins = counts[Ends(client: flow.client, server: flow.server), default: 0]
        counts[Ends(client: flow.client, server: flow.server)] = twins + 1
        if twins > 0 { flow.vlan = UInt16(1 + number % 4_094) }
    }

    mutating func release(_ flow: RecordedFlow) {
        let ends = Ends(client: flow.client, server: flow.server)
        if let count = counts[ends] { counts[ends] = count > 1 ? count - 1 : nil }
    }
}

extension IPAddress {
    /// The IPv6 address that stands for an IPv4 address (RFC 4291, section 2.5.5.2).
    fileprivate var mapped: IPAddress {
        family == .ipv4 ? IPAddress(ipv6High: 0, low: 0xFFFF_0000_0000 | low) : self
    }
}

extension [UInt8] {
    fileprivate mutating func append<Integer: FixedWidthInteger>(bigEndian value: Integer) {
        var shift = Integer.bitWidth
        while shift > 0 {
            shift -= 8
            append(UInt8(truncatingIfNeeded: value >> Integer(shift)))
        }
    }

    fileprivate mutating func append(_ address: IPAddress) {
        guard address.family == .ipv6 else { return append(bigEndian: UInt32(truncatingIfNeeded: address.low)) }
        append(bigEndian: address.high)
        append(bigEndian: address.low)
    }

    fileprivate mutating func store(bigEndian value: UInt16, at index: Int) {
        self[index] = UInt8(truncatingIfNeeded: value >> 8)
        self[index + 1] = UInt8(truncatingIfNeeded: value)
    }
}
