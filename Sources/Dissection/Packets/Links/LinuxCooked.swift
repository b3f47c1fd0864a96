/// Linux cooked capture: what the "any" interface and interfaces without an own link layer bring
/// (LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2 at tcpdump.org).
extension PacketRemainder {
    /// Version 1: packet type, ARPHRD_ type, address length, address of 8 bytes, protocol.
    mutating func linuxCooked(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 16) { return lack }
        let device = bytes.bigEndianUInt16(at: start + 2)
        let type = bytes.bigEndianUInt16(at: start + 14)
        start += 16
        return cooked(device: device, type: type, bytes)
    }

    /// Version 2: protocol, reserved, interface index, ARPHRD_ type, packet type, address length, address of 8 bytes.
    mutating func linuxCooked2(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 20) { return lack }
        let device = bytes.bigEndianUInt16(at: start + 8)
        let type = bytes.bigEndianUInt16(at: start)
        start += 20
        return cooked(device: device, type: type, bytes)
    }

    private mutating func cooked(device: UInt16, type: UInt16, _ bytes: RawSpan) -> Step {
        switch (device, type) {
        // ARPHRD_NETLINK: the protocol is a netlink family.
        case (824, _): return .skip(.linkControl)
        // ARPHRD_IEEE80211_RADIOTAP: the protocol says nothing.
        case (803, _): return radiotap(bytes)
        // LINUX_SLL_P_802_2: a frame of LLC.
        case (_, 0x0004): return llc(bytes)
        // The other values below EtherTypes are Linux's own: 802.3 without LLC, CAN, loop frames.
        case (_, 0..<0x0600): return .skip(.linkControl)
        default: return .etherType(type)
        }
    }
}
