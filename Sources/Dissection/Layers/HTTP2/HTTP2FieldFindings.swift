/// What may be wrong with the header blocks of HTTP/2.
extension FindingRow {
    package static let http2BlockInvalid = FindingRow(
        id: "http2.block-invalid", severity: .violation, reference: "RFC 9113 4.3",
        detail: "a header block that cannot be decompressed: {text}",
        explanation: """
            Both sides keep a table of header fields (HPACK, RFC 7541) that every block changes. After a block that cannot be read the peer \
            has to close the connection with COMPRESSION_ERROR. The block is shown as `data`; later fields that refer to the table are not \
            known.
            """)
    package static let http2BlockLimit = FindingRow(
        id: "http2.block-limit", severity: .note, reference: "",
        detail: "a header block of more than {a} {a|byte|bytes} was not read",
        explanation: """
            The block is larger than what is kept of a head. Its beginning is shown as `data`; later fields that refer to entries of the \
            table are not known.
            """)
    package static let http2FieldsLimit = FindingRow(
        id: "http2.fields-limit", severity: .warning, reference: "CVE-2016-6581",
        detail: "{a} {a|header field|header fields} left out, to stay within the limit",
        explanation: """
            A block names the same large entry of the header table again and again, so that few bytes become many. Of such repetitions 4 KiB \
            are kept, and of all fields of a block 64 KiB.
            """)
    package static let http2ListTooLarge = FindingRow(
        id: "http2.list-too-large", severity: .note, reference: "RFC 9113 6.5.2",
        detail: "header fields of {a} {a|byte|bytes}, and the receiver takes {b}",
        explanation: """
            SETTINGS_MAX_HEADER_LIST_SIZE is advice: a receiver may respond with 431, reset the stream, or take the fields all the same. Each \
            field counts as its name and value and 32 bytes.
            """)
    package static let http2FieldsUnknown = FindingRow(
        id: "http2.fields-unknown", severity: .note, reference: "RFC 7541 2.3.2",
        detail: "header fields that are not known and left out: {a} (table {a|entry|entries} {text})",
        explanation: """
            They refer to entries of the header table that were made before the capture began, or in bytes that were lost, or that are not kept \
            of a table of more than 1 MiB. Once as many new \
            entries were made as the table holds, all of it is known again. To see all, begin the capture before the connection. \
            The entries are named by their indexes in the block; 62 is the newest one.
            """, isCounted: true)
    package static let http2NameUpperCase = FindingRow(
        id: "http2.name-upper-case", severity: .violation, reference: "RFC 9113 8.2.1",
        detail: "a header name with capitals: {text}",
        explanation: "Names of header fields are in small letters. A peer treats the message as malformed.", needs: .nothing)
    package static let http2FieldInvalid = FindingRow(
        id: "http2.field-invalid", severity: .violation, reference: "RFC 9113 8.2.1",
        detail: "a header with a byte that it may not have: {text}",
        explanation: """
            A name has no control characters, no space, no colon but the one before a pseudo-header, and nothing beyond ASCII; a value has no \
            NUL, CR or LF and neither begins nor ends with a space or tab. Whoever turns such fields into HTTP/1 may be made to send \
            requests that nobody meant. In records such bytes are spaces; the block as it came is a `data` record before them.
            """, needs: .sender)
    package static let http2ConnectionField = FindingRow(
        id: "http2.connection-field", severity: .violation, reference: "RFC 9113 8.2.2",
        detail: "a header that belongs to connections of HTTP/1: {text}",
        explanation: """
            `Connection`, `Proxy-Connection`, `Keep-Alive`, `Transfer-Encoding` and `Upgrade` have no place in HTTP/2, and `TE` says nothing \
            but `trailers`.
            """, needs: .nothing)
    package static let http2PseudoOrder = FindingRow(
        id: "http2.pseudo-order", severity: .violation, reference: "RFC 9113 8.3",
        detail: "a pseudo-header after other headers: {text}",
        explanation: "Pseudo-headers come before all other headers, and never in trailers.", needs: .sender)
    package static let http2PseudoUnknown = FindingRow(
        id: "http2.pseudo-unknown", severity: .violation, reference: "RFC 9113 8.3",
        detail: "an unknown pseudo-header: {text}",
        explanation:
            "Requests have `:method`, `:scheme`, `:authority`, `:path` and, by RFC 8441, `:protocol`; responses have `:status`.",
        needs: .sender)
    package static let http2PseudoRepeated = FindingRow(
        id: "http2.pseudo-repeated", severity: .violation, reference: "RFC 9113 8.3",
        detail: "a pseudo-header that was there already: {text}",
        explanation: "A pseudo-header stands in a message once. The first one is believed.", needs: .sender)
    package static let http2PseudoMissing = FindingRow(
        id: "http2.pseudo-missing", severity: .violation, reference: "RFC 9113 8.3.1",
        detail: "a required pseudo-header is missing",
        explanation: """
            A request has `:method`, `:scheme` and `:path`; a CONNECT has `:method` and `:authority`; a response has `:status`.
            """, needs: .sender)
    package static let http2PseudoMisplaced = FindingRow(
        id: "http2.pseudo-misplaced", severity: .violation, reference: "RFC 9113 8.3",
        detail: "a pseudo-header that does not belong to this kind of message",
        explanation: "A response has no pseudo-header of requests; a CONNECT has neither `:scheme` nor `:path` (section 8.5).",
        needs: .sender)
    package static let http2PathEmpty = FindingRow(
        id: "http2.path-empty", severity: .violation, reference: "RFC 9113 8.3.1",
        detail: "the pseudo-header :path is empty",
        explanation: "The path of an http or https URL has at least a slash.", needs: .sender)
    package static let http2PathInvalid = FindingRow(
        id: "http2.path-invalid", severity: .violation, reference: "RFC 9113 8.3.1",
        detail: "the pseudo-header :path does not begin with a slash",
        explanation: """
            The path of a request for an http or https URL begins with a slash; OPTIONS may have `*`. Servers and proxies that join such a \
            path to a host may send the request elsewhere.
            """,
        needs: .sender)
    package static let http2MethodInvalid = FindingRow(
        id: "http2.method-invalid", severity: .violation, reference: "RFC 9110 9.1",
        detail: "the pseudo-header :method is not a token",
        explanation: """
            A method has letters, digits and some signs, and no space. Whoever turns such a request into HTTP/1 may be made to send a \
            request that nobody meant.
            """,
        needs: .sender)
    package static let http2AuthorityUserinfo = FindingRow(
        id: "http2.authority-userinfo", severity: .violation, reference: "RFC 9113 8.3.1",
        detail: "the pseudo-header :authority has userinfo before the host",
        explanation: "A request for an http or https URL sends a user name and password in `Authorization`, and not before the host.",
        needs: .sender)
    package static let http2ContentLengthInvalid = FindingRow(
        id: "http2.content-length-invalid", severity: .violation, reference: "RFC 9110 8.6",
        detail: "the value of content-length is not a decimal number",
        explanation: "Content-Length is a number of bytes in decimal digits. A peer treats the message as malformed.", needs: .sender)
    package static let http2TrailersPseudo = FindingRow(
        id: "http2.trailers-pseudo", severity: .violation, reference: "RFC 9113 8.1",
        detail: "a pseudo-header in the trailers of a request: {text}",
        explanation: """
            Trailers have no pseudo-headers. A second block of a client in a stream that has no `:method` is taken for trailers.
            """)
    package static let http2TableSizeMissing = FindingRow(
        id: "http2.table-size-missing", severity: .violation, reference: "RFC 9113 4.3.1",
        detail: "a header block that does not begin with the new size of the table, which the peer has reduced",
        explanation: """
            SETTINGS_HEADER_TABLE_SIZE made the table smaller than the one in use, and the sender of the block has acknowledged it. Its next \
            block has to begin with a change of the table's size; a peer closes the connection with COMPRESSION_ERROR.
            """)
    package static let http2HostDiffers = FindingRow(
        id: "http2.host-differs", severity: .warning, reference: "RFC 9113 8.3.1",
        detail: "the Host header is not the same as :authority",
        explanation: "Servers and proxies may route a request by either of them.")
    package static let http2StatusInvalid = FindingRow(
        id: "http2.status-invalid", severity: .violation, reference: "RFC 9110 15",
        detail: "the status code {a} is not in the range 100 to 599",
        explanation: "A status code has three digits, of which the first is 1 to 5.", needs: .sender)
    package static let http2StatusSwitching = FindingRow(
        id: "http2.status-switching", severity: .violation, reference: "RFC 9113 8.6",
        detail: "a response with the status code 101",
        explanation: "HTTP/2 has no upgrade; a WebSocket is asked for by CONNECT with `:protocol` (RFC 8441).", needs: .sender)
    package static let http2InformationalEnd = FindingRow(
        id: "http2.informational-end", severity: .violation, reference: "RFC 9113 8.1",
        detail: "an informational response ends the stream",
        explanation: "A response with a status code from 100 to 199 is followed by a final one.", needs: .sender)
    package static let http2LengthDiffers = FindingRow(
        id: "http2.length-differs", severity: .violation, reference: "RFC 9113 8.1.1",
        detail: "Content-Length says {a} {a|byte|bytes}, and the body has {b}",
        explanation: "The lengths of the DATA frames have to add up to Content-Length. A peer treats the message as malformed.")

    /// The rows of this file.
    package static let http2FieldRows: [FindingRow] = [
        http2BlockInvalid, http2BlockLimit, http2FieldsLimit, http2ListTooLarge, http2FieldsUnknown, http2NameUpperCase,
        http2FieldInvalid, http2ConnectionField, http2PseudoOrder, http2PseudoUnknown, http2PseudoRepeated, http2PseudoMissing,
        http2PseudoMisplaced,
        http2PathEmpty, http2PathInvalid, http2MethodInvalid, http2AuthorityUserinfo, http2ContentLengthInvalid, http2TrailersPseudo,
        http2TableSizeMissing, http2HostDiffers, http2StatusInvalid, http2StatusSwitching, http2InformationalEnd, http2LengthDiffers,
    ]
}
