import Dissection

// The keys of `tls`; those of certificates are written by hand, because they stand in a list.
extension TLSFacts: FieldedFact {
    package static var blank: TLSFacts { TLSFacts(secrets: .missing) }

    package mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        row.text(
            Field(
                ",\"serverName\":", .text, in: .tls, "the name that the client asked for (RFC 6066 3)",
                wireshark: "tls.handshake.extensions_server_name"), &serverName)
        row.text(
            Field(
                ",\"alpn\":", .text, in: .tls,
                "the application protocol that the server chose (RFC 7301); absent where it chose none, or chose under encryption (TLS 1.3)",
                wireshark: "tls.handshake.extensions_alpn_str"), &alpn)
        row.text(
            Field(",\"offeredAlpn\":", .names, in: .tls, "what the client offered", wireshark: "tls.handshake.extensions_alpn_str"),
            &offeredALPN, .names)
        row.code(
            Field(
                ",\"version\":", .text, in: .tls, "as agreed, by name (`TLS 1.3`), or as `0x7f12` where it has none",
                wireshark: "tls.handshake.version"), &version, of: .versions)
        row.code(
            Field(
                ",\"cipher\":", .text, in: .tls, "as agreed, by name (`TLS_AES_128_GCM_SHA256`), or as `0x1301` where it has none",
                wireshark: "tls.handshake.ciphersuite"), &cipher, of: .ciphers)
        row.word(
            Field(
                ",\"secrets\":", .word(.secrets), in: .tls, always: .tls,
                "why the content can be read or not; `terminated`: by the proxy; `keylog`: with the session's secrets (docs/keys.md)"),
            &secrets)
        row.text(
            Field(
                ",\"certificates\":", .objects(.certificate), in: .tls,
                """
                what the server showed, its own first, at most 16 of them; absent where it showed none (a session was resumed), where they were not \
                captured, are compressed with an algorithm that is not known here, longer than 64 KiB or in more than 32 records, and under TLS 1.3 \
                without keys. From a proxy that opens TLS: the server's own alone
                """), &certificates, .certificates)
        row.text(
            Field(
                ",\"clientCertificates\":", .objects(.certificate), in: .tls,
                "what the client showed because the server asked for it, in the same way; absent where it was not asked, or showed none"),
            &clientCertificates, .certificates)
        row.latin1()
    }
}
