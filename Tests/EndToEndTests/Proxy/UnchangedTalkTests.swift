import Foundation
import Support
import Testing

/// What other proxies change in a WebSocket conversation, and we do not. Both ends are driven by hand, and each byte is compared.
@Suite("A conversation is not changed")
struct UnchangedTalkTests {
    @Test("a client that drops the connection without a Close is seen to do so: no Close is invented")
    func droppedByTheClient() throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        try talk.fromClient(Frame.masked(0x81, "hello"))
        talk.client.finish()
        #expect(try talk.server.receiveToTheEnd() == ([], .finished))
        talk.server.finish()
        #expect(try talk.client.receiveToTheEnd() == ([], .finished))
        #expect(talk.proxy.records(until: "closed").closings == ["fin by client"])
        #expect(talk.proxy.stop().records.all("close").isEmpty)
    }

    @Test("a server that drops the connection without a Close is seen to do so: no Close is invented")
    func droppedByTheServer() throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        try talk.fromServer(Frame.plain(0x81, "hello"))
        talk.server.finish()
        #expect(try talk.client.receiveToTheEnd() == ([], .finished))
        talk.client.finish()
        #expect(try talk.server.receiveToTheEnd() == ([], .finished))
        #expect(talk.proxy.records(until: "closed").closings == ["fin by server"])
        #expect(talk.proxy.stop().records.all("close").isEmpty)
    }

    @Test("a reset arrives as a reset")
    func reset() throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        talk.server.reset()
        #expect(try talk.client.receiveToTheEnd() == ([], .reset))
        #expect(talk.proxy.records(until: "closed").closings == ["reset by server"])
    }

    /// What a peer may not send: the other one gets it as it is, the talk goes on, and we say what was wrong with it.
    @Test(
        "what breaks a rule arrives as it was sent, is found, and ends nothing",
        arguments: [
            ("invalid UTF-8", "websocket.utf8-invalid", true, Frame.masked(0x81, [0x66, 0xFF, 0xFE, 0x66])),
            ("invalid UTF-8 of the server", "websocket.utf8-invalid", false, Frame.plain(0x81, [0x66, 0xFF, 0xFE, 0x66])),
            ("an unmasked frame of the client", "websocket.mask-missing", true, Frame.plain(0x81, "not masked")),
            ("a masked frame of the server", "websocket.mask-unexpected", false, Frame.masked(0x81, "masked")),
            ("RSV2", "websocket.rsv-unexpected", true, Frame.masked(0xA1, "reserved")),
            ("RSV3 of the server", "websocket.rsv-unexpected", false, Frame.plain(0x91, "reserved")),
            ("a ping of 126 bytes", "websocket.control-too-long", true, Frame.masked(0x89, Array(repeating: 0x70, count: 126))),
            ("a length that is not minimal", "websocket.length-not-minimal", false, [0x82, 126, 0, 5] + Array("short".utf8)),
            ("a reserved opcode", "websocket.opcode-reserved", true, Frame.masked(0x83, "what is it")),
        ])
    func brokenRule(what: String, finding: String, isFromClient: Bool, bytes: [UInt8]) throws {
        let talk = try ProxyTalk(["--frames"])
        try talk.upgrade()
        isFromClient ? try talk.fromClient(bytes) : try talk.fromServer(bytes)
        try talk.fromServer(Frame.plain(0x81, "and on it goes"))
        try talk.fromClient(Frame.masked(0x81, "on and on"))
        let records = try talk.goodbye().records
        #expect(records.findings == [finding])
        #expect(records.texts(from: "server").last == "and on it goes")
        #expect(records.texts(from: "client").last == "on and on")
        // The frame itself is shown as well.
        #expect(records.all("frame").count == 5)
    }

    @Test("each fragment arrives when it is sent, not when the message is whole")
    func fragments() throws {
        let talk = try ProxyTalk(["--frames"])
        try talk.upgrade()
        // Each is awaited at the other end before the next one is sent.
        try talk.fromServer(Frame.plain(0x01, "the first "))
        try talk.fromServer(Frame.plain(0x00, "the second "))
        try talk.fromServer(Frame.plain(0x89, "a ping between"))
        try talk.fromClient(Frame.masked(0x8A, "a ping between"))
        try talk.fromServer(Frame.plain(0x80, "the last"))
        let records = try talk.goodbye().records
        #expect(records.texts(from: "server") == ["the first the second the last"])
        #expect(records.all("message").first?["fragments"] as? Int == 3)
        #expect(records.findings == [])
    }

    @Test("half a frame arrives when it is sent: nothing waits for the rest of it")
    func halfAFrame() throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        for byte in Frame.masked(0x81, "byte by byte") { try talk.fromClient([byte]) }
        #expect(try talk.goodbye().records.texts(from: "client") == ["byte by byte"])
    }

    @Test("the fragments of a message stay as they were cut, the empty ones too")
    func cutsOfFragments() throws {
        let talk = try ProxyTalk(["--frames"])
        try talk.upgrade()
        try talk.fromClient(Frame.masked(0x01, "") + Frame.masked(0x00, "a") + Frame.masked(0x00, "") + Frame.masked(0x80, "bc"))
        let frames = try talk.goodbye().records.all("frame").filter { $0["from"] as? String == "client" }
        #expect(frames.map { $0["length"] as? Int } == [0, 1, 0, 2, 2])
    }

    @Test("an extension that we do not know is negotiated and used")
    func unknownExtension() throws {
        let talk = try ProxyTalk(["--frames"])
        try talk.upgrade(offering: "x-reversed; strength=\"9\", permessage-deflate", agreeing: "x-reversed; strength=9")
        try talk.fromClient(Frame.masked(0xA1, "desrever"))
        try talk.fromServer(Frame.plain(0xA1, "oot"))
        let records = try talk.goodbye().records
        #expect(records.all("frame").prefix(2).map { $0["rsv"] as? Int } == [2, 2])
        #expect(records.closings == ["close-frame by client"])
    }

    @Test("no header is touched: heads arrive to the byte, their order, case and spaces with them")
    func heads() throws {
        let talk = try ProxyTalk()
        try talk.client.send(ProxyTalk.request)
        #expect(try talk.server.receiveHead() == ProxyTalk.request)
        try talk.server.send(ProxyTalk.answer)
        #expect(try talk.client.receiveHead() == ProxyTalk.answer)
        let headers = try talk.goodbye().records.all("request").first?["headers"] as? [[String]]
        #expect(headers?.map(\.first) == ["Host", "connection", "UPGRADE", "X-Odd", "Sec-WebSocket-Version", "Sec-WebSocket-Key"])
    }

    @Test("the client hears 101 when the server has said so, and not before")
    func noAnswerBeforeTheServers() throws {
        let talk = try ProxyTalk()
        try talk.client.send(ProxyTalk.request)
        #expect(try talk.server.receiveHead() == ProxyTalk.request)
        #expect(talk.client.isSilent(milliseconds: 300))
        // The server says no: that is what the client hears.
        let refusal = "HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno"
        try talk.server.send(refusal)
        #expect(try talk.client.receive(refusal.utf8.count) == Array(refusal.utf8))
        let upgrade = talk.proxy.records(until: "body").all("response").first
        #expect(upgrade?["status"] as? Int == 403)
    }

    @Test("what stands right behind the 101 stays there, and what the client sent before it too")
    func bytesAroundTheAnswer() throws {
        let talk = try ProxyTalk()
        try talk.fromClient(Array(ProxyTalk.request.utf8) + Frame.masked(0x81, "too early"))
        try talk.fromServer(Array(ProxyTalk.answer.utf8) + Frame.plain(0x81, "at once"))
        let records = try talk.goodbye().records
        #expect(records.texts(from: "server") == ["at once"])
        #expect(records.texts(from: "client") == ["too early"])
    }

    @Test("a message over 5,120 characters is whole, on the wire and in the log", arguments: [5_121, 70_000, 400_000])
    func longMessages(length: Int) throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        let text = String(repeating: "0123456789", count: (length + 9) / 10).prefix(length)
        try talk.fromClient(Frame.masked(0x81, String(text)))
        let records = try talk.goodbye().records
        #expect(records.texts(from: "client") == [String(text)])
    }

    @Test("a ping is measured, and an unsolicited pong is named")
    func pings() throws {
        let talk = try ProxyTalk()
        try talk.upgrade()
        try talk.fromServer(Frame.plain(0x89, "are you there"))
        try talk.fromClient(Frame.masked(0x8A, "are you there"))
        try talk.fromClient(Frame.masked(0x8A, "I am still here"))
        let pongs = try talk.goodbye().records.all("pong")
        #expect((pongs.first?["roundTrip"] as? Double).map { $0 > 0 && $0 < 20 } == true)
        #expect(pongs.last?["unsolicited"] as? Bool == true)
    }
}
