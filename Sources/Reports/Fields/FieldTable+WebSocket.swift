// The keys of `frame`, `message`, `ping`, `pong` and `close`, and of payloads.

extension FieldTable {
    static let ofWebSocket: [Field] = [
        .opcode, .fin, .rsv, .masked, .maskingKey, .frameLength, .headerLength,
        .messageOpcode, .messageLength, .messageWireLength, .fragments, .compressed,
        .closeCode, .closeName,
    ]
    static let ofUnfinished: [Field] = [.unfinished, .announced]
    /// What the payloads of records are.
    static let contents: [Field] = [.dataContent, .bodyContent, .messageContent, .controlContent, .closeReason]
    /// How payloads and texts of a head are written, wherever they stand.
    static let ofPayloads: [Field] = [.text, .base64, .cutLength, .truncated, .latin1]
    static let afterPayloads: [Field] = [.messageDecoded, .payloadAs, .roundTrip, .unsolicited, .redacted]
}

// `frame`
extension Field {
    @inline(__always) static var opcode: Field {
        Field(",\"opcode\":", .integer(0, 15), in: .frame, always: .frame, "RFC 6455 11.8", wireshark: "websocket.opcode")
    }
    @inline(__always) static var fin: Field {
        Field(",\"fin\":", .boolean, in: .frame, always: .frame, "whether it is the last of its message", wireshark: "websocket.fin")
    }
    @inline(__always) static var rsv: Field {
        Field(
            ",\"rsv\":", .integer(0, 7), in: .frame, always: .frame, "the three reserved bits as a number; RSV1 is 4",
            wireshark: "websocket.rsv")
    }
    @inline(__always) static var masked: Field {
        Field(",\"masked\":", .boolean, in: .frame, always: .frame, "whether the payload is masked", wireshark: "websocket.mask")
    }
    @inline(__always) static var maskingKey: Field {
        Field(
            ",\"maskingKey\":", .pattern("^[0-9a-f]{8}$"), in: .frame, "8 hexadecimal digits, only when masked",
            wireshark: "websocket.masking_key")
    }
    @inline(__always) static var frameLength: Field {
        Field(",\"length\":", .any, .bytes, in: .frame, always: .frame, "of the payload", wireshark: "websocket.payload_length")
    }
    @inline(__always) static var headerLength: Field {
        Field(",\"headerLength\":", .integer(2, 14), .bytes, in: .frame, always: .frame, "of the header")
    }
}

// `message`
extension Field {
    @inline(__always) static var messageOpcode: Field {
        Field(
            ",\"opcode\":", .opcode, in: .message, "`text`, `binary`, or the number of a reserved one; of a WebSocket message",
            wireshark: "websocket.opcode")
    }
    @inline(__always) static var messageLength: Field {
        Field(",\"length\":", .any, .bytes, in: .message, always: .message, "after inflating, or between header and delimiter")
    }
    @inline(__always) static var messageWireLength: Field {
        Field(
            ",\"wireLength\":", .any, .bytes, in: .message, always: .message,
            "of payload on the wire, frame headers not counted; of a message with `framing` all that came, with header and delimiter",
            wireshark: "websocket.payload_length")
    }
    @inline(__always) static var fragments: Field {
        Field(",\"fragments\":", .integer(0, UInt64(UInt32.max)), in: .message, "how many frames it came in; of a WebSocket message")
    }
    @inline(__always) static var compressed: Field {
        Field(",\"compressed\":", .boolean, in: .message, "whether it was deflated (RFC 7692); of a WebSocket message")
    }
    @inline(__always) static var messageDecoded: Field {
        Field(
            ",\"decoded\":", .object(.payload), in: [.message, .body, .response],
            "what the payload says, with `--decoded`, where its format was recognised; of a response without content, how its call of gRPC ended; see [payloads.md](payloads.md)"
        )
    }
    @inline(__always) static var payloadAs: Field {
        Field(
            ",\"as\":", .text, in: .payload, always: .payload,
            "names the format, such as `socket.io`; [payloads.md](payloads.md) lists them")
    }
}

// What its sender did not finish
extension Field {
    @inline(__always) static var unfinished: Field {
        Field(
            ",\"unfinished\":", .flag, in: [.message, .body],
            "`true` where its sender did not finish it, or nothing more of it was captured; of a body, in its last part")
    }
    @inline(__always) static var announced: Field {
        Field(
            ",\"announced\":", .any, .bytes, in: [.message, .body],
            """
            of what was not finished, where it is known: the length that the header of a message, or of the last of its frames, gave, or \
            `Content-Length` of a body
            """)
    }
}

// `pong` and `close`
extension Field {
    @inline(__always) static var roundTrip: Field {
        Field(",\"roundTrip\":", .seconds, in: [.pong, .control], "since the ping that it answers")
    }
    @inline(__always) static var unsolicited: Field {
        Field(
            ",\"unsolicited\":", .flag, in: .pong,
            "`true` where no ping was seen that it could answer, although all that the other side sent was captured")
    }
    @inline(__always) static var closeCode: Field {
        Field(
            ",\"code\":", .integer(0, 65_535), in: .close, "absent where the frame had none (RFC 6455 7.4)",
            wireshark: "websocket.payload.close.status_code")
    }
    @inline(__always) static var closeName: Field {
        Field(
            ",\"name\":", .text, in: .close,
            """
            what RFC 6455 and IANA's registry call the code; `registered` for others of 3000 to 3999, `private` for 4000 to 4999; absent for a number \
            that means nothing
            """)
    }
}

// Payloads. What they are differs from record to record; how they are written does not.
extension Field {
    @inline(__always) static var dataContent: Field {
        Field("", .payload, in: .data, "the bytes; not for a sealed record, whose ciphertext says nothing", wireshark: "tcp.payload")
    }
    @inline(__always) static var bodyContent: Field { Field("", .payload, in: .body, "the decoded bytes", wireshark: "http.file_data") }
    @inline(__always) static var messageContent: Field {
        Field(
            "", .payload, in: .message, "the payload, unmasked and inflated; of a protocol that frames itself with its header",
            wireshark: "websocket.payload")
    }
    @inline(__always) static var controlContent: Field {
        Field("", .payload, in: [.ping, .pong], "the payload", wireshark: "websocket.payload")
    }
    @inline(__always) static var closeReason: Field {
        Field("", .payload, in: .close, "the reason, if there is one", wireshark: "websocket.payload.close.reason")
    }

    @inline(__always) static var text: Field {
        Field(",\"text\":", .text, in: .withPayload.union(.withShortPayload), "a payload that is valid UTF-8")
    }
    @inline(__always) static var base64: Field {
        Field(
            ",\"base64\":", .pattern("^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"),
            in: .withPayload.union(.withShortPayload), "any other payload (RFC 4648 4, with padding)")
    }
    @inline(__always) static var cutLength: Field {
        Field(",\"length\":", .any, .bytes, in: .withShortPayload, "the payload's own, only where it is cut")
    }
    @inline(__always) static var truncated: Field {
        Field(
            ",\"truncated\":", .flag, in: .withPayload.union(.withShortPayload).union(.response),
            "`true` where some of a payload is not shown; in a response, of its request's method or target")
    }
    @inline(__always) static var redacted: Field {
        Field(
            ",\"redacted\":", .integer(1, UInt64(UInt32.max)), in: .withSecrets,
            """
            how many places of the event `--redact` replaced by marks (docs/redaction.md). Lengths and offsets stay those of the wire
            """)
    }
    @inline(__always) static var latin1: Field {
        Field(",\"latin1\":", .flag, in: .withHeadText, "`true` where a text of a head was not UTF-8 and was read as Latin-1")
    }
}
