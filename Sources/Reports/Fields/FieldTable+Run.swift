// The keys of `capture` and `end`.

extension FieldTable {
    static let ofRun: [Field] = [
        .formatVersion, .tool, .source, .sourceType, .sourceName, .firstPacket, .appended, .continued,
        .totalPackets, .totalConversations, .totalIgnored, .totalMessages, .totalFindings, .totalBytes, .skipped,
    ]
}

extension Field {
    @inline(__always) static var formatVersion: Field {
        Field(",\"version\":", .integer(1, 1), in: .capture, always: .capture, "1, the version of this format")
    }
    @inline(__always) static var tool: Field {
        Field(",\"tool\":", .text, in: .capture, always: .capture, "name and version of the program")
    }
    @inline(__always) static var source: Field {
        Field(",\"source\":", .object(.source), in: .capture, always: .capture, "where the packets or bytes come from")
    }
    @inline(__always) static var sourceType: Field {
        Field(",\"type\":", .word(.source), in: .source, always: .source, "what it is")
    }
    @inline(__always) static var sourceName: Field {
        Field(",\"name\":", .text, in: .source, always: .source, "path, interface, or address of the listener")
    }
    @inline(__always) static var firstPacket: Field {
        Field(",\"firstPacket\":", .some, in: .capture, "the number of its first packet; not for a proxy")
    }
    @inline(__always) static var appended: Field {
        Field(
            ",\"appended\":", .flag, in: .capture,
            "`true` where a run begins after another one in the same file (`--append`): conversations and packets count from 1 again")
    }

    @inline(__always) static var continued: Field {
        Field(
            ",\"continued\":", .flag, in: .capture,
            "`true` where a run goes on in a new file (SIGHUP, logrotate): conversations and packets are numbered on")
    }

    @inline(__always) static var totalPackets: Field {
        Field(",\"packets\":", .any, .packets, in: .end, always: .end, "what was read; from a proxy none")
    }
    @inline(__always) static var totalConversations: Field {
        Field(",\"conversations\":", .any, in: .end, always: .end, "how many conversations there were")
    }
    @inline(__always) static var totalIgnored: Field {
        Field(",\"ignored\":", .some, in: .end, "how many of them `--ignore` left out of these records; not where it left out none")
    }
    @inline(__always) static var totalMessages: Field {
        Field(",\"messages\":", .any, in: .end, always: .end, "how many messages there were: of WebSocket, of gRPC, or cut out of raw TCP")
    }
    @inline(__always) static var totalFindings: Field {
        Field(
            ",\"findings\":", .any, in: .end, always: .end,
            "how many findings there were; of `proxy.records-lost`, those about these records")
    }
    @inline(__always) static var totalBytes: Field {
        Field(
            ",\"bytes\":", .any, .bytes, in: .end, always: .end,
            "captured bytes of the packets; from a proxy, the bytes that the two sides sent")
    }
    @inline(__always) static var skipped: Field {
        Field(
            ",\"skipped\":", .counts, .packets, in: .end, always: .end,
            """
            packets with nothing for TCP, by reason: `udp`, `quic`, `icmp`, `arp`, `sctp`, `ipProtocol`, `etherType`, `linkControl`, `tunnel`, \
            `linkType`, `fragment`, `damaged`, `truncated`; and `afterClose`, TCP payload that came when its conversation had closed. Reasons \
            without packets are left out
            """)
    }
}
