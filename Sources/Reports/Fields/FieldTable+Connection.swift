import Dissection

// The keys of `opened`, `tls`, `data`, `gap`, `finding` and `closed`. Those that are not here stand in the visits of their facts.

extension FieldTable {
    static let ofConnection: [Field] =
        KeyList.fields(of: .opened) + KeyList.fields(of: .tls) + ofCertificates + ofData + KeyList.fields(of: .gap) + ofFindings
        + KeyList.fields(of: .closed)
    private static let ofCertificates: [Field] = [.subject, .issuer, .names, .notBefore, .notAfter, .sha256]
    private static let ofData: [Field] = [
        .dataLength, .headerBlock, .afterClose, .framing, .decoded, .decodedAs, .decodedType, .decodedHandshake,
    ]
    private static let ofFindings: [Field] = [.id, .severity, .reference, .detail]
}

// Of endpoints.
extension Field {
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
}

// Of certificates.
extension Field {
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

// `data`
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
