import Dissection
import Support
import Testing

/// The opening handshake, judged without the HTTP layer.
@Suite struct WebSocketHandshakeTests {
    private static let goodRequest = [
        "Host: server.example.com", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]
    private static let goodAnswer = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    /// The head's bytes and where its field lines lie.
    private func head(_ start: String, _ fields: [String]) -> (bytes: [UInt8], fields: ByteRange) {
        let first = Array((start + "\r\n").utf8)
        let lines = fields.flatMap { Array(($0 + "\r\n").utf8) }
        return (first + lines + [0x0D, 0x0A], ByteRange(first.count..<first.count + lines.count))
    }

    private func request(_ fields: [String], method: String = "GET") -> (bytes: [UInt8], head: RequestHead) {
        let (bytes, range) = head("\(method) /chat HTTP/1.1", fields)
        let end = method.utf8.count
        return (
            bytes,
            RequestHead(
                method: ByteRange(0..<end), target: ByteRange(end + 1..<end + 6), version: ByteRange(end + 7..<end + 15), fields: range,
                exchange: 1)
        )
    }

    /// What is told about a request without the given fields and with others instead.
    private func asked(without: String = "-", with: [String] = [], method: String = "GET") -> [String] {
        var sink = Transcript()
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        let (bytes, head) = request(Self.goodRequest.filter { !$0.hasPrefix(without) } + with, method: method)
        WebSocketHandshake.judgeRequest(
            head: bytes.rawBytes, request: head, at: Arrival(side: .client, offset: 0, place: Place()), context: &context, sink: &sink)
        return sink.finished().map { String($0.split(separator: "! websocket.")[1].split(separator: " ")[0]) }
    }

    /// What is told about an answer, the upgrade first, and what it agrees to.
    private func answered(
        _ offer: [String]? = [], without: String = "-", with: [String] = []
    ) -> (told: [String], agreed: WebSocketNegotiation) {
        var sink = Transcript()
        var context = ConversationContext(number: 1, limits: Limits(), startsMidstream: false)
        let (bytes, fields) = head("HTTP/1.1 101 Switching Protocols", Self.goodAnswer.filter { !$0.hasPrefix(without) } + with)
        let response = ResponseHead(status: 101, version: ByteRange(0..<8), reason: ByteRange(13..<32), fields: fields, latency: nil)
        let asked = offer.map { offer in
            let (bytes, head) = request(Self.goodRequest + offer)
            return UpgradeOffer(head: bytes, request: head, arrival: Arrival(side: .client, offset: 0, place: Place()))
        }
        let agreed = WebSocketHandshake.judgeAnswer(
            offer: asked, head: bytes.rawBytes, response: response, at: Arrival(side: .server, offset: 0, place: Place()),
            context: &context, sink: &sink)
        let told = sink.finished().map { line in
            let parts = line.split(separator: "! websocket.")
            return parts.count > 1 ? String(parts[1].split(separator: " ")[0]) : line
        }
        return (told, agreed)
    }

    private let plain = "< @0 upgrade websocket accepted"

    @Test func aGoodRequestIsNotSpokenOf() {
        #expect(asked() == [])
        #expect(
            asked(with: ["Sec-WebSocket-Protocol: chat, superchat", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"])
                == [])
    }

    @Test func aRequestHasAKeyAndAVersion() {
        #expect(asked(method: "POST") == ["method-not-get"])
        #expect(asked(without: "Sec-WebSocket-Key") == ["key-missing"])
        #expect(asked(with: ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]) == ["key-repeated"])
        #expect(asked(without: "Sec-WebSocket-Key", with: ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ==="]) == ["key-invalid"])
        #expect(asked(without: "Sec-WebSocket-Key", with: ["sec-websocket-key:AAAAAAAAAAAAAAAAAAAAAA== "]) == [])
        #expect(asked(without: "Sec-WebSocket-Version") == ["version-missing"])
        #expect(asked(without: "Sec-WebSocket-Version", with: ["Sec-WebSocket-Version: 8"]) == ["version-other"])
    }

    @Test func subprotocolsAreTokensAndStandOnce() {
        #expect(asked(with: ["Sec-WebSocket-Protocol: chat", "Sec-WebSocket-Protocol: chat"]) == ["protocol-repeated"])
        #expect(asked(with: ["Sec-WebSocket-Protocol: chat", "Sec-WebSocket-Protocol: Chat"]) == [])
        #expect(asked(with: ["Sec-WebSocket-Protocol: chat room"]) == ["protocol-invalid"])
    }

    @Test func extensionsKeepTheirGrammar() {
        for good in ["a", "a; b", "a; b=c, d", "a;b=\"c\"", "a; b=\"\\c\", ,d", "foo,bar; baz=2", "", " ,"] {
            #expect(asked(with: ["Sec-WebSocket-Extensions: \(good)"]) == [], "\(good)")
        }
        for bad in ["a;", "a b", "a; b=", "a; b=\"c", "a; b=\"c d\"", "a; =c", "a; b=\"\"", "a=b"] {
            #expect(asked(with: ["Sec-WebSocket-Extensions: \(bad)"]) == ["extensions-invalid"], "\(bad)")
        }
    }

    @Test func offersOfDeflateHaveKnownParameters() {
        for good in [
            "", "; server_max_window_bits=8", "; client_max_window_bits", "; client_max_window_bits=\"15\"; server_no_context_takeover",
        ] {
            #expect(asked(with: ["Sec-WebSocket-Extensions: permessage-deflate\(good)"]) == [], "\(good)")
        }
        for bad in [
            "; server_max_window_bits", "; server_max_window_bits=16", "; server_max_window_bits=7", "; client_max_window_bits=08",
            "; server_no_context_takeover=1", "; other", "; client_no_context_takeover; client_no_context_takeover",
        ] {
            #expect(asked(with: ["Sec-WebSocket-Extensions: permessage-deflate\(bad)"]) == ["deflate-offer-invalid"], "\(bad)")
        }
    }

    @Test func aGoodAnswerAgrees() {
        #expect(answered().told == [plain])
        #expect(answered(nil).told == [plain])
        let chosen = answered(["Sec-WebSocket-Protocol: a, b"], with: ["Sec-WebSocket-Protocol: b"])
        #expect(chosen.told == [plain + " subprotocol b"])
        #expect(chosen.agreed.compression == nil && chosen.agreed.isKnown)
    }

    @Test func theAcceptAnswersTheKey() {
        #expect(answered(without: "Sec-WebSocket-Accept").told == [plain, "accept-missing"])
        #expect(answered(with: ["Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="]).told == [plain, "accept-repeated"])
        #expect(
            answered(without: "Sec-WebSocket-Accept", with: ["Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO="]).told
                == [plain, "accept-wrong"])
        // Without the request nobody knows the key.
        #expect(answered(nil, without: "Sec-WebSocket-Accept", with: ["Sec-WebSocket-Accept: other"]).told == [plain])
        #expect(answered(without: "Connection").told == [plain, "connection-missing"])
        #expect(answered(without: "Connection", with: ["connection: close, UPGRADE"]).told == [plain])
    }

    @Test func aServerChoosesWhatWasOffered() {
        #expect(answered(with: ["Sec-WebSocket-Protocol: b"]).told == [plain + " subprotocol b", "protocol-not-offered"])
        #expect(
            answered(["Sec-WebSocket-Protocol: a, b"], with: ["Sec-WebSocket-Protocol: a, b"]).told
                == [plain + " subprotocol a", "protocol-several"])
        let unknown = answered(with: ["Sec-WebSocket-Extensions: x-other"])
        #expect(unknown.told == [plain + " extensions x-other", "extension-not-offered"])
        #expect(unknown.agreed.hasUnknownExtension)
        let known = answered(["Sec-WebSocket-Extensions: x-other; a=1"], with: ["Sec-WebSocket-Extensions: x-other"])
        #expect(known.told == [plain + " extensions x-other"])
        let broken = answered(["Sec-WebSocket-Extensions: a"], with: ["Sec-WebSocket-Extensions: a; b=\""])
        #expect(broken.told.last == "extensions-invalid")
        #expect(!broken.agreed.isKnown)
    }

    @Test func anAnswerToDeflateFitsAnOffer() {
        let rows: [(offer: String, answer: String, finding: String?)] = [
            ("", "", nil),
            ("", "; server_no_context_takeover; client_no_context_takeover", nil),
            ("", "; server_max_window_bits=10", nil),
            ("", "; client_max_window_bits=10", "deflate-answer-not-offered"),
            ("; client_max_window_bits", "; client_max_window_bits=10", nil),
            ("; client_max_window_bits", "; client_max_window_bits", "deflate-answer-invalid"),
            ("; client_max_window_bits=10", "; client_max_window_bits=11", "deflate-answer-not-offered"),
            ("; server_max_window_bits=10", "; server_max_window_bits=11", "deflate-answer-not-offered"),
            ("; server_max_window_bits=10", "", "deflate-answer-not-offered"),
            ("; server_max_window_bits=10", "; server_max_window_bits=9", nil),
            ("; server_max_window_bits=10, permessage-deflate", "", nil),
            ("; server_no_context_takeover", "", "deflate-answer-not-offered"),
            ("", "; server_max_window_bits=16", "deflate-answer-invalid"),
            ("", "; server_max_window_bits=9; server_max_window_bits=9", "deflate-answer-invalid"),
            ("", ", permessage-deflate", "deflate-answer-invalid"),
            ("", "; surprise", "deflate-answer-invalid"),
        ]
        for row in rows {
            let told = answered(
                ["Sec-WebSocket-Extensions: permessage-deflate\(row.offer)"],
                with: ["Sec-WebSocket-Extensions: permessage-deflate\(row.answer)"]
            ).told
            #expect(told.dropFirst() == (row.finding.map { [$0] } ?? []), "\(row)")
        }
    }

    @Test func whatWasAgreedIsTold() {
        let (told, agreed) = answered(
            ["Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits"],
            with: ["Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_max_window_bits=\"12\""])
        #expect(told[0].hasSuffix(" deflate client keeps 12 server resets 15"))
        #expect(agreed.compression == Upgrade.Compression(serverTakeover: false, clientWindowBits: 12))
    }
}
