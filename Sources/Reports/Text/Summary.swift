import Dissection

extension TextReport {
    /// The last lines of all: what the run amounted to.
    mutating func composeSummary(_ totals: Totals) {
        if !settings.follows { printLine() }
        if totals.packets > 0, totals.conversations == 0 {
            line.append("no TCP here: ")
            line.appendSkipped(totals)
            return printLine()
        }
        line.append(totals.conversations, "conversation")
        if totals.ignored > 0 {
            line.append(" (", grouped: totals.ignored)
            line.append(" ignored)")
        }
        // A proxy sees streams, not packets.
        if !isProxy {
            line.append(", ")
            line.append(totals.packets, "packet")
        }
        line.append(", ", size: totals.bytes)
        line.append(", ")
        line.append(totals.messages, "message")
        line.append(", ")
        line.append(totals.findings - min(routineFindings, totals.findings), "finding")
        printLine()
        let late = totals.skipped[SkipReason.allCases.firstIndex(of: .afterClose) ?? 0]
        if late > 0 {
            line.append(late, "packet")
            line.append(" with payload came after their conversation had closed")
            printLine()
        }
        composeSelection(totals)
        guard zip(SkipReason.allCases, totals.skipped).contains(where: { $0.1 > 0 && $0.0 != .afterClose }) else { return }
        line.append("not TCP: ")
        line.appendSkipped(totals)
        printLine()
    }
}

extension TextLine {
    /// How many packets of what had nothing for TCP, most first.
    mutating func appendSkipped(_ totals: Totals) {
        let reasons = zip(SkipReason.allCases, totals.skipped).filter { $0.1 > 0 && $0.0 != .afterClose }.sorted { $0.1 > $1.1 }
        if reasons.isEmpty { append(totals.packets, "packet") }
        for (index, (reason, packets)) in reasons.enumerated() {
            if index == 0 {
                append(packets, "packet")
            } else {
                append(", ", grouped: packets)
            }
            append(" ")
            append(reason.words)
        }
    }
}

extension SkipReason {
    /// What such packets are, to stand after their number.
    var words: StaticString {
        switch self {
        case .udp: "of UDP"
        case .quic: "of QUIC"
        case .icmp: "of ICMP"
        case .arp: "of ARP"
        case .sctp: "of SCTP"
        case .ipProtocol: "of another protocol above IP"
        case .etherType: "of another protocol beside IP"
        case .linkControl: "of link control"
        case .tunnel: "in a tunnel that is encrypted or unknown"
        case .linkType: "of an unknown link type"
        case .fragment: "of unfinished fragments"
        case .damaged: "with damaged headers"
        case .truncated: "cut before the end of the TCP header"
        case .afterClose: "for conversations that had closed"
        }
    }
}
