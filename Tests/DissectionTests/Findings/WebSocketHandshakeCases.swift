import Dissection
import Support

/// What is found about the opening handshake of a WebSocket, as the HTTP/1 layer hands it over.
extension FindingCase {
    private static let request = [
        "Host: server.example.com", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]
    private static let response = [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]

    /// A head that lacks the headers that begin with `without`, and has others after the rest.
    private static func head(_ start: String, _ fields: [String], without: String, with: [String]) -> String {
        ([start] + fields.filter { !$0.hasPrefix(without) } + with + ["", ""]).joined(separator: "\r\n")
    }

    private static func ask(without: String = "-", _ with: String..., method: String = "GET") -> [Talk.Step] {
        [.client(head("\(method) /chat HTTP/1.1", request, without: without, with: with))]
    }

    /// What is agreed to, after an offer.
    private static func agree(_ offer: [Talk.Step] = ask(), without: String = "-", _ with: String...) -> [Talk.Step] {
        offer + [.server(head("HTTP/1.1 101 Switching Protocols", response, without: without, with: with))]
    }

    private static func opening(_ row: String, _ found: [String], _ fires: [Talk.Step], nearly: [Talk.Step]) -> FindingCase {
        FindingCase("websocket." + row, found, fires: Talk(fires), nearly: Talk(nearly))
    }

    static let webSocketHandshake: [FindingCase] = requestCases + offerCases + responseCases + agreementCases

    private static var requestCases: [FindingCase] {
        FindingCase.table {
            opening(
                "method-not-get",
                [
                    "> @0 websocket.method-not-get: a WebSocket is requested with the method POST",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask(method: "POST"), nearly: ask())
            opening(
                "key-missing",
                [
                    "> @0 websocket.key-missing: the request has no Sec-WebSocket-Key header",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask(without: "Sec-WebSocket-Key"), nearly: ask())
            opening(
                "key-repeated",
                [
                    "> @118 websocket.key-repeated: the request has 2 Sec-WebSocket-Key headers",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask("Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="), nearly: ask())
            opening(
                "key-invalid",
                [
                    "> @145 websocket.key-invalid: the Sec-WebSocket-Key dGhlIHNhbXBsZSBub25jZ=== is not 16 bytes in base64",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask(without: "Sec-WebSocket-Key", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZ==="),
                nearly: ask(without: "Sec-WebSocket-Key", "sec-websocket-key:AAAAAAAAAAAAAAAAAAAAAA== "))
            opening(
                "version-missing",
                [
                    "> @0 websocket.version-missing: the request has no Sec-WebSocket-Version header",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask(without: "Sec-WebSocket-Version"), nearly: ask())
            opening(
                "version-other",
                [
                    "> @167 websocket.version-other: the Sec-WebSocket-Version 8 is not 13",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask(without: "Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"),
                nearly: ask(without: "Sec-WebSocket-Version", "Sec-WebSocket-Version:   13 "))
            opening(
                "draft",
                [
                    "> @119 websocket.draft: the handshake of a WebSocket draft from before RFC 6455",
                    "> @189 http.message-unfinished: nothing more was seen inside a message, 8 bytes of known length are missing",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ],
                ask(without: "Sec-WebSocket", "Sec-WebSocket-Key1: 18x 6]8vM;54 *(5:  {   U1]8  z [  8", "Sec-WebSocket-Key2: 1_ tx7X d"),
                // Beside the key of the RFC it is any other header.
                nearly: ask("Sec-WebSocket-Key1: 18x 6]8vM;54 *(5:  {   U1]8  z [  8"))
        }
    }

    private static var offerCases: [FindingCase] {
        FindingCase.table {
            opening(
                "protocol-invalid",
                [
                    "> @195 websocket.protocol-invalid: the offered subprotocols chat room are not tokens",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask("Sec-WebSocket-Protocol: chat room"), nearly: ask("Sec-WebSocket-Protocol: chat, room"))
            opening(
                "protocol-repeated",
                [
                    "> @195 websocket.protocol-repeated: a subprotocol is offered twice: a, b, a",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask("Sec-WebSocket-Protocol: a, b, a"), nearly: ask("Sec-WebSocket-Protocol: a, b, A"))
            opening(
                "extensions-invalid",
                [
                    "> @197 websocket.extensions-invalid: the Sec-WebSocket-Extensions a; b=\"c d\" cannot be read",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask("Sec-WebSocket-Extensions: a; b=\"c d\""),
                nearly: ask("Sec-WebSocket-Extensions: a; b=\"c\""))
            opening(
                "extensions-invalid", ["< @153 websocket.extensions-invalid: the Sec-WebSocket-Extensions a; cannot be read"],
                agree(ask("Sec-WebSocket-Extensions: a"), "Sec-WebSocket-Extensions: a;"),
                nearly: agree(ask("Sec-WebSocket-Extensions: a"), "Sec-WebSocket-Extensions: a"))
            opening(
                "deflate-offer-invalid",
                [
                    "> @197 websocket.deflate-offer-invalid: permessage-deflate is offered with parameters that do not exist, are repeated or have a wrong value: permessage-deflate; server_max_window_bits=16",
                    "< @0 http.request-unanswered: requests without a response: 1",
                ], ask("Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=16"),
                nearly: ask("Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=15; client_max_window_bits"))
        }
    }

    private static var responseCases: [FindingCase] {
        let accept = "Sec-WebSocket-Accept"
        return FindingCase.table {
            opening(
                "connection-missing",
                [
                    "< @0 websocket.connection-missing: the response has no Connection: Upgrade",
                    "< @43 http.upgrade-without-connection: an Upgrade header without Connection: upgrade",
                ], agree(without: "Connection"),
                nearly: agree(without: "Connection", "connection: close, UPGRADE"))
            opening(
                "accept-missing", ["< @0 websocket.accept-missing: the response has no Sec-WebSocket-Accept header"],
                agree(without: accept), nearly: agree())
            opening(
                "accept-repeated", ["< @97 websocket.accept-repeated: the response has 2 Sec-WebSocket-Accept headers"],
                agree(ask(), "\(accept): s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), nearly: agree())
            opening(
                "accept-wrong",
                ["< @97 websocket.accept-wrong: the Sec-WebSocket-Accept s3pPLMBiTxaQ9kYGzzhZRbK+xOO= does not match the key"],
                agree(without: accept, "\(accept): s3pPLMBiTxaQ9kYGzzhZRbK+xOO="), nearly: agree())
            opening(
                "protocol-several", ["< @151 websocket.protocol-several: the response chooses 2 subprotocols: a, b"],
                agree(ask("Sec-WebSocket-Protocol: a, b"), "Sec-WebSocket-Protocol: a, b"),
                nearly: agree(ask("Sec-WebSocket-Protocol: a, b"), "Sec-WebSocket-Protocol: b"))
            opening(
                "protocol-not-offered",
                ["< @151 websocket.protocol-not-offered: the server chose the subprotocol b, which was not offered"],
                agree(ask("Sec-WebSocket-Protocol: a"), "Sec-WebSocket-Protocol: b"),
                nearly: agree(ask("Sec-WebSocket-Protocol: a, b"), "Sec-WebSocket-Protocol: b"))
            opening(
                "protocol-not-offered",
                ["< @151 websocket.protocol-not-offered: the server chose the subprotocol b, which was not offered"],
                agree(ask("Sec-WebSocket-Protocol: a"), "Sec-WebSocket-Protocol: b"),
                nearly: agree(ask("Sec-WebSocket-Protocol: a b"), "Sec-WebSocket-Protocol: b"))
        }
    }

    private static var agreementCases: [FindingCase] {
        let extensions = "Sec-WebSocket-Extensions: "
        let deflate = extensions + "permessage-deflate"
        return FindingCase.table {
            opening(
                "extension-not-offered",
                ["< @153 websocket.extension-not-offered: the server agreed to an extension that was not offered: x-other"],
                agree(ask(), "\(extensions)x-other"),
                nearly: agree(ask("\(extensions)x-other; a=1"), "\(extensions)x-other"))
            // Nobody can say what a list offers that does not keep the grammar.
            opening(
                "extension-not-offered",
                ["< @153 websocket.extension-not-offered: the server agreed to an extension that was not offered: permessage-deflate"],
                agree(ask("\(extensions)x; c=\"d\""), deflate),
                nearly: agree(ask("\(deflate), x; c=\"d e\""), deflate))
            opening(
                "deflate-answer-invalid",
                [
                    "< @153 websocket.deflate-answer-invalid: the response has permessage-deflate parameters that do not exist, are repeated or have a wrong value: permessage-deflate; client_max_window_bits"
                ], agree(ask("\(deflate); client_max_window_bits"), "\(deflate); client_max_window_bits"),
                nearly: agree(ask("\(deflate); client_max_window_bits"), "\(deflate); client_max_window_bits=15"))
            opening(
                "deflate-answer-invalid",
                [
                    "< @153 websocket.deflate-answer-invalid: the response has permessage-deflate parameters that do not exist, are repeated or have a wrong value: permessage-deflate, permessage-deflate"
                ], agree(ask(deflate), "\(deflate), permessage-deflate"),
                nearly: agree(ask(deflate), deflate))
            opening(
                "deflate-answer-not-offered",
                [
                    "< @153 websocket.deflate-answer-not-offered: the response to permessage-deflate does not fit any offer: permessage-deflate; client_max_window_bits=10"
                ], agree(ask(deflate), "\(deflate); client_max_window_bits=10"),
                nearly: agree(ask("\(deflate); client_max_window_bits"), "\(deflate); client_max_window_bits=10"))
            opening(
                "deflate-answer-not-offered",
                [
                    "< @153 websocket.deflate-answer-not-offered: the response to permessage-deflate does not fit any offer: permessage-deflate"
                ], agree(ask("\(deflate); server_max_window_bits=10"), deflate),
                nearly: agree(ask("\(deflate); server_max_window_bits=10"), "\(deflate); server_max_window_bits=9"))
        }
    }
}
