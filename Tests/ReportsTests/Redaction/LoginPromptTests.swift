import Dissection
import Support
import Testing

@testable import Reports

/// Logins at a prompt, as Telnet and consoles have them, numbers of Redis, and lists of mechanisms.
@Suite("Login prompts and their neighbours") struct LoginPromptTests {
    private static func left(_ talk: [(Side, String)]) -> String { Redacted.records(talk.map { ($0.0, $0.1.bytes) }) }

    /// The texts of the data, in their order.
    private static func texts(_ records: String) -> [String] {
        records.matches(of: /"kind":"data".*?"text":"(.*?)"[,}]/).map { String($0.1) }
    }

    @Test("the client's line after a prompt is hidden, and nothing else is, nor is anything late")
    func prompt() {
        let left = Self.left([
            (.server, "220 hello\r\nlogin: "), (.client, "bob\r\n"), (.server, "Password: "), (.client, "hunter2sekret\r\n"),
            (.server, "ok\r\n"), (.client, "ls\r\n"),
        ])
        #expect(
            Self.texts(left) == [
                #"220 hello\r\nlogin: "#, #"bob\r\n"#, "Password: ", #"◆\r\n"#, #"ok\r\n"#, #"ls\r\n"#,
            ], "\(left)")
    }

    @Test(
        "prompts in other words, in pieces, and a line that comes in pieces with an echo",
        arguments: [["[sudo] password for bob: "], ["\r\nEnter passphrase:"], ["Pass", "word: "], ["PIN: "]])
    func prompts(pieces: [String]) {
        let left = Self.left(
            pieces.map { (.server, $0) } + [
                (.client, "hunter2"), (.server, "*"), (.client, "sekret\r"), (.server, "\r\nWelcome\r\n"), (.client, "uptime\r\n"),
            ])
        #expect(!left.contains("hunter2") && !left.contains("sekret"), "\(left)")
        #expect(left.contains("Welcome") && left.contains("uptime"), "\(left)")
    }

    @Test("only the first line after the prompt is the secret")
    func lines() {
        let left = Self.left([(.server, "Password: "), (.client, "hunter2sekret\r\nuptime\r\n"), (.server, "up\r\n")])
        #expect(!left.contains("sekret") && left.contains("uptime") && left.contains("up\\r\\n"), "\(left)")
    }

    @Test(
        "what asks for nothing secret, or says more, is no prompt",
        arguments: [["Name: "], ["Password: ", "none is needed\r\n"], ["Password: wrong\r\n"], ["200 password changed\r\n"]])
    func none(pieces: [String]) {
        let left = Self.left([(.server, "hi\r\n")] + pieces.map { (.server, $0) } + [(.client, "uptime\r\n")])
        #expect(left.contains("uptime"), "\(left)")
    }

    @Test("lists of mechanisms keep their names, and logins are hidden")
    func mechanisms() {
        for list in [
            "250-AUTH LOGIN PLAIN XOAUTH2", "250 AUTH PLAIN LOGIN", "* CAPABILITY IMAP4rev1 AUTH=PLAIN AUTH=SCRAM-SHA-256",
            "SASL LOGIN PLAIN",
        ] {
            let left = Self.left([(.server, "\(list)\r\n250 HELP\r\n")])
            #expect(left.contains(list) && !left.contains("◆"), "\(left)")
        }
        for command in ["250 LOGIN bob hunter2\r\n", "AUTH PLAIN hunter2hunter2\r\n", "auth=hunter2\r\n"] {
            #expect(!Self.left([(.client, command)]).contains("hunter2"))
        }
    }

    // MARK: - Redis

    private static func redis(_ text: String, _ plan: RedactionPlan = Redacted.plan) -> String {
        let pair = FramingPair(client: .protocol(.redis), server: .protocol(.redis))
        var settings = RecordSettings()
        settings.payloads = .standard
        return Redacted.records(
            [(.client, "*1\r\n$4\r\nPING\r\n".bytes), (.server, text.bytes)], plan, settings: settings,
            decodeAs: [DecodeRule(port: RecordScript.server.port, framing: pair)])
    }

    @Test(
        "numbers after a secret name stay, and so the reply stays RESP",
        arguments: [
            "*2\r\n$4\r\nauth\r\n:-2\r\n", "%1\r\n$7\r\nsession\r\n,1.5\r\n", "%1\r\n+pin\r\n#t\r\n", "%1\r\n+pin\r\n(34928903284\r\n",
        ])
    func numbers(text: String) {
        let left = Self.redis(text)
        #expect(!left.contains("◆") && !left.contains(#""error""#), "\(left)")
    }

    @Test("an expression of the user replaces numbers as well")
    func expressions() throws {
        let plan = try Redacted.plan(patterns: [{ Digits() }])
        #expect(!Self.redis("*2\r\n$1\r\na\r\n:4111\r\n", plan).contains("4111"))
    }

    private final class Digits: TextSearch {
        func firstMatch(in bytes: RawSpan, from start: Int) -> TextMatch {
            let bytes = bytes.copy
            let digits = "4111".bytes
            guard let place = bytes.indices.dropFirst(start).first(where: { bytes[$0...].starts(with: digits) }) else { return .nowhere }
            return .found(place..<place + 4)
        }
    }

    @Test("a verbatim string after a secret name is overwritten, and any other is not")
    func verbatim() {
        let left = Self.redis("%2\r\n$8\r\npassword\r\n=11\r\ntxt:hunter2\r\n$4\r\nnote\r\n=9\r\ntxt:hello\r\n")
        #expect(left.contains("txt:xxxxxxx") && left.contains("txt:hello") && !left.contains("hunter2"), "\(left)")
        #expect(!left.contains(#""error""#), "\(left)")
    }
}
