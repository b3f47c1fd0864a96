import Crypto
import Foundation
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@testable import CertificateAuthority

@Suite("Leaves: what a client is shown")
struct LeafTests {
    let scratch: ScratchFolder
    let authority: LocalAuthority

    init() throws {
        scratch = try ScratchFolder()
        authority = try LocalAuthority.loadOrCreate(in: scratch.authority)
    }

    private func parsed(_ leaf: Leaf) throws -> Certificate { try Certificate(derEncoded: leaf.certificate) }

    /// What swift-certificates makes of it, as a client would.
    private func isAccepted(_ leaf: Leaf, host: String? = nil, address: String? = nil, at now: Date = Date()) async throws -> Bool {
        var verifier = Verifier(rootCertificates: CertificateStore([authority.certificate.certificate])) {
            RFC5280Policy(fixedExpiryValidationTime: now)
            ServerIdentityPolicy(serverHostname: host, serverIP: address)
        }
        let result = await verifier.validate(leaf: try parsed(leaf), intermediates: CertificateStore())
        if case .validCertificate = result { return true }
        return false
    }

    @Test("a verifier accepts it for each of its names and addresses, and for no other")
    func names() async throws {
        let leaf = try authority.issue(
            LeafRequest(
                dnsNames: ["chat.example", "*.chat.example"], ipAddresses: [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]],
                commonName: "chat.example"))
        #expect(try await isAccepted(leaf, host: "chat.example"))
        #expect(try await isAccepted(leaf, host: "eu.chat.example"))
        #expect(try await isAccepted(leaf, address: "127.0.0.1"))
        #expect(try await isAccepted(leaf, address: "::1"))
        #expect(try await !isAccepted(leaf, host: "other.example"))
        #expect(try await !isAccepted(leaf, address: "127.0.0.2"))
    }

    @Test("openssl accepts it too, and says the same of names and purpose")
    func openssl() throws {
        guard let openssl = Program("openssl") else {
            print("skipped: openssl on leaves (there is no openssl)")
            return
        }
        let requests = [
            LeafRequest(dnsNames: ["chat.example", "*.chat.example"], ipAddresses: [[127, 0, 0, 1]], commonName: "chat.example"),
            LeafRequest(dnsNames: ["chat.example"], ipAddresses: [[127, 0, 0, 1]]),
        ]
        for request in requests {
            let leaf = try authority.issue(request)
            let file = try scratch.write(PEMDocument(type: "CERTIFICATE", derBytes: leaf.certificate).pemString.utf8, to: "leaf.pem")
            let verify = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", scratch.authority.certificatePath]
            for (name, isGood) in [("chat.example", true), ("other.example", false)] {
                let outcome = try openssl.run(verify + ["-verify_hostname", name, file])
                #expect((outcome.status == 0) == isGood, "\(outcome.text)")
            }
            #expect(try openssl.run(verify + ["-verify_ip", "127.0.0.1", file]).status == 0)
            let text = try openssl.run(["x509", "-in", file, "-noout", "-text"]).text
            #expect(text.contains("TLS Web Server Authentication"))
            #expect(text.contains("CA:FALSE"))
        }
    }

    @Test("it is valid from yesterday, for 197 days and no second more")
    func lifetime() throws {
        let now = Date(timeIntervalSince1970: authority.certificate.notValidBefore.timeIntervalSince1970.rounded(.down) + 90_000.7)
        let certificate = try parsed(authority.issue(LeafRequest(dnsNames: ["a.example"]), at: now))
        #expect(certificate.notValidBefore == Date(timeIntervalSince1970: (now.timeIntervalSince1970 - 86_400).rounded(.down)))
        // The last second counts too.
        #expect(certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore) + 1 == 197 * 86_400)
    }

    @Test("under a CA that lives 30 days more it ends with the CA, and under one that lives longer after 197 days")
    func shortAuthority() throws {
        let end = authority.certificate.notValidAfter
        for (days, lifetime) in [(30, 31), (195, 196), (197, 197), (400, 197)] {
            let now = end.addingTimeInterval(-TimeInterval(days) * 86_400)
            let certificate = try parsed(authority.issue(LeafRequest(dnsNames: ["a.example"]), at: now))
            #expect(certificate.notValidAfter <= end)
            let seconds = certificate.notValidAfter.timeIntervalSince(certificate.notValidBefore)
            #expect(((seconds + 1) / 86_400).rounded() == Double(lifetime), "\(days) days before the end of the CA")
        }
    }

    @Test("never beyond the authority's own end, and none after it")
    func authorityEnds() async throws {
        let end = authority.certificate.notValidAfter
        let late = try authority.issue(LeafRequest(dnsNames: ["a.example"]), at: end.addingTimeInterval(-3_600))
        #expect(late.notValidAfter == end)
        // In its last day it is used to its end, and not made anew for every connection.
        #expect(late.renewAfter == end)
        #expect(try await isAccepted(late, host: "a.example", at: end.addingTimeInterval(-1_800)))
        #expect(throws: AuthorityError.self) { try authority.issue(LeafRequest(dnsNames: ["a.example"]), at: end) }
    }

    @Test("it is renewed a day before its end")
    func renewal() throws {
        let leaf = try authority.issue(LeafRequest(dnsNames: ["a.example"]))
        #expect(leaf.notValidAfter.timeIntervalSince(leaf.renewAfter) == 86_400)
    }

    @Test("its extensions say what RFC 5280 wants of them")
    func extensions() throws {
        let certificate = try parsed(authority.issue(LeafRequest(dnsNames: ["a.example"], commonName: "a.example")))
        let extensions = certificate.extensions
        #expect(try extensions.basicConstraints == .notCertificateAuthority)
        #expect(try extensions.keyUsage == KeyUsage(digitalSignature: true))
        #expect(try extensions.extendedKeyUsage == ExtendedKeyUsage([.serverAuth]))
        let identifier = try authority.certificate.certificate.extensions.subjectKeyIdentifier
        #expect(try extensions.authorityKeyIdentifier?.keyIdentifier == identifier?.keyIdentifier)
        #expect(try extensions.subjectKeyIdentifier == SubjectKeyIdentifier(hash: certificate.publicKey))
        #expect(extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == false)
    }

    @Test("without a common name the subject is empty and the names are critical")
    func emptySubject() throws {
        let certificate = try parsed(authority.issue(LeafRequest(ipAddresses: [[10, 0, 0, 1]])))
        #expect(certificate.subject.isEmpty)
        #expect(certificate.extensions[oid: .X509ExtensionID.subjectAlternativeName]?.critical == true)
    }

    @Test("a request for nobody, for nonsense or for thousands still gives a leaf that can be read")
    func oddRequests() throws {
        let many = (0..<3_000).map { "host\($0).example" }
        let requests = [
            LeafRequest(),
            LeafRequest(dnsNames: ["not a name", "a..b", ""], ipAddresses: [[], [1, 2, 3], [UInt8](repeating: 0, count: 17)]),
            LeafRequest(dnsNames: many, commonName: String(repeating: "x", count: 65)), LeafRequest(commonName: "ü\u{0}\n"),
        ]
        let counts = try requests.map { try parsed(authority.issue($0)).extensions.subjectAlternativeNames?.count ?? 0 }
        #expect(counts == [0, 0, LeafRequest.limit, 0])
    }

    @Test("serial numbers are positive, short enough, and never the same twice")
    func serials() throws {
        let serials = try (0..<50).map { _ in try parsed(authority.issue(LeafRequest(dnsNames: ["a.example"]))).serialNumber.bytes }
        #expect(Set(serials.map(Array.init)).count == 50)
        #expect(serials.allSatisfy { $0.count == 16 && ($0.first ?? 0) & 0x80 == 0 })
    }

    @Test("its key fits, in both forms, and is not the authority's")
    func key() throws {
        let leaf = try authority.issue(LeafRequest(dnsNames: ["a.example"]))
        let certificate = try parsed(leaf)
        #expect(try Certificate.PrivateKey(P256.Signing.PrivateKey(derRepresentation: leaf.key.der)).publicKey == certificate.publicKey)
        #expect(try Certificate.PrivateKey(pemEncoded: leaf.key.pem).publicKey == certificate.publicKey)
        #expect(certificate.publicKey != authority.certificate.certificate.publicKey)
        #expect(leaf.chain == [leaf.certificate, authority.certificate.der])
    }

    @Test("signing one costs little, a hundred names included")
    func cost() throws {
        let request = LeafRequest(dnsNames: (0..<100).map { "host-number-\($0).example" }, commonName: "host-number-0.example")
        // The fastest of several rounds: what else the machine does is none of our concern.
        let rounds = try (0..<20).map { _ in
            try ContinuousClock().measure { for _ in 0..<5 { _ = try authority.issue(request) } } / 5
        }
        let fastest = try #require(rounds.min())
        print("a leaf of 100 names: \(fastest)")
        // Built for debugging, and with all other tests beside it; a release takes a tenth of what is usual here.
        #expect(fastest < .milliseconds(50))
    }
}
