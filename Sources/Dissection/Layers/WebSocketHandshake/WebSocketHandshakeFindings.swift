/// What may be wrong with the opening handshake.
extension FindingRow {
    package static let webSocketMethodNotGET = FindingRow(
        id: "websocket.method-not-get", severity: .violation, reference: "RFC 6455 4.1",
        detail: "a WebSocket is requested with the method {text}",
        explanation: "The opening handshake is a GET request.")
    package static let webSocketKeyMissing = FindingRow(
        id: "websocket.key-missing", severity: .violation, reference: "RFC 6455 4.1",
        detail: "the request has no Sec-WebSocket-Key header",
        explanation: "The client sends a key that the server proves to have read.")
    package static let webSocketKeyRepeated = FindingRow(
        id: "websocket.key-repeated", severity: .violation, reference: "RFC 6455 11.3.1",
        detail: "the request has {a} Sec-WebSocket-Key headers",
        explanation: "The key stands in the request once.")
    package static let webSocketKeyInvalid = FindingRow(
        id: "websocket.key-invalid", severity: .violation, reference: "RFC 6455 4.1",
        detail: "the Sec-WebSocket-Key {text} is not 16 bytes in base64",
        explanation: "The key is 16 random bytes in base64, 24 characters of which the last two are equals signs.")
    package static let webSocketVersionMissing = FindingRow(
        id: "websocket.version-missing", severity: .violation, reference: "RFC 6455 4.1",
        detail: "the request has no Sec-WebSocket-Version header",
        explanation: "The version of RFC 6455 is 13.")
    package static let webSocketVersionOther = FindingRow(
        id: "websocket.version-other", severity: .warning, reference: "RFC 6455 4.4",
        detail: "the Sec-WebSocket-Version {text} is not 13",
        explanation: """
            The version of RFC 6455 is 13; smaller numbers are drafts of it. A client may ask for another version first: the server \
            then refuses, and names those that it speaks.
            """)
    package static let webSocketDraft = FindingRow(
        id: "websocket.draft", severity: .note, reference: "draft-ietf-hybi-thewebsocketprotocol-00",
        detail: "the handshake of a WebSocket draft from before RFC 6455",
        explanation: """
            Browsers of 2010 and 2011, and servers for them, spoke drafts with other keys and other frames: text between the \
            bytes 00 and FF in the oldest ones, other opcodes and masks in the drafts before version 7. What follows the \
            handshake is shown as data.
            """)
    package static let webSocketProtocolInvalid = FindingRow(
        id: "websocket.protocol-invalid", severity: .violation, reference: "RFC 6455 4.1",
        detail: "the offered subprotocols {text} are not tokens",
        explanation: "Subprotocols are names of the characters that a header name may have, separated by commas.")
    package static let webSocketProtocolRepeated = FindingRow(
        id: "websocket.protocol-repeated", severity: .violation, reference: "RFC 6455 4.1",
        detail: "a subprotocol is offered twice: {text}",
        explanation: "Each offered subprotocol stands in the list once.")
    package static let webSocketExtensionsInvalid = FindingRow(
        id: "websocket.extensions-invalid", severity: .violation, reference: "RFC 6455 9.1",
        detail: "the Sec-WebSocket-Extensions {text} cannot be read",
        explanation: """
            Extensions are names with parameters after semicolons, separated by commas; a value may stand in quotes, but what is \
            in them has to be a token.
            """)
    package static let webSocketDeflateOfferInvalid = FindingRow(
        id: "websocket.deflate-offer-invalid", severity: .warning, reference: "RFC 7692 7",
        detail: "permessage-deflate is offered with parameters that do not exist, are repeated or have a wrong value: {text}",
        explanation: "A server has to decline such an offer.")
    package static let webSocketRefused = FindingRow(
        id: "websocket.refused", severity: .warning, reference: "RFC 6455 4.1",
        detail: "the server refused the WebSocket with {text}",
        explanation: """
            The response to the upgrade request has another status than 101, so no WebSocket was opened; apps see an error of the handshake. \
            The sentence names the status and what the response says about the reason: the target of a redirect (Starscream issue 392), \
            Retry-After (Starscream issue 747), the challenge, the versions that the server speaks, a page where HTTP alone is served, SockJS's \
            greeting, or the words with which a server of TLS rejects plaintext. Otherwise the first line of its body is quoted, or what \
            the status alone means; then "may" marks a guess. An upgrade to another protocol that a server passes over is ordinary, and not reported.
            """)
    package static let webSocketUnanswered = FindingRow(
        id: "websocket.upgrade-unanswered", severity: .warning, reference: "RFC 6455 4.1",
        detail: "the upgrade request got no response, {text}",
        explanation: """
            The port may belong to another protocol, for example to TLS; or the server, or a proxy before it, drops connections that it does not \
            want. Reported where the connection was closed, and not where the capture ends before the response.
            """)
    package static let webSocketConnectionMissing = FindingRow(
        id: "websocket.connection-missing", severity: .violation, reference: "RFC 6455 4.2.2",
        detail: "the response has no Connection: Upgrade",
        explanation: "A client has to fail the handshake without it.")
    package static let webSocketAcceptMissing = FindingRow(
        id: "websocket.accept-missing", severity: .violation, reference: "RFC 6455 4.2.2",
        detail: "the response has no Sec-WebSocket-Accept header",
        explanation: "Without it the client cannot know that the server understood; it has to fail the handshake.")
    package static let webSocketAcceptRepeated = FindingRow(
        id: "websocket.accept-repeated", severity: .violation, reference: "RFC 6455 11.3.3",
        detail: "the response has {a} Sec-WebSocket-Accept headers",
        explanation: "The header stands in the response once.")
    package static let webSocketAcceptWrong = FindingRow(
        id: "websocket.accept-wrong", severity: .violation, reference: "RFC 6455 4.2.2",
        detail: "the Sec-WebSocket-Accept {text} does not match the key",
        explanation: """
            It is the base64 of the SHA-1 of the key and a fixed text. A wrong one comes from a server that does not speak \
            WebSocket, from a proxy that responds for it, or from a key that was changed on the way.
            """)
    package static let webSocketProtocolSeveral = FindingRow(
        id: "websocket.protocol-several", severity: .violation, reference: "RFC 6455 11.3.4",
        detail: "the response chooses {a} subprotocols: {text}",
        explanation: "A server chooses one subprotocol or none.")
    package static let webSocketProtocolNotOffered = FindingRow(
        id: "websocket.protocol-not-offered", severity: .violation, reference: "RFC 6455 4.2.2",
        detail: "the server chose the subprotocol {text}, which was not offered",
        explanation: "A client has to fail the handshake.")
    package static let webSocketProtocolNone = FindingRow(
        id: "websocket.protocol-none", severity: .warning, reference: "RFC 6455 4.1",
        detail: "the server chose none of the offered subprotocols ({text}), and the client left without a message",
        explanation: """
            A server may choose no subprotocol, and a client that needs one then fails the connection, as browsers and OCPP charge points do \
            (NetCoreServer issue 328). The server has to send Sec-WebSocket-Protocol with one of those that were offered. Reported where the client \
            ended the connection within 5 s of the handshake, neither side having sent a message, and not with close code 1000 or 1001. \
            Where messages follow the subprotocol was not needed.
            """)
    package static let webSocketProtocolRequired = FindingRow(
        id: "websocket.protocol-required", severity: .warning, reference: "",
        detail: "the server closed with {a} right after a handshake without a subprotocol, which it may require; {text}",
        explanation: """
            Servers of GraphQL take a connection without their subprotocol and then close it: graphql-ws, and those that speak as it does, with \
            4406 (github.com/enisdenjo/graphql-ws, PROTOCOL.md; apollo-ios issue 2819), subscriptions-transport-ws with 1002 and no reason \
            (its src/server.ts; python-websockets issue 1020). The client has to offer the one that the server speaks, `graphql-transport-ws` or \
            `graphql-ws`, in Sec-WebSocket-Protocol. That is a guess from these signs: reported where no subprotocol was agreed on, and the Close \
            frame is the first frame of all.
            """)
    package static let webSocketExtensionNotOffered = FindingRow(
        id: "websocket.extension-not-offered", severity: .violation, reference: "RFC 6455 4.2.2",
        detail: "the server agreed to an extension that was not offered: {text}",
        explanation: "A client has to fail the handshake.")
    package static let webSocketDeflateAnswerInvalid = FindingRow(
        id: "websocket.deflate-answer-invalid", severity: .violation, reference: "RFC 7692 7",
        detail: "the response has permessage-deflate parameters that do not exist, are repeated or have a wrong value: {text}",
        explanation: "A client has to fail the handshake.")
    package static let webSocketDeflateAnswerNotOffered = FindingRow(
        id: "websocket.deflate-answer-not-offered", severity: .violation, reference: "RFC 7692 7.1",
        detail: "the response to permessage-deflate does not fit any offer: {text}",
        explanation: """
            A server repeats server_no_context_takeover and server_max_window_bits of the offer, the latter with the same value or \
            a smaller one, and limits the client's window only where the client offered client_max_window_bits.
            """)

    /// The rows about the opening handshake.
    package static let webSocketHandshakeRows: [FindingRow] = [
        webSocketMethodNotGET, webSocketKeyMissing, webSocketKeyRepeated, webSocketKeyInvalid, webSocketVersionMissing,
        webSocketVersionOther, webSocketDraft, webSocketProtocolInvalid, webSocketProtocolRepeated, webSocketExtensionsInvalid,
        webSocketDeflateOfferInvalid, webSocketRefused, webSocketUnanswered, webSocketConnectionMissing, webSocketAcceptMissing,
        webSocketAcceptRepeated,
        webSocketAcceptWrong, webSocketProtocolSeveral, webSocketProtocolNotOffered, webSocketProtocolNone, webSocketProtocolRequired,
        webSocketExtensionNotOffered,
        webSocketDeflateAnswerInvalid, webSocketDeflateAnswerNotOffered,
    ]
}
