import Foundation
import Testing

@testable import CertificateAuthority

@Suite("Authorities that are there already: those of earlier versions, and CAs of users' own")
struct ExistingAuthorityTests {
    let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Made in November 2026 by a version that had its certificates from swift-certificates.
    private static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIByTCCAW+gAwIBAgIQdsnnI1B4hpQbO5B1+4kkBjAKBggqhkjOPQQDAjBDMTAw
        LgYDVQQDDCdVbm1hc2sgbG9jYWwgYXV0aG9yaXR5ICh2bSwgMjAyNi0xMS0zMCkx
        DzANBgNVBAoMBlVubWFzazAeFw0yNjExMjkwNjM1NDlaFw0zMTExMjgwNjM1NDla
        MEMxMDAuBgNVBAMMJ1VubWFzayBsb2NhbCBhdXRob3JpdHkgKHZtLCAyMDI2LTEx
        LTMwKTEPMA0GA1UECgwGVW5tYXNrMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
        8p5KNWdpUmI9H5q2qNR9IOmgUf9AxI7zwBkYCrKNmrsZ3hEv9pkEzC3zP7oKjpIY
        ouFCOybWgO4bVTZ6lwTYYqNFMEMwEgYDVR0TAQH/BAgwBgEB/wIBADAOBgNVHQ8B
        Af8EBAMCAQYwHQYDVR0OBBYEFF5CX27JbAn1rZyCs+UcEJL3yHIpMAoGCCqGSM49
        BAMCA0gAMEUCIC1yIRUikRI3cpveehcAHEeRx3zZT0y6F6Jn3/NZHVzOAiEAgfg7
        WMCLvRZVMQctTibmbcLpC7mIFPiXL7NddS34J+4=
        -----END CERTIFICATE-----

        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjlSHGkf/Hsv8htb8
        DFnfNCDiV+XHUnhirb6cWcV1gsyhRANCAATynko1Z2lSYj0fmrao1H0g6aBR/0DE
        jvPAGRgKso2auxneES/2mQTMLfM/ugqOkhii4UI7JtaA7htVNnqXBNhi
        -----END PRIVATE KEY-----

        """
    /// A time at which it is valid.
    private static let then = Date(timeIntervalSince1970: 1_800_000_000)

    private func load(_ certificate: some Sequence<UInt8>, _ key: some Sequence<UInt8>, at now: Date) throws -> LocalAuthority {
        try scratch.write(certificate, to: "data/unmask/authority/unmask-authority.pem")
        try scratch.write(key, to: "data/unmask/authority/unmask-authority-key.pem", mode: 0o600)
        return try LocalAuthority.load(from: scratch.authority, at: now)
    }

    @Test("one of an earlier version is loaded as it is, and signs leaves")
    func earlier() throws {
        let authority = try load(Self.certificate.utf8, Self.key.utf8, at: Self.then)
        #expect(authority.certificate.pem == Self.certificate)
        #expect(try PEMBlock(label: PEMBlock.privateKey, der: authority.key.der()).text == Self.key)
        #expect(authority.certificate.name == "Unmask local authority (vm, 2026-11-30)")
        #expect(authority.certificate.fileNameInFolder == "b7935a33.0")
        #expect(authority.certificate.fingerprint.hasPrefix("5B:5C:40:D9"))
        let leaf = try authority.issue(LeafRequest(dnsNames: ["a.example"]), at: Self.then)
        #expect(ReadCertificate.isSigned(leaf.certificate, by: authority.certificate.der))
    }

    @Test("one that is made now differs from one of an earlier version in its name, its times, its number and its key alone")
    func same() throws {
        let old = try ReadCertificate(#require(PEMBlock(Self.certificate)).der)
        let new = try ReadCertificate(LocalAuthority.temporary().certificate.der)
        var expected = old.extensions
        expected[2].value = [0x04, 20] + new.keyIdentifier
        #expect(new.extensions == expected)
        #expect(old.publicKey.count == new.publicKey.count && old.publicKey.prefix(27) == new.publicKey.prefix(27))
        #expect(old.serialNumber.count == new.serialNumber.count)
        // The names of the machine and the day are another's.
        #expect(new.subject.suffix(17) == old.subject.suffix(17) && new.issuer == new.subject)
    }

    @Test(
        "a user's own CA may have a key of any kind that clients know, in either form of key files",
        arguments: [
            ["ecparam", "-name", "prime256v1", "-genkey", "-noout"], ["ecparam", "-name", "secp384r1", "-genkey", "-noout"],
            ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-521"], ["genrsa", "-traditional", "2048"], ["genrsa", "2048"],
            ["genpkey", "-algorithm", "ED25519"],
        ])
    func kinds(arguments: [String]) throws {
        guard let openssl = Program("openssl") else { return print("skipped: keys of users' own CAs (there is no openssl)") }
        let (key, certificate) = (scratch.path + "/key.pem", scratch.path + "/ca.pem")
        #expect(try openssl.run([arguments[0], "-out", key] + arguments.dropFirst()).status == 0)
        let request = ["req", "-x509", "-new", "-key", key, "-subj", "/CN=Own", "-days", "9", "-out", certificate]
        let made = try openssl.run(request + ["-addext", "keyUsage=critical,keyCertSign"])
        #expect(made.status == 0, "\(made.text)")
        let authority = try load(
            Data(contentsOf: URL(fileURLWithPath: certificate)), Data(contentsOf: URL(fileURLWithPath: key)), at: Date())
        let leaf = try authority.issue(LeafRequest(dnsNames: ["a.example"]))
        let file = try scratch.write(PEMCertificates.text(leaf.certificate).utf8, to: "leaf.pem")
        let verdict = try openssl.run(["verify", "-x509_strict", "-purpose", "sslserver", "-CAfile", certificate, file])
        #expect(verdict.status == 0, "\(verdict.text)")
    }

    @Test("a key that is encrypted, or of a kind that does not sign, is not read; the reason is said", arguments: [true, false])
    func unfit(isEncrypted: Bool) throws {
        guard let openssl = Program("openssl") else { return print("skipped: keys that do not fit (there is no openssl)") }
        let key = scratch.path + "/key.pem"
        let arguments = isEncrypted ? ["-algorithm", "ED25519", "-aes256", "-pass", "pass:secret"] : ["-algorithm", "X25519"]
        #expect(try openssl.run(["genpkey"] + arguments + ["-out", key]).status == 0)
        do {
            _ = try load(Self.certificate.utf8, Data(contentsOf: URL(fileURLWithPath: key)), at: Self.then)
            Issue.record("it was read")
        } catch let error as AuthorityError {
            #expect(error.kind == .damaged && error.problem == "holds no private key that can be read")
        }
    }
}
