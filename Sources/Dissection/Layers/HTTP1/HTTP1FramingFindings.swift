/// What is wrong with a body, its length or its codings.
extension FindingRow {
    package static let httpLengthAndCoding = FindingRow(
        id: "http.length-and-coding", severity: .violation, reference: "RFC 9112 6.2",
        detail: "the message has both Transfer-Encoding and Content-Length",
        explanation: """
            Transfer-Encoding counts. Where a proxy and a server differ about that, a request can be smuggled.
            """)

    package static let httpContentLengthInvalid = FindingRow(
        id: "http.content-length-invalid", severity: .violation, reference: "RFC 9110 8.6",
        detail: "Content-Length is not a decimal number",
        explanation: """
            A request like this is refused; the body of a response like this is read until the connection ends.
            """)

    package static let httpContentLengthTooLarge = FindingRow(
        id: "http.content-length-too-large", severity: .warning, reference: "RFC 9110 8.6",
        detail: "Content-Length is a number of more than 64 bits",
        explanation: """
            It breaks no rule, but no message is so long, and recipients refuse it. It is treated like one that is no number.
            """)

    package static let httpContentLengthDiffers = FindingRow(
        id: "http.content-length-differs", severity: .violation, reference: "RFC 9112 6.3",
        detail: "two different values of Content-Length, {a} and {b}",
        explanation: """
            Where a proxy and a server choose differently, a request can be smuggled.
            """)

    package static let httpContentLengthRepeated = FindingRow(
        id: "http.content-length-repeated", severity: .warning, reference: "RFC 9110 8.6",
        detail: "duplicate Content-Length with the same value",
        explanation: """
            Recipients may accept or refuse it.
            """)

    package static let httpTransferCodingIn10 = FindingRow(
        id: "http.transfer-coding-in-1.0", severity: .violation, reference: "RFC 9112 6.1",
        detail: "Transfer-Encoding in an HTTP/1.0 message",
        explanation: """
            Its framing counts as faulty, because a reader of HTTP/1.0 does not know the field. It is read as \
            chunked here.
            """)

    package static let httpTransferCodingUnknown = FindingRow(
        id: "http.transfer-coding-unknown", severity: .warning, reference: "RFC 9112 7",
        detail: "a transfer coding is not registered",
        explanation: """
            A server that does not understand it responds with 501.
            """)

    package static let httpChunkedNotLast = FindingRow(
        id: "http.chunked-not-last", severity: .violation, reference: "RFC 9112 6.1",
        detail: "the last transfer coding is not chunked",
        explanation: """
            The end of a request's body cannot be known then; a response's body ends with the connection.
            """)

    package static let httpChunkedTwice = FindingRow(
        id: "http.chunked-twice", severity: .violation, reference: "RFC 9112 6.1",
        detail: "chunked is applied more than once",
        explanation: "")

    package static let httpChunkSizeInvalid = FindingRow(
        id: "http.chunk-size-invalid", severity: .violation, reference: "RFC 9112 7.1",
        detail: "expected a chunk size, found other data",
        explanation: """
            No hexadecimal number, or one beyond 64 bits. The next start line is searched for.
            """, zeekName: "HTTP_bad_chunk_size")

    package static let httpChunkSizeSpace = FindingRow(
        id: "http.chunk-size-space", severity: .warning, reference: "RFC 9112 7.1.1",
        detail: "there is whitespace after a chunk size",
        explanation: """
            Some servers pad the size with spaces. The grammar allows it before an extension only, and there only to \
            be read.
            """)

    package static let httpChunkExtension = FindingRow(
        id: "http.chunk-extension", severity: .note, reference: "RFC 9112 7.1.1",
        detail: "a chunk has an extension",
        explanation: """
            They are hardly used; one that is not understood is ignored.
            """)

    package static let httpChunkExtensionInvalid = FindingRow(
        id: "http.chunk-extension-invalid", severity: .violation, reference: "RFC 9112 7.1.1",
        detail: "a chunk extension breaks the grammar",
        explanation: """
            Readers that end the line at different places can be made to see different requests.
            """)

    package static let httpChunkExtensionLong = FindingRow(
        id: "http.chunk-extension-long", severity: .warning, reference: "RFC 9112 7.1.1",
        detail: "a chunk extension is longer than {a} bytes",
        explanation: """
            A server limits their length, because they cost time and carry nothing.
            """)

    package static let httpChunkTerminatorMissing = FindingRow(
        id: "http.chunk-terminator-missing", severity: .violation, reference: "RFC 9112 7.1",
        detail: "no line end after the data of a chunk",
        explanation: """
            The size of the chunk was wrong, most likely. The next start line is searched for.
            """)

    package static let httpLengthWithoutBody = FindingRow(
        id: "http.length-without-body", severity: .violation, reference: "RFC 9110 8.6",
        detail: "Content-Length in a {a} response, which has no body",
        explanation: "")

    package static let httpCodingWithoutBody = FindingRow(
        id: "http.coding-without-body", severity: .violation, reference: "RFC 9112 6.1",
        detail: "Transfer-Encoding in a {a} response, which has no body",
        explanation: "")

    package static let httpBodyUnexpected = FindingRow(
        id: "http.body-unexpected", severity: .violation, reference: "RFC 9112 6.3",
        detail: "unexpected bytes after a response that has no body",
        explanation: """
            Responses to HEAD, and 1xx, 204 and 304, end with their head, whatever it says. A client takes what \
            follows for the next response.
            """)

    package static let httpBodyIn205 = FindingRow(
        id: "http.body-in-205", severity: .violation, reference: "RFC 9110 15.3.6",
        detail: "205 response with content",
        explanation: "")

    package static let httpMessageIncomplete = FindingRow(
        id: "http.message-incomplete", severity: .violation, reference: "RFC 9112 8",
        detail: "the direction ended inside a message[, {a} {a|byte|bytes} of known length {a|is|are} missing]",
        explanation: """
            The sender closed or reset the connection before its message was whole, and the other side had not left before.
            """, zeekName: "pending_data_when_closed")

    package static let httpMessageUnfinished = FindingRow(
        id: "http.message-unfinished", severity: .note, reference: "",
        detail: "nothing more was seen inside a message[, {a} {a|byte|bytes} of known length {a|is|are} missing]",
        explanation: """
            The capture ends here, the other side closed or reset the connection first (`closed` says who), or a client stopped \
            sending because it had its response already. The sender is not to blame.
            """)

    package static let httpBodyOmitted = FindingRow(
        id: "http.body-omitted", severity: .note, reference: "RFC 9110 10.1.1",
        detail: "the client left out the body of its request after a final response",
        explanation: """
            The request asked to wait for 100 (Continue) before its body, and the server sent its final response instead. The \
            client then may leave the body out. A server that still reads that body takes the next request for it; one that \
            does not want the body closes the connection, or says so with Connection: close.
            """)

    package static let httpContentCodingCorrupt = FindingRow(
        id: "http.content-coding-corrupt", severity: .violation, reference: "RFC 9110 8.4",
        detail: "the body is damaged in its content coding",
        explanation: """
            What follows cannot be decoded and is reported as a gap. Where the head of the message is right, something \
            on the way changed the body.
            """, zeekName: "inflate_failed")

    package static let httpContentCodingCut = FindingRow(
        id: "http.content-coding-cut", severity: .warning, reference: "RFC 9110 8.4",
        detail: "the body ends before its content coding does",
        explanation: """
            What could be decoded is shown. The sender ended too early, or gave the wrong length.
            """)

    package static let httpContentCodingMismatch = FindingRow(
        id: "http.content-coding-mismatch", severity: .violation, reference: "RFC 9110 8.4",
        detail: "the body does not have the content coding that its head names",
        explanation: """
            It is shown as it was sent. Servers and proxies that decode a body but leave the header do this.
            """)

    package static let httpContentCodingTrailing = FindingRow(
        id: "http.content-coding-trailing", severity: .warning, reference: "RFC 9110 8.4",
        detail: "bytes follow the end of the coded content",
        explanation: """
            They belong to no content and are reported as a gap with the cause `undecodable`.
            """)

    package static let httpCodingsTooMany = FindingRow(
        id: "http.codings-too-many", severity: .warning, reference: "RFC 9110 8.4",
        detail: "{a} codings are applied to the body",
        explanation: """
            Two are undone at most. Each one more multiplies what a few bytes can become, and no common server applies \
            more than one. The body is shown as it came.
            """)

    package static let httpContentLimit = FindingRow(
        id: "http.content-limit", severity: .note, reference: "",
        detail: "the first {a} bytes of the content are shown, and the rest of the body is left out",
        explanation: """
            A body under a coding is shown up to 64 MiB, and, beyond 1 MiB, only as long as it does not become 1,000 times \
            what came. All bodies and messages of a conversation together are shown up to 4 MiB, and beyond that up to 100 times \
            what came. Each event or line of a streamed body counts 256 bytes more, of which 1 MiB are free and then 200 times \
            what came: 1 KB of gzip can hold half a million lines. The finding then stands at the first body that is cut, and the records of the others say `truncated`. What is \
            left of a body on the wire is reported as a gap with the cause `limit`. A body in Zstandard whose window is larger than 8 MiB is \
            not decoded, as no client of HTTP has to (RFC 9659). Content that grows so much \
            is mostly zeros, or made to fill the memory or the disk of the program that decodes it.
            """)

    /// The rows of this file.
    static let http1FramingRows: [FindingRow] = [
        .httpLengthAndCoding, .httpContentLengthInvalid, .httpContentLengthTooLarge, .httpContentLengthDiffers, .httpContentLengthRepeated,
        .httpTransferCodingIn10, .httpTransferCodingUnknown, .httpChunkedNotLast, .httpChunkedTwice,
        .httpChunkSizeInvalid, .httpChunkSizeSpace, .httpChunkExtension, .httpChunkExtensionInvalid,
        .httpChunkExtensionLong, .httpChunkTerminatorMissing, .httpLengthWithoutBody, .httpCodingWithoutBody,
        .httpBodyUnexpected, .httpBodyIn205, .httpMessageIncomplete, .httpMessageUnfinished, .httpBodyOmitted, .httpContentCodingCorrupt,
        .httpContentCodingCut, .httpContentCodingMismatch, .httpContentCodingTrailing,
        .httpCodingsTooMany, .httpContentLimit,
    ]
}
