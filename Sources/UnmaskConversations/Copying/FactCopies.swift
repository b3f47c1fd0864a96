import Dissection
import Reports

// What the dissector lends, as values.

extension ConversationEvent.Side {
    init(_ side: Dissection.Side) { self = side == .client ? .client : .server }

    var side: Dissection.Side { self == .client ? .client : .server }
}

extension CaptureTime {
    init(_ time: Timestamp) { self.init(nanosecondsSince1970: time.nanoseconds) }

    /// - Parameter seconds: whole seconds since 1970.
    init?(seconds: Int64?) {
        guard let seconds, case let (nanoseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000), !overflow else {
            return nil
        }
        self.init(nanosecondsSince1970: nanoseconds)
    }
}

extension ConversationEvent.Opened {
    init(_ opening: Opening, _ content: RawSpan) {
        client = Peer(opening.client, content.text(opening.clientName))
        server = Peer(opening.server, content.text(opening.serverName))
        start =
            switch opening.start {
            case .handshake: .handshake
            case .midstream: .midstream
            case .accepted: .accepted
            }
        roles =
            switch opening.roles {
            case .handshake: .handshake
            case .content: .content
            case .ports: .ports
            case .guess: .guess
            }
    }
}

extension ConversationEvent.Opened.Peer {
    init(_ endpoint: Endpoint, _ name: String) {
        self.init(address: endpoint.address.literal, port: Int(endpoint.port), name: name.isEmpty ? nil : name)
    }
}

extension ConversationEvent.TLS {
    init(_ facts: TLSFacts, _ content: RawSpan) {
        serverName = content.words(facts.serverName)
        applicationProtocol = content.words(facts.alpn)
        version = facts.version.map { TLSNames.version($0) ?? ConversationEvent.TLS.number($0) }
        cipherSuite = facts.cipher.map { TLSCipherSuite.name($0) ?? ConversationEvent.TLS.number($0) }
        secrets =
            switch facts.secrets {
            case .keylog: .keyLog
            case .terminated: .terminated
            case .missing: .missing
            }
        var (list, copies) = (CertificateList(content.part(facts.certificates)), [Certificate]())
        while let certificate = list.next() {
            var (names, texts) = (certificate.names, [String]())
            while let name = names.next() { texts.append(name.text) }
            copies.append(
                Certificate(
                    sha256: certificate.sha256.copy.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(),
                    subject: certificate.subject.text, issuer: certificate.issuer.text, names: texts,
                    notBefore: CaptureTime(seconds: certificate.notBefore), notAfter: CaptureTime(seconds: certificate.notAfter)))
        }
        certificates = copies
    }

    private static func number(_ value: UInt16) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }
}

extension ConversationEvent.Gap {
    init(_ gap: Dissection.Gap) {
        length = Int(clamping: gap.length)
        cause =
            switch gap.cause {
            case .missing: .missing
            case .truncated: .truncated
            case .limit: .limit
            case .resync: .resynchronised
            case .undecodable: .undecodable
            }
    }
}

extension ConversationEvent.Totals {
    init(_ totals: Dissection.Totals) {
        packets = Int(clamping: totals.packets)
        conversations = Int(clamping: totals.conversations)
        messages = Int(clamping: totals.messages)
        findings = Int(clamping: totals.findings)
        bytes = Int(clamping: totals.bytes)
        var skipped: [String: Int] = [:]
        for (reason, count) in zip(SkipReason.allCases, totals.skipped) where count > 0 { skipped[reason.rawValue] = Int(clamping: count) }
        skippedPackets = skipped
    }
}
