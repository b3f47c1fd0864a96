import Dissection
import Testing

@testable import Reports

/// What a client sends in one piece with the command that logs in, and elements and names in which a login stands.
@Suite("Answers that come with a login") struct LoginAnswersTests {
    @Test(
        "a password is hidden wherever it stands in the piece",
        arguments: [
            "A1 LOGIN ana {8+}\r\nZq7SECR!\r\nA2 SELECT INBOX\r\n", "A1 LOGIN {3+}\r\nana {8+}\r\nZq7SECR!\r\n",
            "a1 login {3+}\r\nana {8+}\r\nZq7 ECR!\r\n", "AUTHENTICATE \"PLAIN\" {16+}\r\nAGFuYQBacTdTRUNS\r\n",
            "AUTH LOGIN\r\nYW5h\r\nAGFuYQBacTdTRUNS\r\n", "EHLO x\r\nAUTH PLAIN\r\nAGFuYQBacTdTRUNS\r\n",
            "a AUTHENTICATE PLAIN\r\nAGFuYQBacTdTRUNS\r\n", "HELLO 3 AUTH ana Zq7SECR!\r\n",
        ])
    func hidden(piece: String) {
        let left = Redacted.records([(.server, "* OK ready\r\n".bytes), (.client, piece.bytes)])
        for secret in ["Zq7", "AGFuYQBacTdTRUNS"] { #expect(!left.contains(secret), "\(left)") }
    }

    @Test("what follows a login is shown, and what merely looks like a literal is none")
    func shown() {
        let left = Redacted.records([(.client, "A1 LOGIN ana {3+}\r\npw1\r\nA2 SELECT INBOX\r\n".bytes)])
        #expect(left.contains("A2 SELECT INBOX") && !left.contains("pw1"), "\(left)")
        let other = Redacted.records([(.client, "A1 APPEND INBOX {5+}\r\nhello\r\n".bytes)])
        #expect(other.contains("hello"), "\(other)")
    }

    @Test(
        "what a client of XMPP says to log in is hidden",
        arguments: [
            "<response xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>AGFuYQBacTdTRUNS</response>",
            "<authenticate xmlns='urn:xmpp:sasl:2' mechanism='PLAIN'><initial-response>AGFuYQBacTdTRUNS</initial-response></authenticate>",
        ])
    func xmpp(text: String) {
        #expect(!Redacted.text(text).contains("AGFuYQBacTdTRUNS"), "\(Redacted.text(text))")
        let bytes = text.bytes
        let isClean = SecretGlance.isClean(bytes.rawBytes)
        #expect(!isClean)
        #expect(Redacted.text("<response>AGFuYQBacTdTRUNS</response>").contains("AGFuYQBacTdTRUNS"))
    }
}
