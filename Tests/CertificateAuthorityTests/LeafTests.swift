import Foundation
import Synchronization
import Testing

@testable import CertificateAuthority

@Suite("Leaves: what a client is shown")
struct LeafTests {
    let scratch: ScratchFolder
    let authority: LocalAuthority

    init() throws {
        scratch = try ScratchFolder()
        authority = try LocalAuthority.loadOrCreate(in: scratch.authority)
    }

    private func parsed(_ leaf: Leaf) throws -> ReadCertificate { try ReadCertificate(leaf.certificate) }

    /// openssl, which says what it is skipped for where there is none.
    private func openssl(for what: String) -> Program? {
        let program = Program("openssl")
        if program == nil { print("skipped: \(what) (there is no openssl)") }
        return program
    }

    /// What openssl makes of it, as a client would.
    private func isAccepted(
        _ leaf: Leaf, by openssl: Program, host: String? = nil, address: String? = nil, at now: Date = Date()
    ) throws -> Bool {
        let file = try scratch.write(PEMCertificates.text(leaf.certificate).utf8, to: "leaf.pem")
        var arguments = ["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", scratch.authority.certificatePath]
        arguments += ["-attime", String(Int(now.timeIntervalSince1970))]
        if let host { arguments += ["-verify_hostname", host] }
        if let address { arguments += ["-verify_ip", address] }
        return try openssl.run(arguments + [file]).status == 0
    }

    @Test("a verifier accepts it for each of its names and addresses, and for no other")
    func names() throws {
        guard let openssl = openssl(for: "names of leaves") else { return }
        let leaf = try authority.issue(
            LeafRequest(
                dnsNames: ["chat.example", "*.chat.example"], ipAddresses: [[127, 0, 0, 1], [UInt8](repeating: 0, count: 15) + [1]],
                commonName: "chat.example"))
        #expect(try isAccepted(leaf, by: openssl, host: "chat.example"))
        #expect(try isAccepted(leaf, by: openssl, host: "eu.chat.example"))
        #expect(try isAccepted(leaf, by: openssl, address: "127.0.0.1"))
        #expect(try isAccepted(leaf, by: openssl, address: "::1"))
        #expect(try !isAccepted(leaf, by: openssl, host: "other.example"))
        #expect(try !isAccepted(leaf, by: openssl, address: "127.0.0.2"))
    }

    @Test("openssl accepts it too, and says the same of names and purpose")
    func openssl() throws {
        guard let openssl = openssl(for: "openssl on leaves") else { return }
        let requests = [
            LeafRequest(dnsNames: ["chat.example", "*.chat.example"], ipAddresses: [[127, 0, 0, 1]], commonName: "chat.example"),
            LeafRequest(dnsNames: ["chat.example"], ipAddresses: [[127, 0, 0, 1]]),
        ]
        for request in requests {
            let leaf = try authority.issue(request)
            let file = try scratch.write(PEMCertificates.text(leaf.certificate).utf8, to: "leaf.pem")
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
    func authorityEnds() throws {
        let end = authority.certificate.notValidAfter
        let late = try authority.issue(LeafRequest(dnsNames: ["a.example"]), at: end.addingTimeInterval(-3_600))
        #expect(late.notValidAfter == end)
        // In its last day it is used to its end, and not made anew for every connection.
        #expect(late.renewAfter == end)
        #expect(throws: AuthorityError.self) { try authority.issue(LeafRequest(dnsNames: ["a.example"]), at: end) }
        guard let openssl = openssl(for: "a leaf in the last hour of its CA") else { return }
        #expect(try isAccepted(late, by: openssl, host: "a.example", at: end.addingTimeInterval(-1_800)))
        #expect(try !isAccepted(late, by: openssl, host: "a.example", at: end.addingTimeInterval(1)))
    }

    @Test("it is renewed a day before its end")
    func renewal() throws {
        let leaf = try authority.issue(LeafRequest(dnsNames: ["a.example"]))
        #expect(leaf.notValidAfter.timeIntervalSince(leaf.renewAfter) == 86_400)
    }

    @Test("its extensions say what RFC 5280 wants of them")
    func extensions() throws {
        let request = LeafRequest(dnsNames: ["a.example"], ipAddresses: [[127, 0, 0, 1]], commonName: "a.example")
        let certificate = try parsed(authority.issue(request))
        let identifier = NewCertificate.identifier(ofKey: certificate.publicKey)
        let issuer = try ReadCertificate(authority.certificate.der)
        #expect(
            certificate.extensions == [
                // basicConstraints: not a CA.
                .init(identifier: "2.5.29.19", isCritical: true, value: [UInt8](hex: "30 00")),
                // keyUsage: digitalSignature.
                .init(identifier: "2.5.29.15", isCritical: true, value: [UInt8](hex: "03 02 07 80")),
                // extKeyUsage: serverAuth.
                .init(identifier: "2.5.29.37", value: [UInt8](hex: "30 0A 06 08 2B 06 01 05 05 07 03 01")),
                .init(identifier: "2.5.29.14", value: [0x04, 20] + identifier),
                .init(identifier: "2.5.29.35", value: [0x30, 22, 0x80, 20] + issuer.keyIdentifier),
                .init(
                    identifier: "2.5.29.17", value: [0x30, 17, 0x82, 9] + Array("a.example".utf8) + [0x87, 4, 127, 0, 0, 1]),
            ])
        #expect(certificate.issuer == issuer.subject && issuer.keyIdentifier.count == 20)
        // A Name with one common name in UTF-8.
        #expect(certificate.subject == [UInt8](hex: "30 14 31 12 30 10 06 03 55 04 03 0C 09") + Array("a.example".utf8))
    }

    @Test("without a common name the subject is empty and the names are critical")
    func emptySubject() throws {
        let certificate = try parsed(authority.issue(LeafRequest(ipAddresses: [[10, 0, 0, 1]])))
        #expect(certificate.subject == [0x30, 0])
        #expect(certificate.alternativeNames?.isCritical == true)
    }

    @Test("a request for nobody, for nonsense or for thousands still gives a leaf that can be read")
    func oddRequests() throws {
        let many = (0..<3_000).map { "host\($0).example" }
        let requests = [
            LeafRequest(),
            LeafRequest(dnsNames: ["not a name", "a..b", ""], ipAddresses: [[], [1, 2, 3], [UInt8](repeating: 0, count: 17)]),
            LeafRequest(dnsNames: many, commonName: String(repeating: "x", count: 65)), LeafRequest(commonName: "ü\u{0}\n"),
        ]
        let counts = try requests.map { try parsed(authority.issue($0)).nameCount }
        #expect(counts == [0, 0, LeafRequest.limit, 0])
    }

    @Test("serial numbers are positive, short enough, and never the same twice")
    func serials() throws {
        let serials = try (0..<50).map { _ in try parsed(authority.issue(LeafRequest(dnsNames: ["a.example"]))).serialNumber }
        #expect(Set(serials).count == 50)
        #expect(serials.allSatisfy { $0.count == 16 && ($0.first ?? 0) & 0x80 == 0 })
    }

    @Test("its key fits, in both forms, and is not the authority's")
    func key() throws {
        let leaf = try authority.issue(LeafRequest(dnsNames: ["a.example"]))
        let certificate = try parsed(leaf)
        #expect(try SigningKey(der: leaf.key.der).publicKey == certificate.publicKey)
        #expect(try SigningKey(der: #require(PEMBlock(leaf.key.pem)).der).publicKey == certificate.publicKey)
        #expect(try certificate.publicKey != ReadCertificate(authority.certificate.der).publicKey)
        #expect(leaf.chain == [leaf.certificate, authority.certificate.der])
    }

    @Test("threads that sign at once each get a leaf of their own, which the authority has signed")
    func threads() throws {
        let authority = authority
        let leaves = Mutex<[Leaf]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<25 {
                guard let leaf = try? authority.issue(LeafRequest(dnsNames: ["host\(thread)-\(number).example"])) else { continue }
                leaves.withLock { $0.append(leaf) }
            }
        }
        let made = leaves.withLock { $0 }
        #expect(try Set(made.map { try parsed($0).serialNumber }).count == 200)
        #expect(made.allSatisfy { ReadCertificate.isSigned($0.certificate, by: authority.certificate.der) })
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
