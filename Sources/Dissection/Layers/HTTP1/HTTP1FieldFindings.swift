/// What is wrong with field lines.
extension FindingRow {
    package static let httpFieldSpaceBeforeColon = FindingRow(
        id: "http.field-space-before-colon", severity: .violation, reference: "RFC 9112 5.1",
        detail: "there is whitespace between a header name and its colon",
        explanation: """
            A server has to refuse the request: readers that keep the space see another field than those that drop \
            it.
            """)

    package static let httpFieldFolded = FindingRow(
        id: "http.field-folded", severity: .violation, reference: "RFC 9112 5.2",
        detail: "a header continues on the next line (obsolete line folding)",
        explanation: """
            Only message/http may fold lines. Readers differ about it.
            """)

    package static let httpFieldWithoutColon = FindingRow(
        id: "http.field-without-colon", severity: .violation, reference: "RFC 9112 5",
        detail: "a header line has no colon",
        explanation: "")

    package static let httpFieldNameInvalid = FindingRow(
        id: "http.field-name-invalid", severity: .violation, reference: "RFC 9110 5.1",
        detail: "a header name is not a valid token",
        explanation: "")

    package static let httpFieldValueControl = FindingRow(
        id: "http.field-value-control", severity: .violation, reference: "RFC 9110 5.5",
        detail: "a header value has the control character {a:hex}",
        explanation: """
            NUL, CR and LF are dangerous, because readers end a value at different places; the others are invalid.
            """, zeekName: "NUL_in_line")

    package static let httpFieldsMany = FindingRow(
        id: "http.fields-many", severity: .note, reference: "",
        detail: "{a} header lines",
        explanation: """
            Common servers refuse a head with more than 100.
            """)

    package static let httpHostMissing = FindingRow(
        id: "http.host-missing", severity: .violation, reference: "RFC 9112 3.2",
        detail: "the request has no Host header",
        explanation: """
            A server has to respond with 400.
            """)

    package static let httpHostDuplicate = FindingRow(
        id: "http.host-duplicate", severity: .violation, reference: "RFC 9112 3.2",
        detail: "the request has more than one Host header",
        explanation: """
            A server has to respond with 400: readers that choose differently send it to different places.
            """)

    package static let httpHostInvalid = FindingRow(
        id: "http.host-invalid", severity: .violation, reference: "RFC 9112 3.2",
        detail: "the value of Host is not a valid host",
        explanation: """
            A server has to respond with 400.
            """)

    package static let httpTrailerForbidden = FindingRow(
        id: "http.trailer-forbidden", severity: .violation, reference: "RFC 9110 6.5.1",
        detail: "header not allowed in trailers",
        explanation: """
            Fields that frame, route or authenticate a message come too late there; readers that merge them can be \
            misled.
            """)

    /// The rows of this file.
    static let http1FieldRows: [FindingRow] = [
        .httpFieldSpaceBeforeColon, .httpFieldFolded, .httpFieldWithoutColon, .httpFieldNameInvalid,
        .httpFieldValueControl, .httpFieldsMany, .httpHostMissing, .httpHostDuplicate, .httpHostInvalid,
        .httpTrailerForbidden,
    ]
}
