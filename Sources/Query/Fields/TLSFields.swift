import Dissection
import Reports

/// What `tls` has.
enum TLSField: String, CaseIterable, Sendable {
    case serverName, alpn, offeredAlpn, version, cipher, secrets, latin1
    case subject = "certificates.subject", issuer = "certificates.issuer", names = "certificates.names"
    case notBefore = "certificates.notBefore", notAfter = "certificates.notAfter", sha256 = "certificates.sha256"
    case clientSubject = "clientCertificates.subject", clientIssuer = "clientCertificates.issuer"
    case clientNames = "clientCertificates.names", clientNotBefore = "clientCertificates.notBefore"
    case clientNotAfter = "clientCertificates.notAfter", clientSHA256 = "clientCertificates.sha256"
    /// The same two as numbers, as Wireshark has them.
    case versionNumber, cipherNumber

    func visit(_ event: borrowing ConversationEvent, _ facts: TLSFacts, _ take: Take) -> Bool {
        switch self {
        case .serverName: return handUnlessEmpty(event.part(facts.serverName), take)
        case .alpn: return handUnlessEmpty(event.part(facts.alpn), take)
        case .offeredAlpn:
            var offered = OfferedProtocols(event.part(facts.offeredALPN))
            while let name = offered.next() { if hand(name, take) { return true } }
            return false
        case .version:
            guard let version = facts.version else { return false }
            return hand(made: Array((TLSNames.version(version) ?? Self.hexadecimal(version)).utf8), take)
        case .cipher:
            guard let cipher = facts.cipher else { return false }
            return hand(made: Array((TLSCipherSuite.name(cipher) ?? Self.hexadecimal(cipher)).utf8), take)
        case .secrets: return hand(facts.secrets.word, facts.secrets.rawValue, take)
        case .latin1:
            var isLatin1 = !event.part(facts.serverName).isUTF8 || !event.part(facts.alpn).isUTF8
            var offered = OfferedProtocols(event.part(facts.offeredALPN))
            while let name = offered.next() { isLatin1 = isLatin1 || !name.isUTF8 }
            var certificates = CertificateList(event.part(facts.certificates))
            while let certificate = certificates.next() { isLatin1 = isLatin1 || certificate.isLatin1 }
            var clientCertificates = CertificateList(event.part(facts.clientCertificates))
            while let certificate = clientCertificates.next() { isLatin1 = isLatin1 || certificate.isLatin1 }
            return handFlag(isLatin1, take)
        case .versionNumber: return handNumber(facts.version.map { UInt64($0) }, take)
        case .cipherNumber: return handNumber(facts.cipher.map { UInt64($0) }, take)
        case .subject, .issuer, .names, .notBefore, .notAfter, .sha256:
            var certificates = CertificateList(event.part(facts.certificates))
            while let certificate = certificates.next() { if visit(certificate, take) { return true } }
            return false
        case .clientSubject, .clientIssuer, .clientNames, .clientNotBefore, .clientNotAfter, .clientSHA256:
            var certificates = CertificateList(event.part(facts.clientCertificates))
            while let certificate = certificates.next() { if visit(certificate, take) { return true } }
            return false
        }
    }

    private func visit(_ certificate: borrowing ServerCertificate, _ take: Take) -> Bool {
        switch self {
        case .subject, .clientSubject: return handUnlessEmpty(certificate.subject, take)
        case .issuer, .clientIssuer: return handUnlessEmpty(certificate.issuer, take)
        case .names, .clientNames:
            var names = certificate.names
            while let name = names.next() {
                if hand(name, take) { return true }
            }
            return false
        case .notBefore, .clientNotBefore: return handTime(certificate.notBefore, take)
        case .notAfter, .clientNotAfter: return handTime(certificate.notAfter, take)
        case .sha256, .clientSHA256:
            var digits: [UInt8] = []
            for index in 0..<certificate.sha256.byteCount {
                for digit in [certificate.sha256[index] >> 4, certificate.sha256[index] & 15] {
                    digits.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
                }
            }
            return hand(made: digits, take)
        case _: return false
        }
    }

    private func handTime(_ seconds: Int64?, _ take: Take) -> Bool {
        guard let seconds else { return false }
        return hand(made: Array("\(CivilTime(seconds: seconds).text(between: "T"))Z".utf8), take)
    }

    /// `0x1301`.
    private static func hexadecimal(_ value: UInt16) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension ServerCertificate {
    /// Whether a text of it is no UTF-8.
    fileprivate var isLatin1: Bool {
        var names = names
        while let name = names.next() { if !name.isUTF8 { return true } }
        return !subject.isUTF8 || !issuer.isUTF8
    }
}
