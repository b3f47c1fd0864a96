import Dissection

// The keys of `control`, and those of a priority.
extension ControlFrame: FieldedFact {
    package static var blank: ControlFrame { ControlFrame(.settings) }

    package mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        row.word(
            Field(
                ",\"type\":", .word(.control), in: .control, always: .control,
                "`settings` of the sender; the peer's are `settings-accepted`; `reset` of the record's stream; `goaway`: no more streams are taken; `ping`, and `pong` that answers it; `priority-update` and `priority` of the record's stream"
            ), &kind)
        row.number(
            Field(
                ",\"code\":", .integer(0, UInt64(UInt32.max)), in: .control,
                "the error code of `reset` and `goaway` (RFC 9113 7); 0 is none",
                wireshark: "http2.rst_stream.error, http2.goaway.error"), &code)
        row.label(
            Field(",\"name\":", .word(.errorCode), in: .control, "the name of the error code"), code.flatMap(ControlFrame.name),
            UInt8(truncatingIfNeeded: code ?? 0))
        row.number(
            Field(
                ",\"lastStream\":", .integer(0, UInt64(UInt32.max)), in: .control,
                "of `goaway`: the last stream that the sender may have acted on; requests on later ones may be sent again",
                wireshark: "http2.goaway.last_stream_id"), &lastStream)
        row.headers(
            Field(
                ",\"settings\":", .headers, in: .control, "of `settings`: names and values, in the order of the frame (RFC 9113 6.5.2)",
                wireshark: "http2.settings.id"), &settings, isThere: kind == .settings)
        var (dependsOn, weight, isExclusive) = (priority?.dependsOn, priority?.weight, priority?.isExclusive)
        row.number(.dependsOn, &dependsOn)
        row.number(.weight, &weight)
        row.flag(.exclusive, &isExclusive)
        if dependsOn != nil, weight == nil || isExclusive == nil { row.refuse(weight == nil ? .weight : .exclusive, "missing") }
        priority = dependsOn.map { StreamPriority(dependsOn: $0, weight: weight ?? 16, isExclusive: isExclusive ?? false) }
        row.text(
            Field(
                ",\"debug\":", .text, in: .control,
                "of `goaway`: what the sender says about the cause; of `priority-update`: the priority (RFC 9218 4)"), &text)
        row.latin1()
        row.seconds(.roundTrip, &roundTrip)
    }
}

// Of priorities, which requests have as well.
extension Field {
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
}
