// The keys of `framing` in a message that was cut out of raw bytes.

import Dissection

extension FieldTable {
    static let ofFraming: [Field] = [
        .messageFraming, .framingBy, .framingLength, .framingCountsItself, .framingOffset, .framingHeader, .framingDelimiter,
        .framingSize, .framingType, .framingProtocol, .framingHeaderBytes, .framingGuessed, .framingFit,
    ]
}

extension Field {
    @inline(__always) static var messageFraming: Field {
        Field(
            ",\"framing\":", .object(.framing), in: .message,
            "how the message was cut out of raw bytes; absent for WebSocket. See [framings.md](framings.md)")
    }
    @inline(__always) static var framingBy: Field {
        Field(",\"by\":", .word(.framingKind), in: .framing, always: .framing, "what ends a message, or says how long it is")
    }
    @inline(__always) static var framingLength: Field {
        Field(",\"length\":", .word(.lengthWidth), in: .framing, "how the length is written; of `length` and `tlv`")
    }
    @inline(__always) static var framingCountsItself: Field {
        Field(",\"self\":", .flag, in: .framing, "`true` where the length counts its header")
    }
    @inline(__always) static var framingOffset: Field {
        Field(",\"offset\":", .integer(1, 1_016), .bytes, in: .framing, "before the length in the header, where there are any")
    }
    @inline(__always) static var framingHeader: Field {
        Field(",\"header\":", .integer(1, 1_024), .bytes, in: .framing, "of the header, where it has more than the length")
    }
    @inline(__always) static var framingDelimiter: Field {
        Field(",\"delimiter\":", .pattern("^(?:[0-9a-f]{2})+$"), in: .framing, "the bytes that end a message, in hexadecimal")
    }
    @inline(__always) static var framingSize: Field {
        Field(",\"size\":", .integer(1, StreamFraming.mostBytes), .bytes, in: .framing, "of each message; of `fixed`")
    }
    @inline(__always) static var framingType: Field {
        Field(",\"type\":", .any, in: .framing, "the type of this message, as a number in network order; of `tlv`")
    }
    @inline(__always) static var framingProtocol: Field {
        Field(",\"protocol\":", .word(.framedProtocol), in: .framing, "the protocol that says where its messages end; of `protocol`")
    }
    @inline(__always) static var framingHeaderBytes: Field {
        Field(
            ",\"headerBytes\":", .pattern("^(?:[0-9a-f]{2})+$"), in: .framing,
            "the first 16 bytes of the header of this message, in hexadecimal, where it has more than the length")
    }
    @inline(__always) static var framingGuessed: Field {
        Field(",\"guessed\":", .flag, in: .framing, "`true` where neither the user nor the protocol said so")
    }
    @inline(__always) static var framingFit: Field {
        Field(",\"fit\":", .fraction, in: .framing, "the share of the messages so far that fitted; of a guess")
    }
}
