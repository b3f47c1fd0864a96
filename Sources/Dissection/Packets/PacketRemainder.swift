/// What is left of a packet while its headers are taken off, from the outside in.
///
///     0         start                    end             wireEnd
///     | headers | captured, not yet read | cut by capture |
///
/// `start ≤ end` and `end ≤` the bytes at hand always hold. `wireEnd` is where the packet ended on the wire: first by
/// the capture's record, then by each length field that is met. Each kind of header is a mutating function in a file
/// of its own: it moves `start` behind the header and says what comes next.
struct PacketRemainder {
    /// What has to be read next, at `start`; or what the packet came to.
    enum Step {
        case link(LinkType)
        case ethernet
        /// What an EtherType names (or, up to 1500, an IEEE 802.3 length).
        case etherType(UInt16)
        /// IP, the version told by the first four bits.
        case ip
        /// What an IP protocol number names.
        case ipProtocol(UInt8)
        /// A PPP protocol field, perhaps behind address and control.
        case ppp
        case fragment(Fragment)
        case tcp
        case skip(SkipReason)
        /// A fragment completed its datagram, whose bytes lie in the other buffer.
        case reassembled(UInt8)
    }

    /// IP headers within each other that are still followed.
    static let deepestNesting = 16
    /// Headers of all kinds that are followed in one packet.
    static let mostHeaders = 128

    var start: Int
    var end: Int
    var wireEnd: Int
    var scope: UInt32 = 0
    /// Of the innermost IP header so far.
    var source = IPAddress()
    var destination = IPAddress()
    var place: Place
    private var nesting = 0
    private var headers = 0

    init(_ packet: borrowing CapturedPacket) {
        start = 0
        end = packet.bytes.byteCount
        wireEnd = max(packet.bytes.byteCount, Int(packet.originalLength))
        place = Place(time: packet.time, packets: PacketRange(packet.number))
    }

    /// Bytes captured and not yet read.
    var count: Int { end - start }
    /// Bytes not yet read that the packet had on the wire.
    var wireCount: Int { wireEnd - start }

    /// Nil when `needed` more bytes are there; otherwise the end of the way: cut by the capture, or never sent.
    @inline(__always)
    func lack(of needed: Int) -> Step? {
        if count >= needed { return nil }
        return .skip(wireCount >= needed ? .truncated : .damaged)
    }

    /// Sets the end of the packet by a length field that counts from `start`. Shorter: what is behind is padding or a
    /// trailer. Longer: the field is believed, the bytes count as cut.
    mutating func limit(toLength length: Int) {
        wireEnd = start + length
        end = min(end, wireEnd)
    }

    /// Adds the identifier of a virtual network to `scope`. Only what is equal in both directions may go in.
    mutating func enter(_ network: UInt32, kind: UInt32) {
        var hash = (scope ^ network) &* 0x9E37_79B1
        hash = (hash ^ (hash >> 15) ^ kind) &* 0x85EB_CA77
        hash ^= hash >> 13
        scope = hash == 0 ? 1 : hash
    }

    /// Counts one more IP header; nil when it may be read.
    mutating func nest() -> Step? {
        nesting += 1
        return nesting > Self.deepestNesting ? .skip(.tunnel) : nil
    }

    /// Takes off one header after the other until the packet is TCP, nothing of ours, or a completed datagram.
    mutating func walk(
        _ bytes: RawSpan, from first: Step, fragments: inout FragmentTable, into assembled: inout [UInt8]
    ) -> Step {
        var step = first
        while headers < Self.mostHeaders {
            headers += 1
            switch step {
            case .link(let type): step = link(type, bytes)
            case .ethernet: step = ethernet(bytes)
            case .etherType(let type): step = etherType(type, bytes)
            case .ip: step = ip(bytes)
            case .ipProtocol(let number): step = ipProtocol(number, bytes)
            case .ppp: step = ppp(bytes)
            case .fragment(let fragment): step = take(fragment, bytes, fragments: &fragments, into: &assembled)
            case .tcp, .skip, .reassembled: return step
            }
        }
        return .skip(.tunnel)
    }
}
