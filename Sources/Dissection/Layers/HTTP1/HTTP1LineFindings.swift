/// What is wrong with the lines of a message's head, start line first.
extension FindingRow {
    package static let httpStartLineInvalid = FindingRow(
        id: "http.start-line-invalid", severity: .violation, reference: "RFC 9112 2.2",
        detail: "expected a start line, found other data",
        explanation: """
            The bytes up to the next start line are shown as `data`. It usually comes from a message before it whose \
            length was announced wrongly, or from another protocol on the connection.
            """, zeekName: "crud_trailing_HTTP_request")

    package static let httpEmptyLine = FindingRow(
        id: "http.empty-line", severity: .note, reference: "RFC 9112 2.2",
        detail: "{a} {a|byte|bytes} of empty lines before the start line",
        explanation: """
            Old clients send a line end after the body of a POST. A server ignores at least one empty line before a \
            request.
            """, zeekName: "empty_http_request")

    package static let httpMethodLowerCase = FindingRow(
        id: "http.method-lower-case", severity: .warning, reference: "RFC 9110 9.1",
        detail: "the method {text} has lower-case letters",
        explanation: """
            Methods are case-sensitive, and all registered ones are in capitals: most servers refuse this one.
            """)

    package static let httpMethodUnknown = FindingRow(
        id: "http.method-unknown", severity: .note, reference: "RFC 9110 16.1.1",
        detail: "the method {text} is not registered",
        explanation: """
            It may be private to the application, or a sign of a scanner.
            """, zeekName: "unknown_HTTP_method")

    package static let httpTargetSpace = FindingRow(
        id: "http.target-space", severity: .violation, reference: "RFC 9112 3",
        detail: "there is whitespace in or around the request target",
        explanation: """
            Readers split the line at different places, which makes request smuggling and cache poisoning possible.
            """)

    package static let httpTargetForm = FindingRow(
        id: "http.target-form", severity: .violation, reference: "RFC 9112 3.2",
        detail: "the request target does not have a form that the method allows",
        explanation: """
            CONNECT takes host and port, OPTIONS may take an asterisk, every other request takes a path that begins \
            with a slash or, towards a proxy, a whole URI.
            """)

    package static let httpTargetCharacter = FindingRow(
        id: "http.target-character", severity: .violation, reference: "RFC 9112 3.2",
        detail: "the request target has the byte {a:hex}, which no URI has",
        explanation: """
            It has to be percent-encoded. A `#` begins a fragment, which is never sent.
            """, zeekName: "unescaped_special_URI_char")

    package static let httpVersion09 = FindingRow(
        id: "http.version-0.9", severity: .note, reference: "RFC 1945 4.1",
        detail: "an HTTP/0.9 request, which has no version and no headers",
        explanation: """
            The response has no head either and ends with the connection. Scanners and health checks send it.
            """)

    package static let httpVersionInvalid = FindingRow(
        id: "http.version-invalid", severity: .violation, reference: "RFC 9112 2.3",
        detail: "the version {text} is not HTTP, a slash, a digit, a point and a digit",
        explanation: """
            The message is read as HTTP/1.1.
            """, zeekName: "bad_HTTP_version")

    package static let httpVersionCase = FindingRow(
        id: "http.version-case", severity: .violation, reference: "RFC 9112 2.3",
        detail: "the protocol name in the version has lower-case letters",
        explanation: """
            It is case-sensitive; strict servers refuse it.
            """, zeekName: "bad_HTTP_version")

    package static let httpVersionUnexpected = FindingRow(
        id: "http.version-unexpected", severity: .warning, reference: "RFC 9112 2.3",
        detail: "version {a}.{b} in the syntax of HTTP/1.1",
        explanation: """
            Nothing but 1.0 and 1.1 is written like this.
            """, zeekName: "HTTP_version_mismatch")

    package static let httpStatusInvalid = FindingRow(
        id: "http.status-invalid", severity: .violation, reference: "RFC 9110 15",
        detail: "the status {a} is not from 100 to 599",
        explanation: """
            A client treats it as a 5xx.
            """, zeekName: "bad_HTTP_reply")

    package static let httpStatusLineSpace = FindingRow(
        id: "http.status-line-space", severity: .violation, reference: "RFC 9112 4",
        detail: "the space after the status code is missing",
        explanation: """
            It has to be there even without a reason phrase.
            """)

    package static let httpBareLF = FindingRow(
        id: "http.bare-lf", severity: .violation, reference: "RFC 9112 2.2",
        detail: "a line ends with LF alone",
        explanation: """
            A recipient may accept it. Where two readers differ about it, a request can be smuggled.
            """, zeekName: "line_terminated_with_single_LF")

    package static let httpBareCR = FindingRow(
        id: "http.bare-cr", severity: .violation, reference: "RFC 9112 2.2",
        detail: "a CR stands inside a line",
        explanation: """
            It must not be sent outside of content; readers that take it for a line end see other fields than those \
            that do not.
            """, zeekName: "line_terminated_with_single_CR")

    package static let httpHeadCut = FindingRow(
        id: "http.head-cut", severity: .note, reference: "",
        detail: "the end of the head was not seen",
        explanation: """
            A gap lies in it, often because of the capture's snapshot length; or the capture ends in it; or the connection was reset, given \
            up or closed by the other side before the rest came. What was seen is shown as the head; nothing is concluded from what is not in it.
            """)

    package static let httpHeadLimit = FindingRow(
        id: "http.head-limit", severity: .note, reference: "",
        detail: "a head or trailer section is longer than {a} bytes",
        explanation: """
            It was given up to stay within the memory limit, and the next start line is searched for.
            """, zeekName: "contentline_size_exceeded")

    /// The rows of this file.
    static let http1LineRows: [FindingRow] = [
        .httpStartLineInvalid, .httpEmptyLine, .httpMethodLowerCase, .httpMethodUnknown, .httpTargetSpace,
        .httpTargetForm, .httpTargetCharacter, .httpVersion09, .httpVersionInvalid, .httpVersionCase,
        .httpVersionUnexpected, .httpStatusInvalid, .httpStatusLineSpace, .httpBareLF, .httpBareCR, .httpHeadCut,
        .httpHeadLimit,
    ]
}
