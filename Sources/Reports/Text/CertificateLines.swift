import Dissection

// What certificates say, under the line of its TLS.

extension TextReport {
    /// In full all of them, each with its fingerprint; each side's own alone otherwise.
    mutating func addCertificates(of facts: TLSFacts, _ content: RecordContent, at place: Int) {
        addCertificates(content.part(facts.certificates), "certificate", at: place)
        addCertificates(content.part(facts.clientCertificates), "client's certificate", at: place)
    }

    private mutating func addCertificates(_ list: RawSpan, _ title: StaticString, at place: Int) {
        var certificates = CertificateList(list)
        var number: UInt64 = 0
        while let certificate = certificates.next() {
            number += 1
            beginBelow(at: place)
            lower.append(title)
            if settings.isFull {
                lower.append(" ")
                lower.append { $0.append(decimal: number) }
            }
            lower.appendCertificate(certificate, isFull: settings.isFull)
            endBelow()
            guard settings.isFull else { return }
        }
    }
}

extension TextLine {
    /// More than these are counted.
    private static var mostNames: Int { 4 }

    fileprivate mutating func appendCertificate(_ certificate: borrowing ServerCertificate, isFull: Bool) {
        if !certificate.subject.isEmpty {
            append(" of ")
            append(said: certificate.subject)
        }
        var names = certificate.names
        var (count, rest) = (0, UInt64(0))
        while let name = names.next() {
            guard isFull || count < Self.mostNames else {
                rest += 1
                continue
            }
            append(count == 0 ? " for " : ", ")
            append(said: name)
            count += 1
        }
        if rest > 0 {
            append(" and ")
            append { $0.append(decimal: rest) }
            append(" more")
        }
        append("; issued by ")
        append(said: certificate.issuer)
        if let start = certificate.notBefore, let end = certificate.notAfter {
            append("; valid from ")
            append { $0.append(date: CivilTime(seconds: start)) }
            append(" to ")
            append { $0.append(date: CivilTime(seconds: end)) }
        }
        guard isFull else { return }
        append("; SHA-256 ")
        for index in 0..<certificate.sha256.byteCount { append(hex: UInt32(certificate.sha256[index]), least: 2) }
    }
}
