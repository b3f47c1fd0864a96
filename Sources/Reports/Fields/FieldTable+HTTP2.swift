// The keys of `control`.

extension FieldTable {
    static let ofHTTP2: [Field] = [
        .controlType, .errorCode, .errorName, .lastStream, .settings, .dependsOn, .weight, .exclusive, .debugText,
    ]
}

extension Field {
    @inline(__always) static var controlType: Field {
        Field(
            ",\"type\":", .word(.control), in: .control, always: .control,
            "`settings` of the sender; the peer's are `settings-accepted`; `reset` of the record's stream; `goaway`: no more streams are taken; `ping`, and `pong` that answers it; `priority-update` and `priority` of the record's stream"
        )
    }
    @inline(__always) static var errorCode: Field {
        Field(
            ",\"code\":", .integer(0, UInt64(UInt32.max)), in: .control, "the error code of `reset` and `goaway` (RFC 9113 7); 0 is none",
            wireshark: "http2.rst_stream.error, http2.goaway.error")
    }
    @inline(__always) static var errorName: Field {
        Field(",\"name\":", .word(.errorCode), in: .control, "the name of the error code")
    }
    @inline(__always) static var lastStream: Field {
        Field(
            ",\"lastStream\":", .integer(0, UInt64(UInt32.max)), in: .control,
            "of `goaway`: the last stream that the sender may have acted on; requests on later ones may be sent again",
            wireshark: "http2.goaway.last_stream_id")
    }
    @inline(__always) static var settings: Field {
        Field(
            ",\"settings\":", .headers, in: .control, "of `settings`: names and values, in the order of the frame (RFC 9113 6.5.2)",
            wireshark: "http2.settings.id")
    }
    @inline(__always) static var dependsOn: Field {
        Field(
            ",\"dependsOn\":", .integer(0, UInt64(UInt32.max)), in: [.control, .request],
            "of `priority` (RFC 7540 6.3), and of a request whose HEADERS say so (6.2): the stream that the record's depends on; 0 is none",
            wireshark: "http2.stream_dependency")
    }
    @inline(__always) static var weight: Field {
        Field(
            ",\"weight\":", .integer(1, 256), in: [.control, .request],
            "with `dependsOn`: its share beside others that depend on the same stream",
            wireshark: "http2.headers.weight_real")
    }
    @inline(__always) static var exclusive: Field {
        Field(
            ",\"exclusive\":", .boolean, in: [.control, .request], "with `dependsOn`: whether the others depend on it from here on",
            wireshark: "http2.exclusive")
    }
    @inline(__always) static var debugText: Field {
        Field(
            ",\"debug\":", .text, in: .control,
            "of `goaway`: what the sender says about the cause; of `priority-update`: the priority (RFC 9218 4)")
    }
}
