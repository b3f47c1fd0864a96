import Foundation
import Testing

@testable import CertificateAuthority

@Suite("Trust for one program: an authority that is written nowhere, and the files that runtimes read")
struct TemporaryTrustTests {
    @Test("each run has an authority of its own, which signs leaves")
    func authority() throws {
        let (one, other) = (try LocalAuthority.temporary(), try LocalAuthority.temporary())
        #expect(one.certificate.der != other.certificate.der)
        #expect(try one.issue(LeafRequest(dnsNames: ["localhost"])).chain.count == 2)
    }

    @Test("OpenSSL finds the certificate under the name that we give its file")
    func folder() throws {
        guard let openssl = Program("openssl") else { return print("skipped: the name of a certificate's file (openssl is missing)") }
        let scratch = try ScratchFolder()
        let certificate = try LocalAuthority.temporary().certificate
        let file = try scratch.write(Array(certificate.pem.utf8), to: "one.pem")
        let hash = try openssl.run(["x509", "-in", file, "-noout", "-hash"]).text.trimmingCharacters(in: .whitespacesAndNewlines)
        #expect(certificate.fileNameInFolder == hash + ".0")
    }

    @Test("a trust store for Java is PKCS #12 with each certificate in it")
    func trustStore() throws {
        guard let openssl = Program("openssl") else { return print("skipped: a trust store (openssl is missing)") }
        let scratch = try ScratchFolder()
        let certificates = [try LocalAuthority.temporary().certificate, try LocalAuthority.temporary().certificate]
        let file = try scratch.write(JavaTrustStore.bytes(certificates.map(\.der)), to: "store.p12")
        // It has no MAC, since it has no password.
        let read = try openssl.run(["pkcs12", "-in", file, "-nokeys", "-nomacver", "-passin", "pass:"])
        #expect(read.status == 0, "\(read.text)")
        #expect(PEMCertificates.der(in: read.text) == certificates.map(\.der))
        #expect(read.text.contains("friendlyName: unmask-1") && read.text.contains("2.16.840.1.113894.746875.1.1"), "\(read.text)")
    }

    @Test("certificates are found among other text, once each, and what is none is left out")
    func pem() throws {
        let certificate = try LocalAuthority.temporary().certificate
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let lines = certificate.pem.replacing("\n", with: "\r\n")
        let text =
            "# A company's\n" + certificate.pem + broken + lines + "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\nrest"
        #expect(PEMCertificates.der(in: text, isReadable: true) == [certificate.der])
        #expect(PEMCertificates.der(in: text) == [certificate.der, [0, 0, 0]])
        #expect(PEMCertificates.text(certificate.der) == certificate.pem)
    }
}
