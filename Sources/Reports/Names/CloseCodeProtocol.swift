import Dissection

/// Protocols inside of WebSockets that have close codes of their own.
package enum CloseCodeProtocol: UInt8, Sendable {
    /// `graphql-transport-ws` (enisdenjo/graphql-ws, PROTOCOL.md).
    case graphQL
    /// Pusher Channels (pusher.com/docs/channels/library_auth_reference/pusher-websockets-protocol).
    case pusher
    /// The gateway of Discord (docs.discord.com/developers/topics/opcodes-and-status-codes).
    case discord
    /// Centrifugo (centrifugal.dev/docs/server/codes).
    case centrifugo

    /// What a WebSocket speaks, by what was agreed on and by whom it was asked for; nil where nothing of it has codes of its own.
    package init?(subprotocol: RawSpan, host: RawSpan, target: RawSpan) {
        if subprotocol.isWord("graphql-transport-ws") {
            self = .graphQL
        } else if target.hasPrefix("/app/", at: 0), target.contains("protocol=") {
            self = .pusher
        } else if host.hasPrefix("gateway", at: 0), host.contains(".discord.gg") {
            self = .discord
        } else if target.hasPrefix("/connection/websocket", at: 0) || subprotocol.hasPrefix("centrifuge-", at: 0) {
            self = .centrifugo
        } else {
            return nil
        }
    }

    /// What it means by a code.
    package func name(_ code: UInt16) -> StaticString? {
        switch self {
        case .graphQL: Self.graphQLName(code)
        case .pusher: Self.pusherName(code)
        case .discord: Self.discordName(code)
        case .centrifugo: Self.centrifugoName(code)
        }
    }

    private static func graphQLName(_ code: UInt16) -> StaticString? {
        switch code {
        case 4004: "bad response"
        case 4005: "internal client error"
        case 4400: "bad request"
        case 4401: "unauthorized: an operation before connection_ack"
        case 4403: "forbidden"
        case 4406: "subprotocol not acceptable"
        case 4408: "no connection_init in time"
        case 4409: "subscriber already exists"
        case 4429: "too many connection_init"
        case 4500: "internal server error"
        case 4504: "no connection_ack in time"
        default: nil
        }
    }

    private static func pusherName(_ code: UInt16) -> StaticString? {
        switch code {
        case 4000: "the app only accepts TLS connections"
        case 4001: "the app does not exist"
        case 4003: "the app is disabled"
        case 4004: "the app is over its connection quota"
        case 4005: "path not found"
        case 4006: "invalid version string"
        case 4007: "unsupported protocol version"
        case 4008: "no protocol version supplied"
        case 4009: "connection not authorized"
        case 4100: "over capacity"
        case 4200: "reconnect immediately"
        case 4201: "no pong in time"
        case 4202: "closed after inactivity"
        case 4301: "client event rejected by the rate limit"
        default: nil
        }
    }

    private static func discordName(_ code: UInt16) -> StaticString? {
        switch code {
        case 4000: "unknown error"
        case 4001: "unknown opcode"
        case 4002: "decode error"
        case 4003: "not authenticated"
        case 4004: "authentication failed"
        case 4005: "already authenticated"
        case 4007: "invalid sequence"
        case 4008: "rate limited"
        case 4009: "session timed out"
        case 4010: "invalid shard"
        case 4011: "sharding required"
        case 4012: "invalid API version"
        case 4013: "invalid intents"
        case 4014: "disallowed intents"
        default: nil
        }
    }

    private static func centrifugoName(_ code: UInt16) -> StaticString? {
        switch code {
        case 3000: "connection closed"
        case 3001: "shutdown"
        case 3004: "internal server error"
        case 3005: "connection expired"
        case 3006: "subscription expired"
        case 3008: "slow"
        case 3009: "write error"
        case 3010: "insufficient state"
        case 3011: "force reconnect"
        case 3012: "no pong"
        case 3500: "invalid token"
        case 3501: "bad request"
        case 3502: "stale"
        case 3503: "force disconnect"
        case 3504: "connection limit"
        case 3505: "channel limit"
        default: nil
        }
    }
}
