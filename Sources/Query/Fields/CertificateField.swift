import Dissection
import Reports

/// What certificates have.
enum CertificateField: String, CaseIterable, Sendable {
    case subject, issuer, names, notBefore, notAfter, sha256

    func visit(_ list: RawSpan, _ take: ValueVisitor) -> Bool {
        var certificates = CertificateList(list)
        while let certificate = certificates.next() { if visit(certificate, take) { return true } }
        return false
    }

    private func visit(_ certificate: borrowing ServerCertificate, _ take: ValueVisitor) -> Bool {
        switch self {
        case .subject: return handUnlessEmpty(certificate.subject, take)
        case .issuer: return handUnlessEmpty(certificate.issuer, take)
        case .names:
            var names = certificate.names
            while let name = names.next() {
                if hand(name, take) { return true }
            }
            return false
        case .notBefore: return handTime(certificate.notBefore, take)
        case .notAfter: return handTime(certificate.notAfter, take)
        case .sha256:
            var digits: [UInt8] = []
            for index in 0..<certificate.sha256.byteCount {
                for digit in [certificate.sha256[index] >> 4, certificate.sha256[index] & 15] {
                    digits.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
                }
            }
            return hand(made: digits, take)
        }
    }

    private func handTime(_ seconds: Int64?, _ take: ValueVisitor) -> Bool {
        guard let seconds else { return false }
        return hand(made: Array("\(CivilTime(seconds: seconds).text(between: "T"))Z".utf8), take)
    }
}

extension ServerCertificate {
    /// Whether a text of it is no UTF-8.
    var isLatin1: Bool {
        var names = names
        while let name = names.next() { if !name.isUTF8 { return true } }
        return !subject.isUTF8 || !issuer.isUTF8
    }
}
