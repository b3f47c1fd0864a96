// The keys of `opened`, `tls`, `data`, `gap`, `finding` and `closed`.

extension FieldTable {
    static let ofConnection: [Field] = [
        .client, .server, .address, .port, .endpointName, .transport, .start, .roles, .via, .viaMode, .viaTarget,
        .serverName, .alpn, .offeredALPN, .tlsVersion, .cipher, .secrets,
        .certificates, .clientCertificates, .subject, .issuer, .names, .notBefore, .notAfter, .sha256,
        .dataLength, .headerBlock, .afterClose, .framing, .decoded, .decodedAs, .decodedType, .decodedHandshake,
        .gapLength, .cause,
        .id, .severity, .reference, .detail,
        .closedBy, .how, .closingCode, .answered, .silence, .ends, .clientEnd, .serverEnd, .duration, .clientTotals, .serverTotals,
        .sideBytes,
        .sideMessages, .sideFrames, .sideMissing,
    ]
}

// `opened`
extension Field {
    @inline(__always) static var client: Field {
        Field(
            ",\"client\":", .object(.endpoint), in: .opened, always: .opened,
            "where the client is. A Unix socket has the address `0.0.0.0` and a port made from its conversation's number")
    }
    @inline(__always) static var server: Field {
        Field(
            ",\"server\":", .object(.endpoint), in: .opened, always: .opened,
            """
            where the server is. A Unix socket has the address `0.0.0.0` and port 0; so has a server behind another proxy (`--via`) that address, of \
            which only name and port are known
            """)
    }
    @inline(__always) static var address: Field {
        Field(
            ",\"address\":", .text, in: .endpoint,
            """
            IPv6 as in RFC 5952; an IPv4 address that is written as an IPv6 one, `::ffff:10.0.0.5`, is shown as IPv4. Absent where none was found
            """, wireshark: "ip.addr, ipv6.addr")
    }
    @inline(__always) static var port: Field {
        Field(",\"port\":", .integer(0, 65_535), in: .endpoint, "absent where none is known", wireshark: "tcp.port")
    }
    @inline(__always) static var endpointName: Field {
        Field(
            ",\"name\":", .text, in: .endpoint,
            "what the source calls it, if anything: the name that was dialled, a name in the capture, or the path of a Unix socket")
    }
    @inline(__always) static var transport: Field {
        Field(",\"transport\":", .word(.transport), in: .opened, always: .opened, "what carries it")
    }
    @inline(__always) static var start: Field {
        Field(
            ",\"start\":", .word(.start), in: .opened, always: .opened,
            "how it came into sight; `midstream`: the capture has no SYN of it, `accepted`: by the proxy")
    }
    @inline(__always) static var roles: Field {
        Field(",\"roles\":", .word(.roles), in: .opened, always: .opened, "what decided who the client is; see [Roles](#roles)")
    }
    @inline(__always) static var via: Field { Field(",\"via\":", .object(.via), in: .opened, "the way through a proxy; only from one") }
    @inline(__always) static var viaMode: Field {
        Field(",\"mode\":", .text, in: .via, always: .via, "`reverse`, `http`, `socks5` or `transparent`")
    }
    @inline(__always) static var viaTarget: Field {
        Field(",\"target\":", .text, in: .via, "what the client asked the proxy for, as it did")
    }
}

// `tls`
extension Field {
    @inline(__always) static var serverName: Field {
        Field(
            ",\"serverName\":", .text, in: .tls, "the name that the client asked for (RFC 6066 3)",
            wireshark: "tls.handshake.extensions_server_name")
    }
    @inline(__always) static var alpn: Field {
        Field(
            ",\"alpn\":", .text, in: .tls,
            "the application protocol that the server chose (RFC 7301); absent where it chose none, or chose under encryption (TLS 1.3)",
            wireshark: "tls.handshake.extensions_alpn_str")
    }
    @inline(__always) static var offeredALPN: Field {
        Field(",\"offeredAlpn\":", .names, in: .tls, "what the client offered", wireshark: "tls.handshake.extensions_alpn_str")
    }
    @inline(__always) static var tlsVersion: Field {
        Field(
            ",\"version\":", .text, in: .tls, "as agreed, by name (`TLS 1.3`), or as `0x7f12` where it has none",
            wireshark: "tls.handshake.version")
    }
    @inline(__always) static var cipher: Field {
        Field(
            ",\"cipher\":", .text, in: .tls, "as agreed, by name (`TLS_AES_128_GCM_SHA256`), or as `0x1301` where it has none",
            wireshark: "tls.handshake.ciphersuite")
    }
    @inline(__always) static var secrets: Field {
        Field(
            ",\"secrets\":", .word(.secrets), in: .tls, always: .tls,
            "why the content can be read or not; `terminated`: by the proxy; `keylog`: with the session's secrets (docs/keys.md)")
    }
    @inline(__always) static var certificates: Field {
        Field(
            ",\"certificates\":", .objects(.certificate), in: .tls,
            """
            what the server showed, its own first, at most 16 of them; absent where it showed none (a session was resumed), where they were not \
            captured, are compressed with an algorithm that is not known here, longer than 64 KiB or in more than 32 records, and under TLS 1.3 \
            without keys. From a proxy that opens TLS: the server's own alone
            """)
    }
    @inline(__always) static var clientCertificates: Field {
        Field(
            ",\"clientCertificates\":", .objects(.certificate), in: .tls,
            "what the client showed because the server asked for it, in the same way; absent where it was not asked, or showed none")
    }
    @inline(__always) static var subject: Field {
        Field(
            ",\"subject\":", .text, in: .certificate, "whose it is, as in RFC 4514; absent where it is empty or cannot be read",
            wireshark: "x509if.RelativeDistinguishedName_item_element")
    }
    @inline(__always) static var issuer: Field { Field(",\"issuer\":", .text, in: .certificate, "who issued it, as in RFC 4514") }
    @inline(__always) static var names: Field {
        Field(
            ",\"names\":", .names, in: .certificate, "its alternative names: hosts, IP addresses, URIs, addresses of mail",
            wireshark: "x509ce.dNSName")
    }
    @inline(__always) static var notBefore: Field {
        Field(
            ",\"notBefore\":", .pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"), in: .certificate,
            "when it begins to be valid")
    }
    @inline(__always) static var notAfter: Field {
        Field(
            ",\"notAfter\":", .pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"), in: .certificate,
            "when it ends to be valid")
    }
    @inline(__always) static var sha256: Field {
        Field(
            ",\"sha256\":", .pattern("^[0-9a-f]{64}$"), in: .certificate, always: .certificate,
            "its fingerprint: the SHA-256 of its DER form")
    }
}

// `data` and `gap`
extension Field {
    @inline(__always) static var dataLength: Field {
        Field(",\"length\":", .any, .bytes, in: .data, always: .data, "its bytes", wireshark: "tcp.len")
    }
    @inline(__always) static var headerBlock: Field {
        Field(
            ",\"headerBlock\":", .flag, in: .data,
            "`true` of a header block of HTTP/2 (RFC 7541) as it came, or a part of one, or of bytes that may hold one")
    }
    @inline(__always) static var afterClose: Field {
        Field(
            ",\"afterClose\":", .flag, in: .data, "`true` of bytes that came after a RST had ended the conversation; they count in no total"
        )
    }
    @inline(__always) static var framing: Field {
        Field(",\"framing\":", .word(.framing), in: .data, "what separates the run from the next; absent where it was not")
    }
    @inline(__always) static var decoded: Field {
        Field(",\"decoded\":", .object(.decoded), in: .data, "what a sealed record is; of other bytes as in `message`")
    }
    @inline(__always) static var decodedAs: Field {
        Field(",\"as\":", .text, in: .decoded, always: .decoded, "names the format: `tls`, or `ssl2`, whose records have no type")
    }
    @inline(__always) static var decodedType: Field {
        Field(
            ",\"type\":", .wordOrNumber(.contentType), in: .decoded, "of `tls`: the record's content type (RFC 8446 5.1)",
            wireshark: "tls.record.content_type")
    }
    @inline(__always) static var decodedHandshake: Field {
        Field(
            ",\"handshake\":", .text, in: .decoded,
            """
            of `tls`: the first message of a record that was opened and comes after the handshake (RFC 8446 4.6): `NewSessionTicket`, \
            `KeyUpdate` or `CertificateRequest`
            """)
    }
    @inline(__always) static var gapLength: Field {
        Field(",\"length\":", .any, .bytes, in: .gap, always: .gap, "its bytes")
    }
    @inline(__always) static var cause: Field {
        Field(
            ",\"cause\":", .word(.cause), in: .gap, always: .gap,
            """
            `missing`: lost before the capture. `truncated`: cut off by the capture's snapshot length. `limit`: given up to stay within `Limits`. \
            `resync`: seen, and skipped to find the next plausible boundary of a frame or TLS record. `undecodable`: seen, and impossible to decode; \
            headers of frames are counted
            """)
    }
}

// `finding`
extension Field {
    @inline(__always) static var id: Field {
        Field(",\"id\":", .pattern("^[a-z0-9]+(?:[.-][a-z0-9]+)*$"), in: .finding, always: .finding, "stable, the layer first")
    }
    @inline(__always) static var severity: Field {
        Field(",\"severity\":", .word(.severity), in: .finding, always: .finding, "`violation`: a MUST is broken")
    }
    @inline(__always) static var reference: Field {
        Field(",\"reference\":", .text, in: .finding, "the document and section of the rule, where one has it")
    }
    @inline(__always) static var detail: Field {
        Field(",\"detail\":", .text, in: .finding, always: .finding, "a sentence for people; its wording may change")
    }
}

// `closed`
extension Field {
    @inline(__always) static var closedBy: Field {
        Field(
            ",\"by\":", .word(.closer), in: .closed, always: .closed,
            "who ended it; `unknown` where nothing on the wire says so, or where the other side may have done so before, unseen")
    }
    @inline(__always) static var how: Field {
        Field(
            ",\"how\":", .word(.manner), in: .closed, always: .closed,
            """
            how it ended; `evicted`: given up for memory, `refused`: by a proxy, before a conversation began (`opened.server` is empty then, or the \
            server of a request that was withheld)
            """)
    }
    @inline(__always) static var closingCode: Field {
        Field(
            ",\"code\":", .integer(0, 65_535), in: .closed, "the code of the Close frame, only if it was on the wire",
            wireshark: "websocket.payload.close.status_code")
    }
    @inline(__always) static var answered: Field {
        Field(
            ",\"answered\":", .seconds, in: .closed,
            "until the peer answered the Close frame or FIN; one that the peer sent before that had arrived is not counted")
    }
    @inline(__always) static var silence: Field {
        Field(
            ",\"silence\":", .seconds, in: .closed,
            "how long neither side had sent a byte when the Close frame, FIN or RST that ended it came")
    }
    @inline(__always) static var ends: Field {
        Field(",\"ends\":", .object(.ends), in: .closed, always: .closed, "how each direction stood")
    }
    @inline(__always) static var clientEnd: Field { Field(",\"client\":", .word(.end), in: .ends, always: .ends, "what the client sends") }
    @inline(__always) static var serverEnd: Field { Field(",\"server\":", .word(.end), in: .ends, always: .ends, "what the server sends") }
    @inline(__always) static var duration: Field { Field(",\"duration\":", .seconds, in: .closed, "since `opened`") }
    @inline(__always) static var clientTotals: Field {
        Field(",\"client\":", .object(.side), in: .closed, always: .closed, "what the client sent")
    }
    @inline(__always) static var serverTotals: Field {
        Field(",\"server\":", .object(.side), in: .closed, always: .closed, "what the server sent")
    }
    @inline(__always) static var sideBytes: Field {
        Field(",\"bytes\":", .any, .bytes, in: .side, always: .side, "on the wire, each position counted once")
    }
    @inline(__always) static var sideMessages: Field {
        Field(",\"messages\":", .any, in: .side, always: .side, "messages of WebSocket and gRPC, and those cut out of raw TCP")
    }
    @inline(__always) static var sideFrames: Field { Field(",\"frames\":", .any, in: .side, always: .side, "WebSocket frames") }
    @inline(__always) static var sideMissing: Field {
        Field(",\"missing\":", .any, .bytes, in: .side, always: .side, "in gaps of the causes `missing` and `truncated`")
    }
}
