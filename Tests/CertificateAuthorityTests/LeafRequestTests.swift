import Foundation
import Testing

@testable import CertificateAuthority

@Suite("What a leaf is for: the client's wish, the way taken, the server's own certificate")
struct LeafRequestTests {
    let scratch: ScratchFolder
    let authority: LocalAuthority

    init() throws {
        scratch = try ScratchFolder()
        authority = try LocalAuthority.loadOrCreate(in: scratch.authority)
    }

    /// A server's certificate with these names, whatever they are.
    private func certificate(_ names: [CertificateExtension.AlternativeName], commonName: String = "") throws -> [UInt8] {
        let certificate = NewCertificate(
            issuer: NewCertificate.name(nil), subject: NewCertificate.name(commonName.isEmpty ? nil : commonName),
            publicKey: authority.key.publicKey, notValidBefore: Date(), notValidAfter: Date() + 60,
            extensions: [.basicConstraints(isCA: false)] + (names.isEmpty ? [] : [.subjectAlternativeNames(names)]))
        return try certificate.signed(by: authority.key)
    }

    @Test("the client's name comes first, then where the proxy went, then what the certificate says; nothing twice")
    func order() throws {
        let der = try certificate([.dns("*.example"), .dns("Chat.Example"), .address([10, 0, 0, 1])], commonName: "old.example")
        let request = LeafRequest(certificate: der, serverName: "chat.example", dialled: "127.0.0.1")
        #expect(request.dnsNames == ["chat.example", "*.example"])
        #expect(request.ipAddresses == [[127, 0, 0, 1], [10, 0, 0, 1]])
        #expect(request.commonName == "chat.example")
    }

    @Test("equal connections make equal requests, others do not")
    func equality() throws {
        let der = try certificate([.dns("a.example")])
        let request = LeafRequest(certificate: der, serverName: "a.example", dialled: "a.example")
        #expect(request == LeafRequest(certificate: der, serverName: "A.example.", dialled: "a.example"))
        #expect(request != LeafRequest(certificate: der, serverName: "b.example", dialled: "a.example"))
    }

    @Test(
        "an address is entered as one, wherever it comes from",
        arguments: [
            ("10.0.0.1", [10, 0, 0, 1]), ("::1", [UInt8](repeating: 0, count: 15) + [1]), ("[::1]", [UInt8](repeating: 0, count: 15) + [1]),
            ("fe80::1%eth0", [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]),
        ])
    func addresses(text: String, bytes: [UInt8]) {
        let request = LeafRequest(certificate: nil, serverName: text, dialled: text)
        #expect(request.ipAddresses == [bytes])
        #expect(request.dnsNames == [])
    }

    @Test(
        "what is no name is left out",
        arguments: [
            "", ".", "a b.example", "a\u{0}.example", "ü.example", "a..example", ".example", "*.example", "10.0.0.256", "1.2.3", "0x7f.1",
            "http://a.example", "a.example:443", "a.example/", "<script>", String(repeating: "a", count: 64) + ".example",
            String(repeating: "abc.", count: 64) + "example", "[::1", "::1]", String(repeating: ":", count: 70_000),
        ])
    func nonsense(text: String) {
        let request = LeafRequest(certificate: nil, serverName: text, dialled: nil)
        #expect(request == LeafRequest())
    }

    @Test(
        "names as the world has them are kept",
        arguments: [
            "localhost", "a", "a-b.example", "_dmarc.example", "xn--bcher-kva.example", "1.example",
            String(repeating: "a", count: 63) + ".example",
            String(repeating: "abc.", count: 61) + "examples", "3com.com",
        ])
    func names(text: String) {
        #expect(LeafRequest(certificate: nil, serverName: text, dialled: nil).dnsNames == [text])
    }

    @Test("in a certificate too, a wildcard may stand for the first label and for nothing else")
    func certificateNames() throws {
        let kept = ["*.example", "a.example"]
        let dropped = ["*", "a.*.example", "*a.example", "**.example", "*.", "a.example\u{0}.evil.example", "two words", "1.2.3.4"]
        let der = try certificate(
            (kept + dropped).map(CertificateExtension.AlternativeName.dns) + [
                .address([1, 2, 3]), .address([]), .init(tag: 0x81, Array("ana@example".utf8)),
                .init(tag: 0x86, Array("http://u.example".utf8)),
            ])
        let names = CertificateNames(certificate: der)
        #expect(names.dnsNames == kept)
        #expect(names.ipAddresses == [])
    }

    @Test("the subject names the server only where nothing else does")
    func subject() throws {
        let old = try certificate([], commonName: "old.example")
        #expect(LeafRequest(certificate: old, serverName: nil, dialled: "10.0.0.1").dnsNames == ["old.example"])
        let numbered = try certificate([], commonName: "10.0.0.9")
        #expect(LeafRequest(certificate: numbered, serverName: nil, dialled: nil).ipAddresses == [[10, 0, 0, 9]])
        let company = try certificate([], commonName: "Example & Sons")
        #expect(LeafRequest(certificate: company, serverName: nil, dialled: nil) == LeafRequest())
    }

    @Test("a common name that is too long for one is not used as one")
    func longName() {
        let long = String(repeating: "abcdefgh.", count: 8) + "example"
        let request = LeafRequest(certificate: nil, serverName: long, dialled: "short.example")
        #expect(request.dnsNames == [long, "short.example"])
        #expect(request.commonName == "short.example")
    }

    @Test("of a certificate with a thousand names the client's own and the first ninety-nine are kept")
    func manyNames() throws {
        let der = try certificate((0..<1_000).map { .dns("host\($0).example") })
        let request = LeafRequest(certificate: der, serverName: "mine.example", dialled: nil)
        #expect(request.dnsNames == ["mine.example"] + (0..<99).map { "host\($0).example" })
    }

    @Test("a key that nobody knows does not hide the names")
    func unknownKey() throws {
        var der = try certificate([.dns("a.example")])
        // 1.2.840.10045.2.1 becomes 1.2.840.10045.2.125.
        let algorithm: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let range = try #require(der.firstRange(of: algorithm))
        der[range.upperBound - 1] = 0x7D
        #expect(PEMCertificates.der(in: PEMCertificates.text(der), isReadable: true) == [])
        #expect(CertificateNames(certificate: der).dnsNames == ["a.example"])
    }

    @Test("no bytes can trap: cut anywhere, changed anywhere, nested without end")
    func mutations() throws {
        let der = try certificate([.dns("a.example"), .dns("*.b.example"), .address([10, 0, 0, 1])], commonName: "a.example")
        for count in 0..<der.count { #expect(CertificateNames(certificate: Array(der.prefix(count))).dnsNames == []) }
        for index in der.indices {
            for value in [0x00, 0x01, 0x30, 0x7F, 0x80, 0x84, 0xA0, 0xFF, der[index] ^ 0x20] as [UInt8] {
                var changed = der
                changed[index] = value
                let request = LeafRequest(certificate: changed, serverName: nil, dialled: nil)
                #expect(request.dnsNames.count <= 3)
                #expect(request.dnsNames.allSatisfy { HostName.dnsName($0, allowsWildcard: true) == $0 })
            }
        }
        var nested: [UInt8] = []
        for _ in 0..<60 { nested = [0x30, 0x82, UInt8(nested.count >> 8), UInt8(nested.count & 0xFF)] + nested }
        #expect(CertificateNames(certificate: nested) == CertificateNames(certificate: []))
        #expect(CertificateNames(certificate: [UInt8](repeating: 0x30, count: 200_000)).dnsNames == [])
    }
}
