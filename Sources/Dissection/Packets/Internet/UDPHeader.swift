extension PacketRemainder {
    /// A UDP header (RFC 768). What follows may be a tunnel, told by its registered port; everything else is counted.
    mutating func udp(_ bytes: RawSpan) -> Step {
        if let lack = lack(of: 8) { return lack }
        let source = bytes.bigEndianUInt16(at: start)
        let destination = bytes.bigEndianUInt16(at: start + 2)
        let length = Int(bytes.bigEndianUInt16(at: start + 4))
        // Length 0 belongs to jumbograms (RFC 2675, section 4) and to segmentation offload.
        if length != 0 {
            guard length >= 8 else { return .skip(.damaged) }
            // The IP length bounds it, unless that was the one missing.
            limit(toLength: min(length, wireCount))
        }
        start += 8
        switch destination {
        // The registered port, and the one that Linux used before there was one.
        case 4789, 8472: return vxlan(bytes)
        case 4790: return vxlanGeneric(bytes)
        case 6081: return geneve(bytes)
        case 6635: return mpls(bytes)
        case 2152: return gtpUser(bytes)
        case 1701: return l2tp(bytes)
        // Any other port is no tunnel that we follow.
        default:
            if source == 2152 { return gtpUser(bytes) }
            if source == 1701 { return l2tp(bytes) }
            return .skip(isQUIC(bytes, onWebPort: source == 443 || destination == 443) ? .quic : .udp)
        }
    }

    /// Whether a UDP payload looks like QUIC (RFC 8999, section 5; RFC 9000, section 17).
    ///
    /// On any port: a long header with the fixed bit and a version that is known. On port 443 also version negotiation,
    /// and a short header, of which only the fixed bit can be seen: it keeps DTLS and STUN out, whose first byte has
    /// it clear, but a TURN channel on port 443 would pass.
    private func isQUIC(_ bytes: RawSpan, onWebPort: Bool) -> Bool {
        guard count >= 1 else { return false }
        let first = bytes[start]
        if first & 0x80 == 0 { return onWebPort && first & 0x40 != 0 }
        guard count >= 5 else { return false }
        let version = bytes.bigEndianUInt32(at: start + 1)
        if version == 0 { return onWebPort }
        // Peers may agree to clear the fixed bit (RFC 9287); the length of a connection ID is at most 20 in these versions.
        let isGreased = (version == 1 || version == 0x6B33_43CF) && count > 5 && bytes[start + 5] <= 20
        guard first & 0x40 != 0 || isGreased else { return false }
        switch version {
        case 1, 0x6B33_43CF: return true  // versions 1 and 2 (RFC 9369)
        case 0xFF00_0000...0xFF00_00FF: return true  // drafts
        case 0xFACE_B000...0xFACE_B0FF: return true  // mvfst
        case 0x5130_3433...0x5130_3530, 0x5430_3438...0x5430_3531: return true  // Google's Q043 to Q050, T048 to T051
        default: return version & 0x0F0F_0F0F == 0x0A0A_0A0A  // reserved to force negotiation
        }
    }
}
