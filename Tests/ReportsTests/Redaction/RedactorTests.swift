import Dissection
import Foundation
import Testing

@testable import Reports

/// Talks of which the outputs see what is left when secrets are hidden.
@Suite struct RedactorTests {
    private static func http(_ head: String, _ body: String = "", type: String? = nil) -> [UInt8] {
        let lines = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        let kind = type.map { "Content-Type: \($0)\r\n" } ?? ""
        let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
        return Array((lines + "\r\n" + kind + length + "\r\n" + body).utf8)
    }

    @Test func `credentials in the heads of HTTP`() {
        let records = Redacted.records([
            (
                .client,
                Self.http(
                    """
                    POST /login?token=tok1secret&x=1 HTTP/1.1
                    Host: ana:pw1secret@a.example
                    authorization: Bearer hdr1secret
                    Authorization: Basic c2VjcmV0OjE=
                    Cookie: sid=ck1secret; theme=ck2secret
                     ; folded=ck3secret
                    X-Api-Key: key1secret
                    X-Auth-Token\t: key2secret
                    Referer: https://u:pw2secret@b.example/?access_token=ref1secret
                    X-Custom: ?token=cust1secret&a=1
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                    """, "user=ana&password=form1;secret&x=1", type: "application/x-www-form-urlencoded")
            ),
            (
                .server,
                Self.http(
                    """
                    HTTP/1.1 302 token=rsn1secret
                    Set-Cookie: sid=set1secret; Path=/; HttpOnly
                    Set-Cookie: b="set2secret"; Secure
                    Location: /home?code=loc1secret&state=2#access_token=loc2secret
                    Access-Control-Allow-Credentials: true
                    """, #"{"refresh_token":"js1secret","n":1}"#)
            ),
        ])
        #expect(!records.contains("secret"), "\(records)")
        #expect(!records.contains("c2Vj"))
        for left in [
            #""target":"/login?token=◆&x=1""#, #"["Host","◆@a.example"]"#, #"["authorization","Bearer ◆"]"#,
            #"["Authorization","Basic ◆"]"#, "theme=◆",
            "dGhlIHNhbXBsZSBub25jZQ==", #""text":"user=ana&password=◆&x=1""#, #"["Set-Cookie","sid=◆; Path=/; HttpOnly"]"#,
            #"["Location","/home?code=◆&state=2#access_token=◆"]"#, #"["Access-Control-Allow-Credentials","true"]"#,
            #"{\"refresh_token\":\"◆\",\"n\":1}"#,
            #""redacted":12"#,
        ] { #expect(records.contains(left), "\(left) in \(records)") }
        #expect(!records.contains("truncated"))
    }

    @Test func `lines of a head without a colon, old cookies and the binary fields of gRPC`() {
        let details = String(decoding: Base64.encode(Array("\u{8}\u{10}\u{12} bad password=hunter2".utf8)), as: UTF8.self)
        let head = """
            HTTP/1.1 200 OK
            bad line password=hunter2
            X-Token hunter2
            Pass
            Set-Cookie2: a=hunter2; Version=1
            grpc-status-details-bin: \(details)
            trace-bin: AAAB
            Content-Length: 0
            """
        let records = Redacted.records([(.client, Self.http("GET / HTTP/1.1\nHost: a")), (.server, Self.http(head))])
        let plain = records.replacing(/⟨redacted-[0-9a-f]{6}⟩/, with: "◇")
        for left in [
            #"["bad line password=◇",""]"#, #"["X-Token ◇",""]"#, #"["Pass",""]"#, #"["Set-Cookie2","a=◆; Version=◆"]"#,
            #"["grpc-status-details-bin","◆"]"#, #"["trace-bin","AAAB"]"#,
        ] { #expect(plain.contains(left), "\(left) in \(plain)") }
        #expect(!records.contains("hunter2") && !records.contains(details.prefix(20)))
        // What was written without redaction is read as a log with colons.
        let logged = Redacted.records([
            (.client, Self.http("GET / HTTP/1.1\nHost: a")),
            (.server, Self.http("HTTP/1.1 200 OK\nX-Token hunter2:\npin=hunter2:\nContent-Length: 0")),
        ])
        #expect(!logged.contains("hunter2"), "\(logged)")
    }

    /// A message of gRPC.
    private static func message(_ bytes: [UInt8], flags: UInt8 = 0) -> [UInt8] {
        [flags, 0, 0, UInt8(bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }

    @Test func `messages of gRPC, compressed or in base64, have the lengths of what is left`() {
        let secret = Array(#"{"password":"hunter2"}"#.utf8)
        // zlib with one stored block.
        let count = UInt8(secret.count)
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in secret {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = [high >> 8, high, low >> 8, low].map { UInt8(truncatingIfNeeded: $0) }
        let zlib = [0x78, 0x01, 0x01, count, 0, ~count, 0xff] + secret + sum
        let redactor = Redactor(Redacted.plan)
        let free = Self.message(Array("free".utf8))
        for payload in [Self.message(secret) + free, Self.message(zlib, flags: 1) + free] {
            let left = redactor.piece(ofMessages: payload, in: .messages)
            #expect(left?.places == 1 && left?.length == payload.count)
            let mark = Redacted.text([secret])
            #expect(left?.bytes == Self.message(mark) + free)
            let encoded = redactor.piece(ofMessages: Base64.encode(payload), in: .encodedMessages)
            #expect(encoded?.bytes == Base64.encode(Self.message(mark) + free))
        }
        // Nothing to hide, and what are no messages.
        #expect(redactor.piece(ofMessages: free, in: .messages)?.bytes == free)
        for other in [secret, free + [0], [], Array(free.dropLast())] { #expect(redactor.piece(ofMessages: other, in: .messages) == nil) }
        let records = Redacted.records([
            (
                .client,
                Self.http(
                    "POST /s/M HTTP/1.1\nHost: a\nContent-Length: \(Self.message(zlib, flags: 1).count)\nContent-Type: application/grpc-web+json"
                ) + Self.message(zlib, flags: 1)
            )
        ])
        #expect(records.contains(#""redacted":1"#), "\(records)")
    }

    @Test func `the same secret has the same mark`() {
        let text = Redacted.text([Array(#"{"a":{"token":"one1"},"token":"one1","b":{"token":"two2"}}"#.utf8)])
        let marks = String(decoding: text, as: UTF8.self).matches(of: /⟨redacted:[0-9a-f]{6}⟩/).map { String($0.output) }
        #expect(marks.count == 3 && marks[0] == marks[1] && marks[1] != marks[2])
        var other = Redacted.plan
        other.salt.low += 1
        #expect(Redacted.text([Array(#"{"token":"one1"}"#.utf8)], as: .text, other) != Redacted.text([Array(#"{"token":"one1"}"#.utf8)]))
    }

    @Test func `a body in parts, with secrets over their boundaries`() {
        for shift in [0, 1, 5, 9, 14, 20, 30, 60] {
            let padding = String(repeating: "x", count: (64 << 10) - 40 + shift)
            let body = #"{"pad":"\#(padding)","password":"hunter2","z":"\#(padding)","jwt":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"}"#
            let records = Redacted.records([
                (.client, Self.http("GET / HTTP/1.1\nHost: a")), (.server, Self.http("HTTP/1.1 200 OK", body, type: "application/json")),
            ])
            #expect(
                !records.contains("hunter2") && !records.contains("c2ln") && !records.contains("eyJ") && !records.contains("hunt"),
                "\(shift)")
            #expect(records.count { $0 == "◆" } == 2, "\(shift)")
            let lengths = records.matches(of: /"kind":"body".*?"length":(\d+)/).compactMap { Int($0.1) }
            #expect(lengths.count > 1 && lengths.reduce(0, +) == body.utf8.count)
            #expect(!records.contains("truncated"))
        }
    }

    @Test func `chunks and trailers`() {
        let records = Redacted.records([
            (.client, Self.http("GET / HTTP/1.1\nHost: a")),
            (
                .server,
                Array(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{\"passwor\r\n6\r\nd\":\"hu\r\n7\r\nnter2\"}\r\n0\r\nX-Token: tr1secret\r\n\r\n"
                        .utf8)
            ),
        ])
        #expect(records.contains(#""text":"{\"password\":\"◆\"}""#) && records.contains(#""trailers":[["X-Token","◆"]]"#), "\(records)")
        #expect(records.contains(#""redacted":2"#) && records.contains(#""length":22"#))
    }

    /// A frame, which a client would mask.
    private static func frame(_ opcode: UInt8, _ text: String, isFinal: Bool = true, from side: Side) -> [UInt8] {
        let bytes = Array(text.utf8)
        let head = [(isFinal ? 0x80 : 0) | opcode, UInt8(bytes.count) | (side == .client ? 0x80 : 0)]
        return head + (side == .client ? [0, 0, 0, 0] : []) + bytes
    }

    private static let opening: [(Side, [UInt8])] = [
        (
            .client,
            http(
                """
                GET /chat?token=up1secret HTTP/1.1
                Host: a
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Version: 13
                Sec-WebSocket-Protocol: chat, eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
                """)
        ),
        (
            .server,
            http(
                """
                HTTP/1.1 101 Switching Protocols
                Upgrade: websocket
                Connection: Upgrade
                Sec-WebSocket-Protocol: eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0
                Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=
                """)
        ),
    ]

    @Test func `the signature of AUTHENTICATE, where WAMP was agreed on`() {
        for (subprotocol, isHidden) in [("wamp.2.json", true), ("chat", false)] {
            let opening = Self.opening.map { side, bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0"
                return (side, Array(text.replacing("chat, " + token, with: subprotocol).replacing(token, with: subprotocol).utf8))
            }
            let records = Redacted.records(opening + [(.client, Self.frame(1, #"[5,"sig1value",{}]"#, from: .client))])
            #expect(records.contains(#""text":"[5,\"sig1value\",{}]""#) != isHidden, "\(records)")
            #expect(records.contains(#""text":"[5,\"xxxxxxxxx\",{}]""#) == isHidden, "\(records)")
        }
    }

    @Test func `a WebSocket with its secrets in fragments, pings and the reason of its end`() {
        var settings = RecordSettings()
        settings.payloads = .standard
        let records = Redacted.records(
            Self.opening + [
                (.client, Self.frame(1, #"{"passw"#, isFinal: false, from: .client)),
                (.client, Self.frame(9, "token=pi1secret", from: .client)),
                (.client, Self.frame(0, #"ord":"fr1se"#, isFinal: false, from: .client)),
                (.client, Self.frame(0, #"cret"}"#, from: .client)),
                (.server, Self.frame(1, #"42["auth",{"token":"io1secret"}]"#, from: .server)),
                (.server, Self.frame(2, "\u{1}token=bin1secret", from: .server)),
                (.server, Self.frame(10, "token=po1secret", from: .server)),
                (.server, Self.frame(8, "\u{3}\u{e8}token=cl1secret", from: .server)),
            ], settings: settings)
        #expect(!records.contains("secret") && !records.contains("c2VjcmV0"), "\(records)")
        #expect(records.contains(#""text":"{\"password\":\"◆\"}""#))
        #expect(
            records.contains(#""kind":"upgrade""#) && records.contains(#""target":"/chat?token=◆""#)
                && records.contains(#""subprotocol":"◆""#))
        #expect(records.contains(#""length":24,"wireLength":24"#), "the length on the wire\n\(records)")
    }

    @Test func `commands of protocols without a layer, and what comes after AUTH`() {
        let records = Redacted.records([
            (.server, Array("220 mail.example ESMTP\r\n".utf8)), (.client, Array("EHLO a\r\n".utf8)),
            (.server, Array("250-AUTH PLAIN LOGIN\r\n250 OK\r\n".utf8)),
            (.client, Array("AUTH LOG".utf8)), (.client, Array("IN\r\n".utf8)), (.server, Array("334 VXNlcm5hbWU6\r\n".utf8)),
            (.client, Array("YW5hLXNlY3JldA==\r\n".utf8)), (.server, Array("334 UGFzc3dvcmQ6\r\n".utf8)),
            (.client, Array("c2VjcmV0LXB3\r\n".utf8)),
            (.server, Array("235 welcome\r\n".utf8)), (.client, Array("MAIL FROM:<ana@a.example>\r\n".utf8)),
        ])
        #expect(!records.contains("YW5hLXNl") && !records.contains("c2VjcmV0"), "\(records)")
        #expect(
            records.contains(" LOGIN\\r") && records.contains("MAIL FROM:<ana@a.example>") && records.contains("235 welcome"), "\(records)")
    }

    @Test func `data that comes byte by byte keeps its lengths and places`() {
        let text = "USER ana\r\nPASS hunter2\r\nLIST\r\n"
        let records = Redacted.records(text.utf8.map { (Side.client, [$0]) })
        #expect(!records.contains("hunter2"))
        let lengths = records.matches(of: /"kind":"data".*?"offset":(\d+),"length":(\d+)/).compactMap { found in
            Int(found.1).flatMap { offset in Int(found.2).map { (offset, $0) } }
        }
        #expect(lengths.map(\.1).reduce(0, +) == text.utf8.count)
        var next = 0
        for (offset, length) in lengths {
            #expect(offset == next)
            next += length
        }
        let told = records.matches(of: /"text":"(.*?)"/).map { String($0.1) }.joined()
        #expect(told == #"USER ana\r\nPASS ◆\r\nLIST\r\n"#, "\(told)")
    }

    @Test func `what is held back is told when a conversation ends or something else comes`() {
        let records = Redacted.records([(.client, Array("hello ghp_abc".utf8)), (.server, Array("password=hunt".utf8))])
        #expect(records.contains("hello ") && records.contains("ghp_abc") && !records.contains("hunt"), "\(records)")
    }

    @Test func `the names of who is spoken to`() {
        var opening = RecordScript.opening
        let content = Array("httpana:pw1secret@a.example:443".utf8)
        (opening.viaMode, opening.viaTarget) = (ByteRange(0..<4), ByteRange(4..<content.count))
        let records = Redacted.records(
            [(.client, Self.http("CONNECT ana:pw2secret@a.example:443 HTTP/1.1\nHost: a"))], opening: opening, content: content)
        #expect(!records.contains("secret") && records.contains(#""via":{"mode":"http","target":"◆@a.example:443"}"#), "\(records)")
        #expect(records.contains(#""target":"◆@a.example:443""#))
    }

    @Test func `a target that is cut in its response`() {
        let target = "/" + String(repeating: "a", count: 230) + "?a=1&token=abcdefghijsecret"
        let records = Redacted.records([(.client, Self.http("GET \(target) HTTP/1.1\nHost: a")), (.server, Self.http("HTTP/1.1 204 OK"))])
        #expect(!records.contains("abcde") && records.count { $0 == "◆" } == 2, "\(records)")
        let user = "http://ana:" + String(repeating: "p", count: 300) + "@a/"
        #expect(
            !Redacted.records([(.client, Self.http("GET \(user) HTTP/1.1\nHost: a")), (.server, Self.http("HTTP/1.1 204 OK"))]).contains(
                "ppp"))
    }

    @Test func `header fields, paths and expressions of the user's choice`() throws {
        let plan = try Redacted.plan(headers: ["x-tenant"], paths: ["$.user.email"], patterns: [{ Digits() }])
        let records = Redacted.records(
            [
                (
                    .client,
                    Self.http(
                        "POST /a/4111111111111111 HTTP/1.1\nHost: a\nX-Tenant: acme", #"{"user":{"email":"ana@a"},"card":4111111111111111}"#
                    )
                )
            ], plan)
        #expect(records.contains(#""target":"/a/◆""#) && records.contains(#"["X-Tenant","◆"]"#), "\(records)")
        #expect(records.contains(#"{\"user\":{\"email\":\"◆\"},\"card\":◆}"#), "\(records)")
    }

    @Test func `where a search is given up, all of it is hidden`() throws {
        let plan = try Redacted.plan(patterns: [{ Costly() }])
        #expect(Redacted.text("some text", as: .text, plan) == "◆")
    }

    @Test func `what is cut to be shown is cut after its secrets were hidden, and says so`() {
        var settings = RecordSettings()
        settings.payload = .full(limit: 40)
        let text = #"{"password":"a","note":"something that is longer than what is shown"}"#
        let records = Redacted.records(Self.opening + [(.client, Self.frame(1, text, from: .client))], settings: settings)
        #expect(
            records.contains(#""length":69"#) && records.contains(#""text":"{\"password\":\"◆\",\"no"#)
                && records.contains(#""truncated":true"#), "\(records)")
    }

    /// What two outputs of one line have of the same talk.
    private static func outputs(_ text: String, redaction: RedactionPlan?) throws -> (records: String, text: String, demand: Int) {
        var pipes: [(Int32, Int32)] = []
        for _ in 0..<2 {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            pipes.append((ends[0], ends[1]))
        }
        var plan = OutputPlan([
            OutputPlan.Target(RecordSettings(), as: .log, to: Outlet(descriptor: pipes[0].1)),
            OutputPlan.Target(TextSettings(payload: .preview(limit: 256)), as: .shown, to: Outlet(descriptor: pipes[1].1)),
        ])
        plan.redaction = redaction
        var line = plan.makeLine()
        line.begin(RecordScript.source)
        let place = Place(time: RecordScript.time)
        line.receive(
            ConversationEvent(
                conversation: 1, from: nil, place: place, offset: nil, fact: .opened(RecordScript.opening), content: RawSpan()))
        let message = Message(opcode: 1, length: UInt64(text.utf8.count), wireLength: 9, fragments: 1, compressed: true)
        line.receive(
            ConversationEvent(
                conversation: 1, from: .client, place: place, offset: 0, fact: .message(message), content: text.bytes.rawBytes))
        line.finish(Totals())
        let told = pipes.map { ends in
            close(ends.1)
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = read(ends.0, &bytes, bytes.count)
            close(ends.0)
            return Redacted.plain(Array(bytes.prefix(max(0, count))))
        }
        return (told[0], told[1], plan.payloadDemand)
    }

    @Test func `each output of a line sees what is left, and nothing is done unless it is asked for`() throws {
        let said = #"{"password":"hunter2"}"#
        let hidden = try Self.outputs(said, redaction: Redacted.plan)
        #expect(hidden.records.contains(#"{\"password\":\"◆\"}","redacted":1}"#) && hidden.text.contains(#"{"password":"◆"}"#), "\(hidden)")
        #expect(hidden.records.contains(#""length":22,"wireLength":9"#))
        let plain = try Self.outputs(said, redaction: nil)
        #expect(plain.records.contains("hunter2") && plain.text.contains("hunter2") && !plain.records.contains("redacted"))
    }
}

/// Finds 16 digits.
private final class Digits: TextSearch {
    func firstMatch(in bytes: RawSpan, from start: Int) -> TextMatch {
        var (index, run) = (start, 0)
        while index < bytes.byteCount {
            run = 0x30...0x39 ~= bytes[index] ? run + 1 : 0
            index += 1
            if run == 16 { return .found(index - 16..<index) }
        }
        return .nowhere
    }
}

private final class Costly: TextSearch {
    func firstMatch(in bytes: RawSpan, from start: Int) -> TextMatch { .tooCostly }
}
