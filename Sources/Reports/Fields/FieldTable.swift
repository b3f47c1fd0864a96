import Dissection

/// Every key of every record, once, in the order in which they stand there.
package enum FieldTable {
    package static let rows: [Field] =
        common + ofRun + ofConnection + ofHeartbeats + ofCalls + ofHTTP + KeyList.fields(of: .control) + ofWebSocket + ofFraming
        + ofUnfinished + contents
        + ofPayloads
        + afterPayloads

    /// The rows of a record or an object.
    package static func rows(of carrier: FieldCarrier) -> [Field] { rows.filter { $0.carriers.contains(carrier) } }

    /// The names of the keys of all records, as they are written; not those of the objects in them.
    static let keysOfRecords = Set(
        FieldCarrier.allCases.filter(\.isRecord).flatMap { rows(of: $0) }.map { Array($0.name.utf8) }.filter { !$0.isEmpty })

    /// The words by which a record says what it is.
    static let kinds = Set(FieldCarrier.allCases.filter(\.isRecord).map { Array($0.name.utf8) })

    package static let common: [Field] = [.kind, .conversation, .time, .from, .packets, .offset, .channel, .stream]
}

// What most records have; it comes first.
extension Field {
    /// Whether it is one of those that most records have.
    package var isCommon: Bool { FieldTable.common.contains { $0.isSame(as: self) } }

    /// Whether both are the same row.
    package func isSame(as other: Field) -> Bool { carriers == other.carriers && name == other.name }

    @inline(__always) static var kind: Field {
        Field(
            ",\"kind\":", .text, in: .ofConversation.union([.capture, .end]), always: .ofConversation.union([.capture, .end]),
            "one of those below")
    }
    @inline(__always) static var conversation: Field {
        Field(
            ",\"conversation\":", .some, in: .ofConversation, always: .ofConversation.subtracting(.finding),
            "number from 1, in order of first sight; not on `capture`, `end` and findings about the input itself")
    }
    @inline(__always) static var time: Field {
        Field(
            ",\"time\":", .time, in: .ofConversation,
            """
            the arrival of the packet or socket read that brought the last byte: RFC 3339, UTC, always nine decimal places; absent where the \
            source has no clock (simple packets of pcapng)
            """, wireshark: "frame.time")
    }
    @inline(__always) static var from: Field {
        Field(",\"from\":", .word(.side), in: .said, "who sent it; only where somebody did")
    }
    @inline(__always) static var packets: Field {
        Field(
            ",\"packets\":", .packets, in: .ofConversation,
            """
            `[lowest, highest]` number of the packets that carried a byte of it, its header included; others may lie between. Numbered from 1 as \
            Wireshark does, running on through several files. Captures only
            """, wireshark: "frame.number")
    }
    @inline(__always) static var offset: Field {
        Field(
            ",\"offset\":", .any, .bytes, in: .said,
            """
            the first byte of the element in its direction of its channel; of a message, the header of its first frame. 0 is the byte after SYN, or the \
            first byte seen; inside TLS it counts plaintext. Never a position in inflated data
            """)
    }
    @inline(__always) static var channel: Field {
        Field(
            ",\"channel\":", .integer(1, 255), in: .said,
            """
            how deep the channel lies that it came through: 0, and left out, for the wire; 1 for what runs inside a channel of the wire (a CONNECT \
            tunnel, TLS after STARTTLS, what keys open), and so on. Each channel counts its bytes from 0
            """)
    }
    @inline(__always) static var stream: Field {
        Field(
            ",\"stream\":", .integer(1, UInt64(UInt32.max)), in: .said, "the number of the HTTP/2 stream, where there is one")
    }
}
