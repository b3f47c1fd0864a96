import Interception
import NIOSSL
import Testing

/// Which certificates belong to which names (RFC 9525).
@Suite("Server identity")
struct ServerIdentityTests {
    private func accepts(_ wanted: String, names: [String] = [], addresses: [[UInt8]] = []) throws -> Bool {
        let leaf = try TestAuthority().leaf(names: names, addresses: addresses)
        return ServerIdentity(name: wanted).problem(with: try NIOSSLCertificate(bytes: leaf.chain[0], format: .der)) == nil
    }

    @Test(
        "names that match",
        arguments: [
            ("example.org", "example.org"), ("EXAMPLE.org", "example.ORG"), ("example.org.", "example.org"),
            ("a.example.org", "*.example.org"), ("A.example.org", "*.EXAMPLE.org"), ("xn--bcher-kva.example.org", "*.example.org"),
            ("localhost", "localhost"), ("under_score.example.org", "under_score.example.org"),
        ])
    func matching(wanted: String, name: String) throws { #expect(try accepts(wanted, names: [name])) }

    @Test(
        "names that do not",
        arguments: [
            ("example.org", "example.com"), ("a.example.org", "example.org"), ("example.org", "*.example.org"),
            ("a.b.example.org", "*.example.org"),
            (".example.org", "*.example.org"), ("example.org", "*.org"), ("example.org", "*"), ("a.example.org", "a*.example.org"),
            ("a.example.org", "*.*.org"), ("a.b.example.org", "a.*.example.org"), ("example.org", "example.org\0.evil.net"),
            ("example.org\0.evil.net", "example.org"), ("127.0.0.1", "127.0.0.1"), ("a.1", "*.1"), ("", ""),
            ("example.org", "example.org."), ("example.org.", "example.org."), ("a.example.org", "*.example.org."),
        ])
    func different(wanted: String, name: String) throws { #expect(try !accepts(wanted, names: [name])) }

    @Test("addresses match addresses, in any of their spellings")
    func addresses() throws {
        let six: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1]
        #expect(try accepts("192.0.2.7", addresses: [[192, 0, 2, 7]]))
        #expect(try !accepts("192.0.2.8", addresses: [[192, 0, 2, 7]]))
        #expect(try accepts("2001:db8::1", addresses: [six]))
        #expect(try accepts("[2001:DB8:0:0::1]", addresses: [six]))
        #expect(try accepts("fe80::1%eth0", addresses: [[0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]]))
        #expect(try !accepts("example.org", addresses: [[192, 0, 2, 7]]))
    }

    @Test("one of many names is enough, and the subject's common name is none")
    func many() throws {
        #expect(try accepts("h499.example.org", names: (0..<500).map { "h\($0).example.org" }))
        #expect(try !accepts("a leaf"))
        #expect(ServerIdentity(name: "x").problem(with: nil) == .missing)
        #expect(ServerIdentity(name: "x", isVerified: false).problem(with: nil) == nil)
    }
}
