import Dissection

// The keys of `gap`.
extension Gap: FieldedFact {
    package static var blank: Gap { Gap(length: 0, cause: .missing) }

    package mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        row.number(Field(",\"length\":", .any, .bytes, in: .gap, always: .gap, "its bytes"), &length)
        row.word(
            Field(
                ",\"cause\":", .word(.cause), in: .gap, always: .gap,
                """
                `missing`: lost before the capture. `truncated`: cut off by the capture's snapshot length. `limit`: given up to stay within `Limits`. \
                `resync`: seen, and skipped to find the next plausible boundary of a frame or TLS record. `undecodable`: seen, and impossible to decode; \
                headers of frames are counted
                """), &cause)
    }
}
