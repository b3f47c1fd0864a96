import Crypto
import Libc
import SwiftASN1
import X509

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

    let key: Certificate.PrivateKey
    let keyIdentifier: SubjectKeyIdentifier

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
            let key = P256.Signing.PrivateKey()
            let certificate = try make(for: key, at: now)
            beforeWriting()
            _ = try AuthorityFiles(folder: folder).writePair(certificate: certificate.pem, key: key.pemRepresentation + "\n")
        }
    }

    /// An authority for one run, which is written nowhere: what trusts it trusts nobody any more when the process has ended.
    ///
    /// - Parameter now: the time of the wall clock.
    /// - Throws: AuthorityError: `signing`.
    package static func temporary(at now: Date = Date()) throws(AuthorityError) -> LocalAuthority {
        let key = P256.Signing.PrivateKey()
        return LocalAuthority(certificate: try make(for: key, at: now), key: Certificate.PrivateKey(key))
    }

    /// The authority in a folder.
    ///
    /// - Throws: AuthorityError: `missing`, `halfAPair`, `unreadable`, `exposed`, `damaged` or `expired`.
    package static func load(from folder: AuthorityFolder, at now: Date = Date()) throws(AuthorityError) -> LocalAuthority {
        let pair = try AuthorityFiles(folder: folder).readPair()
        let certificate = try AuthorityCertificate(pem: pair.certificate, path: folder.certificatePath)
        let advice = "put back a copy, or let unmask ca remove --yes clear it away and begin anew"
        guard let key = try? Certificate.PrivateKey(pemEncoded: String(decoding: pair.key, as: UTF8.self)) else {
            throw AuthorityError(kind: .damaged, path: folder.keyPath, problem: "holds no private key that can be read", advice: advice)
        }
        guard key.publicKey == certificate.certificate.publicKey else {
            throw AuthorityError(kind: .damaged, path: folder.keyPath, problem: "is the key of another certificate", advice: advice)
        }
        guard now < certificate.notValidAfter else {
            throw AuthorityError(
                kind: .expired, path: folder.certificatePath,
                problem: "the CA certificate expired on \(CalendarDay.text(certificate.notValidAfter))",
                advice: "unmask ca remove --yes takes it away, unmask ca makes another, and every device has to trust that one instead")
        }
        return LocalAuthority(certificate: certificate, key: key)
    }

    private init(certificate: AuthorityCertificate, key: Certificate.PrivateKey) {
        self.certificate = certificate
        self.key = key
        let named = (try? certificate.certificate.extensions.subjectKeyIdentifier) ?? nil
        keyIdentifier = named ?? SubjectKeyIdentifier(hash: certificate.certificate.publicKey)
        leafKey = LeafKey()
    }

    /// Deletes the pair in a folder, whatever state it is in. Proxies that run keep what they have loaded.
    ///
    /// - Returns: the paths that were deleted.
    package static func delete(in folder: AuthorityFolder) throws(AuthorityError) -> [String] {
        try AuthorityFiles(folder: folder).removePair()
    }

    // MARK: - Making its certificate

    /// A self-signed certificate of an authority that may sign leaves and nothing else (RFC 5280 4.2.1.3, 4.2.1.9).
    private static func make(for key: P256.Signing.PrivateKey, at now: Date) throws(AuthorityError) -> AuthorityCertificate {
        let begin = now.addingTimeInterval(-backdating)
        do {
            let name = try DistinguishedName {
                CommonName(subjectName(host: hostName(), day: CalendarDay.text(now)))
                OrganizationName("Unmask")
            }
            let publicKey = Certificate.PublicKey(key.publicKey)
            let identifier = SubjectKeyIdentifier(hash: publicKey)
            let certificate = try Certificate(
                version: .v3, serialNumber: .unpredictable, publicKey: publicKey, notValidBefore: begin,
                notValidAfter: begin.addingTimeInterval(lifetime), issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    identifier
                },
                issuerPrivateKey: Certificate.PrivateKey(key))
            return try AuthorityCertificate(certificate)
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

extension Certificate.SerialNumber {
    /// 127 random bits: positive, nowhere near the bound of 20 octets (RFC 5280 4.1.2.2), never the same twice.
    static var unpredictable: Certificate.SerialNumber {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        bytes[0] = bytes[0] & 0x7F | 0x40
        return Certificate.SerialNumber(bytes: bytes)
    }
}
