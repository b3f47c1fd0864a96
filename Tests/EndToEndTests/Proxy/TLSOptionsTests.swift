import Foundation
import Support
import Testing

/// STARTTLS and its kin, the options about TLS, places and rewriting, with Python's ssl and sockets at both ends.
@Suite("Options of the proxy, with real peers") struct TLSOptionsTests {
    @Test("plaintext is followed into TLS, and each option does what it says") func everyOption() throws {
        guard PeerProgram.has("openssl"), PeerProgram.has("python3") else {
            print("skipped: the options about TLS with real peers: openssl or python3 is missing")
            return
        }
        let (lines, status) = try PeerProgram("tls_options.py", [UnmaskProcess.executable.path], announces: false).finish()
        #expect(status == 0, "\(lines.joined(separator: "\n"))")
        #expect(lines.count == 12, "\(lines)")
    }
}
