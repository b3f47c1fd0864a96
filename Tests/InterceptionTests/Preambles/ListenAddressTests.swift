import Interception
import Testing

/// `--listen`.
@Suite("Listen addresses")
struct ListenAddressTests {
    @Test(
        "each spelling is read, and whether others can reach it",
        arguments: [
            ("8080", "127.0.0.1:8080", true), (":8080", "127.0.0.1:8080", true), ("localhost:80", "localhost:80", true),
            ("app.localhost:80", "app.localhost:80", true), ("[::1]:8080", "[::1]:8080", true), ("127.8.9.1:1", "127.8.9.1:1", true),
            ("[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1", true), ("0.0.0.0:8080", "0.0.0.0:8080", false),
            ("*:8080", "0.0.0.0:8080", false), ("[::]:8080", "[::]:8080", false), ("192.168.1.5:65535", "192.168.1.5:65535", false),
            ("example.org:1", "example.org:1", false), ("0", "127.0.0.1:0", true), ("127.0.0.1:0", "127.0.0.1:0", true),
            ("[fe80::1%eth0]:8080", "[fe80::1%eth0]:8080", false), ("unix:/run/a.sock", "unix:/run/a.sock", true),
        ])
    func spellings(text: String, canonical: String, isLoopback: Bool) throws {
        let address = try ListenAddress(text)
        #expect(address.description == canonical)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(
        "what is no address is refused",
        arguments: ["", ":", "host", "host:", "[::1]", "::1", "::1:80", "1:2:3", "a:65536", "unix:", "a:00"])
    func faults(text: String) {
        #expect(throws: SpecError.self) { try ListenAddress(text) }
    }
}
