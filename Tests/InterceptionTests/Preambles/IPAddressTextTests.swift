import Dissection
import Interception
import Testing

/// Addresses in text.
@Suite("Addresses in text")
struct IPAddressTextTests {
    @Test(
        "what is read is written in its canonical form",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("255.255.255.255", "255.255.255.255"), ("::", "::"), ("::1", "::1"), ("1::", "1::"),
            ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"), ("::ffff:1.2.3.4", "::ffff:102:304"),
            ("64:ff9b::1.2.3.4", "64:ff9b::102:304"), ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("1::0002", "1::2"),
        ])
    func read(text: String, canonical: String) throws {
        let address = try #require(IPAddress(text: text))
        #expect(address.literal == canonical)
        #expect(IPAddress(text: canonical) == address)
        #expect(IPAddress(networkBytes: address.networkBytes) == address)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.-4", "1.2.3.+4", "1.2.3.4 ", "a.b.c.d", ":", ":::", "1", "1:2",
            "1::2::3",
            ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "12345::", "g::", "+1::", "::1%eth0", "::1.2.3",
            "1.2.3.4::",
            "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.٤", String(repeating: "1:", count: 100),
        ])
    func refused(text: String) {
        #expect(IPAddress(text: text) == nil)
    }

    @Test("loopback is 127.0.0.0/8 and ::1, also inside IPv6")
    func loopback() {
        for text in ["127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"] {
            #expect(IPAddress(text: text)?.isLoopback == true, "\(text)")
        }
        for text in ["128.0.0.1", "0.0.0.0", "::", "::2", "::ffff:128.0.0.1", "::127.0.0.1", "1::1"] {
            #expect(IPAddress(text: text)?.isLoopback == false, "\(text)")
        }
    }
}
