/// One fragment of an IP datagram, as its header tells it; its bytes are what is left of the packet.
struct Fragment {
    var identification: UInt32
    /// Part of the identity with IPv4 (RFC 791, section 3.2), 0 with IPv6.
    var keyProtocol: UInt8
    /// What the datagram holds; with IPv6 only the first fragment's counts.
    var ipProtocol: UInt8
    /// In bytes.
    var offset: Int
    var hasMore: Bool
}

/// Datagrams that are not whole yet, bounded in number, bytes and age; over a bound the least recently used goes.
struct FragmentTable: Sendable {
    struct Key: Equatable, Sendable {
        var source: IPAddress
        var destination: IPAddress
        var identification: UInt32
        var scope: UInt32
        var keyProtocol: UInt8

        /// With IPv6 the protocol is no part of the identity.
        var isIPv6: Bool { keyProtocol == 0 && source.family == .ipv6 }
    }

    /// Two fragments of one datagram that say different things where they overlap.
    struct Conflict: Sendable {
        /// The first byte of the datagram about which they differ.
        var offset: Int
        /// 4 or 6.
        var ipVersion: UInt64
        /// The fragments so far.
        var place: Place
    }

    /// What putting a fragment to the others came to.
    enum Result {
        case waits
        case damaged
        /// The datagram's captured bytes are in the buffer handed in: all of them up to the first that the capture cut.
        case complete(ipProtocol: UInt8, length: Int, packets: PacketRange?)
    }

    /// Datagrams at once.
    static let mostDatagrams = 256
    /// Fragments of one datagram after which it is given up when that many are apart from each other.
    static let mostPieces = 1_024
    /// How long a datagram waits: as long as Linux does (ip(7), ipfrag_time), in nanoseconds.
    static let longestWait: Int64 = 30_000_000_000
    /// How long after its last fragment another may come. They are sent one after the other, while an identification of 16 bits comes round
    /// again within a second where much is sent (RFC 4963).
    static let longestSilence: Int64 = 1_000_000_000
    /// And in packets: an identification may come round again after that many.
    static let longestWaitInPackets: UInt64 = 32_768
    /// And in fragments of other datagrams of its source: as many as Linux allows (ipfrag_max_dist).
    static let mostOthers = 64

    private var datagrams: [Datagram] = []
    private let budget: Int
    private var clock: UInt64 = 0
    private(set) var bytesHeld = 0
    private(set) var abandoned: UInt64 = 0
    /// Packets that waited and whose datagrams have since become whole.
    private(set) var joined: UInt64 = 0
    /// A datagram of fragments has had a right checksum.
    private var hasSeenRightChecksum = false
    /// Found and not yet taken, at most one a fragment.
    var conflict: Conflict?

    init(bytes: Int) { budget = bytes }

    var count: Int { datagrams.count }

    /// Puts a fragment to the others of its datagram.
    /// - Parameters:
    ///   - captured: The fragment's bytes, as many as were captured.
    ///   - length: Bytes that it had on the wire.
    ///   - assembled: Takes the datagram when it is complete; untouched otherwise.
    mutating func add(
        _ fragment: Fragment, key: Key, captured: RawSpan, length: Int, place: Place, into assembled: inout [UInt8]
    ) -> Result {
        // Only the last fragment may end off a boundary of eight bytes (RFC 8200, 4.5; RFC 791, 3.2).
        guard length > 0, fragment.offset + length <= 0xFFFF, !fragment.hasMore || length % 8 == 0 else { return .damaged }
        clock += 1
        var index = datagrams.firstIndex { $0.key == key }
        if let found = index, datagrams[found].isStale(at: place) || datagrams[found].isOther(fragment, captured: captured) {
            abandon(found)
            index = nil
        }
        for other in datagrams.indices where datagrams[other].key.source == key.source { datagrams[other].others += 1 }
        let position: Int
        if let index {
            position = index
        } else {
            if datagrams.count >= Self.mostDatagrams { abandonLeastRecent() }
            position = datagrams.count
            datagrams.append(Datagram(key: key, place: place))
            bytesHeld += datagrams[position].cost
        }
        bytesHeld -= datagrams[position].cost
        let wasConflicting = datagrams[position].conflict != nil
        let accepted = datagrams[position].isDiscarded || datagrams[position].insert(fragment, captured: captured, length: length)
        datagrams[position].lastUse = clock
        datagrams[position].others = 0
        datagrams[position].note(place)
        if !wasConflicting {
            datagrams[position].noteConflict()
            // With 16 bits of identification the two may be of different datagrams: that shows once the datagram is whole.
            if key.isIPv6 { tellConflict(position) }
        }
        if datagrams[position].isDiscarded { datagrams[position].discard() }
        bytesHeld += datagrams[position].cost
        guard accepted else { return .damaged }
        if datagrams[position].completeLength != nil, isMixed(position) { return .waits }
        if let length = datagrams[position].completeLength {
            if !key.isIPv6 { tellConflict(position) }
            bytesHeld -= datagrams[position].cost
            var datagram = datagrams.remove(at: position)
            joined += datagram.fragmentPackets - 1
            datagram.cutAtFirstHole()
            swap(&assembled, &datagram.bytes)
            return .complete(ipProtocol: datagram.ipProtocol, length: length, packets: datagram.place.packets)
        }
        if datagrams[position].pieces.count > Self.mostPieces { abandon(position) }
        while bytesHeld > budget, !datagrams.isEmpty { abandonLeastRecent() }
        return .waits
    }

    private mutating func tellConflict(_ position: Int) {
        guard let offset = datagrams[position].conflict, let place = datagrams[position].conflictPlace else { return }
        conflict = Conflict(offset: offset, ipVersion: datagrams[position].key.isIPv6 ? 6 : 4, place: place)
    }

    /// Whether a datagram that looks whole is put together from two of one identification, by its checksum; what is of the other is given up
    /// then, and where the two overlap and differ nobody has contradicted himself. Where the fragments came in order that is believed only in a capture that has shown right ones: one that was made anonymous
    /// has none.
    private mutating func isMixed(_ position: Int) -> Bool {
        guard let isRight = datagrams[position].hasRightChecksum else { return false }
        if isRight {
            hasSeenRightChecksum = true
            return false
        }
        // Many that send UDP, tunnels above all, compute none.
        let isUnconfirmed = datagrams[position].conflict != nil || datagrams[position].ipProtocol == IPProtocol.udp
        if isUnconfirmed, !hasSeenRightChecksum { return false }
        bytesHeld -= datagrams[position].cost
        if datagrams[position].dropEarlier() != nil {
            bytesHeld += datagrams[position].cost
        } else if hasSeenRightChecksum {
            datagrams.remove(at: position)
        } else {
            bytesHeld += datagrams[position].cost
            return false
        }
        abandoned += 1
        return true
    }

    private mutating func abandon(_ position: Int) {
        bytesHeld -= datagrams[position].cost
        datagrams.remove(at: position)
        abandoned += 1
    }

    private mutating func abandonLeastRecent() {
        guard let oldest = datagrams.indices.min(by: { datagrams[$0].lastUse < datagrams[$1].lastUse }) else { return }
        abandon(oldest)
    }
}

extension PacketRemainder {
    /// Hands the rest of the packet to the table, and goes on with the datagram when that is whole.
    mutating func take(
        _ fragment: Fragment, _ bytes: RawSpan, fragments: inout FragmentTable, into assembled: inout [UInt8]
    ) -> Step {
        let key = FragmentTable.Key(
            source: source, destination: destination, identification: fragment.identification, scope: scope,
            keyProtocol: fragment.keyProtocol)
        let result = fragments.add(
            fragment, key: key, captured: bytes.extracting(start..<end), length: wireCount, place: place, into: &assembled)
        switch result {
        case .waits: return .skip(.fragment)
        case .damaged: return .skip(.damaged)
        case .complete(let ipProtocol, let length, let packets):
            start = 0
            end = assembled.count
            wireEnd = length
            place.packets = packets
            return .reassembled(ipProtocol)
        }
    }
}
