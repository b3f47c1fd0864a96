import Dissection
import Libc

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The certificate authority that a user's own devices are told to trust, so that the proxy can show them a certificate for any name.
///
/// Whoever has its key can do the same to those devices: it is made on the machine, stays there, and is readable by its owner alone.
package struct LocalAuthority: Sendable {
    /// What others are shown.
    package let certificate: AuthorityCertificate
    /// What a leaf proves itself with: one key for all leaves of this process, made when the authority is loaded, never written.
    package let leafKey: LeafKey

    let key: SigningKey

    /// How long an authority is valid: five years. Shorter would send the user round every device again too soon; the key is worth a limit.
    package static let lifetime: TimeInterval = 5 * 365 * 86_400

    /// How far certificates reach back, because the clocks of devices and machines differ: a day.
    static let backdating: TimeInterval = 86_400

    // MARK: - Finding or making it

    /// The authority in a folder; makes one if there is none. Of several programs that do so at once, all get the same.
    ///
    /// - Parameter now: the time of the wall clock.
    /// - Throws: AuthorityError of any kind but `missing`.
    package static func loadOrCreate(in folder: AuthorityFolder, at now: Date = Date()) throws(AuthorityError) -> LocalAuthority {
        try loadOrCreate(in: folder, at: now, beforeWriting: {})
    }

    /// - Parameter beforeWriting: runs when none was found and before one is written, where another program may be faster.
    static func loadOrCreate(
        in folder: AuthorityFolder, at now: Date, beforeWriting: () -> Void
    ) throws(AuthorityError) -> LocalAuthority {
        // A second round only if somebody deletes the authority while we find it.
        var attempts = 3
        while true {
            do throws(AuthorityError) {
                return try load(from: folder, at: now)
            } catch {
                attempts -= 1
                guard error.kind == .missing, attempts > 0 else { throw error }
            }
            let (certificate, _, der) = try make(at: now)
            beforeWriting()
            let key = PEMBlock(label: PEMBlock.privateKey, der: der).text
            _ = try AuthorityFiles(folder: folder).writePair(certificate: certificate.pem, key: key)
        }
    }

    /// An authority for one run, which is written nowhere: what trusts it trusts nobody any more when the process has ended.
    ///
    /// - Parameter now: the time of the wall clock.
    /// - Throws: AuthorityError: `signing`.
    package static func temporary(at now: Date = Date()) throws(AuthorityError) -> LocalAuthority {
        let (certificate, key, _) = try make(at: now)
        return try LocalAuthority(certificate: certificate, key: key)
    }

    /// The authority in a folder.
    ///
    /// - Throws: AuthorityError: `missing`, `halfAPair`, `unreadable`, `exposed`, `damaged`, `expired` or `signing`.
    package static func load(from folder: AuthorityFolder, at now: Date = Date()) throws(AuthorityError) -> LocalAuthority {
        let pair = try AuthorityFiles(folder: folder).readPair()
        let certificate = try AuthorityCertificate(pem: pair.certificate, path: folder.certificatePath)
        let advice = "put back a copy, or let unmask ca remove --yes clear it away and begin anew"
        guard let block = PEMBlock(String(decoding: pair.key, as: UTF8.self)), keyLabels.contains(block.label),
            let key = try? SigningKey(der: block.der)
        else {
            throw AuthorityError(kind: .damaged, path: folder.keyPath, problem: "holds no private key that can be read", advice: advice)
        }
        guard key.isKey(of: certificate.der) else {
            throw AuthorityError(kind: .damaged, path: folder.keyPath, problem: "is the key of another certificate", advice: advice)
        }
        guard now < certificate.notValidAfter else {
            throw AuthorityError(
                kind: .expired, path: folder.certificatePath,
                problem: "the CA certificate expired on \(CalendarDay.text(certificate.notValidAfter))",
                advice: "unmask ca remove --yes takes it away, unmask ca makes another, and every device has to trust that one instead")
        }
        return try LocalAuthority(certificate: certificate, key: key)
    }

    /// Keys of users' own CAs come in the form of their kind, too.
    private static let keyLabels = [PEMBlock.privateKey, "EC PRIVATE KEY", "RSA PRIVATE KEY"]

    private init(certificate: AuthorityCertificate, key: SigningKey) throws(AuthorityError) {
        self.certificate = certificate
        self.key = key
        do {
            leafKey = try LeafKey()
        } catch {
            throw AuthorityError(kind: .signing, problem: "a key for certificates could not be made: \(error)")
        }
    }

    /// Deletes the pair in a folder, whatever state it is in. Proxies that run keep what they have loaded.
    ///
    /// - Returns: the paths that were deleted.
    package static func delete(in folder: AuthorityFolder) throws(AuthorityError) -> [String] {
        try AuthorityFiles(folder: folder).removePair()
    }

    // MARK: - Making its certificate

    /// A self-signed certificate of an authority that may sign leaves and nothing else (RFC 5280 4.2.1.3, 4.2.1.9), and its key, also as PKCS #8.
    private static func make(
        at now: Date
    ) throws(AuthorityError) -> (certificate: AuthorityCertificate, key: SigningKey, keyDER: [UInt8]) {
        let begin = now.addingTimeInterval(-backdating)
        let name = NewCertificate.name(subjectName(host: hostName(), day: CalendarDay.text(now)), organization: "Unmask")
        do {
            let key = try SigningKey()
            let certificate = NewCertificate(
                issuer: name, subject: name, publicKey: key.publicKey, notValidBefore: begin,
                notValidAfter: begin.addingTimeInterval(lifetime),
                extensions: [
                    .basicConstraints(isCA: true, pathLength: 0), .keyUsage(.keyCertSign, .cRLSign),
                    .subjectKeyIdentifier(NewCertificate.identifier(ofKey: key.publicKey)),
                ])
            let der = try certificate.signed(by: key)
            guard let read = X509Certificate(der.rawBytes).flatMap({ AuthorityCertificate(der, $0) }) else {
                throw SigningFailure(description: "it cannot be read again")
            }
            return (read, key, try key.der())
        } catch {
            throw AuthorityError(kind: .signing, problem: "the CA certificate could not be made: \(error)")
        }
    }

    /// What people find the authority by in a list of a hundred others. At most 64 characters (RFC 5280, ub-common-name).
    static func subjectName(host: String, day: String) -> String {
        let shortened = host.prefix { $0 != "." }.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }.prefix(25)
        return "Unmask local authority (\(shortened.isEmpty ? "" : shortened + ", ")\(day))"
    }

    private static func hostName() -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
