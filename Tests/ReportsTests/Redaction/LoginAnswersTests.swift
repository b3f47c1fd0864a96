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
        "what a server asks in two pieces is answered with a secret all the same",
        arguments: [
            [
                "250 AUTH LOGIN\r\n", "AUTH LOGIN\r\n", "334 VXNlcm5hbWU6\r\n", "YW5hYW5h\r\n", "334 UGFzc3dvcmQ6\r\n", "WnE3U0VDUkVU\r\n",
                "235 ok\r\n",
            ],
            ["* OK IMAP4rev1\r\n", "1 AUTHENTICATE PLAIN\r\n", "+ \r\n", "WnE3U0VDUkVU\r\n", "1 OK\r\n"],
            ["* OK IMAP4rev1\r\n", "1 LOGIN ana {9}\r\n", "* OK wait\r\n+ go on\r\n", "WnE3U0VDUkVU\r\n", "1 OK\r\n"],
            ["+OK POP3\r\n", "AUTH PLAIN\r\n", "+ \r\n", "WnE3U0VDUkVU\r\n", "+OK\r\n"],
        ])
    func challengesInPieces(dialogue: [String]) {
        for (index, line) in dialogue.enumerated() where index % 2 == 0 {
            let bytes = line.bytes
            for cut in 1..<bytes.count {
                var pieces = dialogue.enumerated().map { ($0.offset % 2 == 0 ? Side.server : .client, $0.element.bytes) }
                pieces.replaceSubrange(index...index, with: [(.server, Array(bytes[..<cut])), (.server, Array(bytes[cut...]))])
                let left = Redacted.records(pieces)
                #expect(!left.contains("WnE3U0VDUkVU"), "cut at \(cut) of \(line): \(left)")
            }
        }
    }

    @Test("after another line of the server, in pieces too, a client is not logging in any more")
    func challengeEnds() {
        for pieces in [["235 ok\r\n"], ["2", "35 ok\r\n"], ["33", "5 no\r\n"], ["334 \r\n5", "35 no\r\n"]] {
            let server = pieces.map { (Side.server, $0.bytes) }
            let left = Redacted.records([(.client, "AUTH PLAIN\r\n".bytes)] + server + [(.client, "MAIL FROM:<ana@example.org>\r\n".bytes)])
            #expect(left.contains("MAIL FROM"), "\(pieces): \(left)")
        }
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
