extension LinkType {
    package static let tokenRing = LinkType(rawValue: 6)
    static let arcnetBSD = LinkType(rawValue: 7)
    static let ppp = LinkType(rawValue: 9)
    package static let fddi = LinkType(rawValue: 10)
    static let rawBSD = LinkType(rawValue: 12)
    static let rawOpenBSD = LinkType(rawValue: 14)
    static let pppSerial = LinkType(rawValue: 50)
    static let pppoe = LinkType(rawValue: 51)
    static let ciscoHDLC = LinkType(rawValue: 104)
    package static let ieee80211 = LinkType(rawValue: 105)
    static let prism = LinkType(rawValue: 119)
    static let radiotap = LinkType(rawValue: 127)
    static let arcnetLinux = LinkType(rawValue: 129)
    static let avs = LinkType(rawValue: 163)
    static let pppDirection = LinkType(rawValue: 166)
    static let juniperEthernet = LinkType(rawValue: 178)
    static let ppi = LinkType(rawValue: 192)
    static let nflog = LinkType(rawValue: 239)
    static let ipOverInfiniBand = LinkType(rawValue: 242)
    static let pktap = LinkType(rawValue: 258)
}

extension PacketRemainder {
    /// The first header of a captured packet, by its link type. A link type that is not known is not guessed at.
    mutating func link(_ type: LinkType, _ bytes: RawSpan) -> Step {
        switch type {
        case .ethernet: ethernet(bytes)
        case .linuxSLL: linuxCooked(bytes)
        case .linuxSLL2: linuxCooked2(bytes)
        case .null, .loop: loopback(bytes)
        // 12 and 14 are what DLT_RAW was on BSD systems that wrote it to files as it stood.
        case .raw, .ipv4, .ipv6, .rawBSD, .rawOpenBSD: .ip
        case .tokenRing: tokenRing(bytes)
        case .fddi: fddi(bytes)
        case .arcnetBSD: arcnet(bytes, hasOffset: false)
        case .arcnetLinux: arcnet(bytes, hasOffset: true)
        case .ipOverInfiniBand: infiniBand(bytes, hasRouteHeader: true)
        case .ipOverInfiniBandInSnoop: infiniBand(bytes, hasRouteHeader: false)
        case .juniperEthernet: juniper(bytes)
        case .networkMonitor80211: networkMonitor80211(bytes)
        case .ppp, .pppSerial: pppSerial(bytes)
        case .pppDirection: pppWithDirection(bytes)
        case .pppoe: pppoeSession(bytes)
        case .ciscoHDLC: ciscoHDLC(bytes)
        case .ieee80211: ieee80211(bytes, isPadded: false)
        case .radiotap: radiotap(bytes)
        case .prism: prism(bytes)
        case .avs: avs(bytes)
        case .ppi: ppi(bytes)
        case .nflog: nflog(bytes)
        case .pktap: pktap(bytes)
        default: .skip(.linkType)
        }
    }
}
