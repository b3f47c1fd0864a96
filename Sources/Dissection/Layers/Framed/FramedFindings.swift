/// What is found where raw bytes are cut into messages.
extension FindingRow {
    package static let framingLengthWrong = FindingRow(
        id: "framing.length-wrong", severity: .warning, reference: "",
        detail: "expected a message, found {text}[: {a}]; what follows is shown as data until messages are found again",
        explanation: """
            The bytes do not fit the framing: a length is larger than any message may be (64 MiB, or `max=`), smaller than its own header, or no \
            delimiter came. Either the rule of `--framing` is not the one that the app uses, or bytes were lost, or the sender is wrong. Unmask \
            looks for the next place from which several lengths fit in a row, or for the next delimiter, and goes on there; the bytes before it \
            are in `data` records. Where the bytes in the place of the length are known, the sentence says so: HTTP, TLS, JSON or gzip on this port, a \
            length in the other order of bytes, one of 8 bytes, or one that counts itself (`self`).
            """)
    package static let framingMessageCut = FindingRow(
        id: "framing.message-cut", severity: .note, reference: "",
        detail: "the message is cut[: {a} of its bytes {a|is|are} missing]{text}",
        explanation: """
            The side ended, the capture ended, or bytes were lost in the middle of a message. Its record has what came; `length` is what its \
            header announced, where it has one. Of the first message of a side the sentence says what else its bytes may be, where the length is far \
            more than what came (HTTP, TLS, a length in another form) or no delimiter came: then `--framing` may not say what the app does.
            """)
    package static let framingResynchronised = FindingRow(
        id: "framing.resynchronised", severity: .note, reference: "",
        detail: "messages are found again after {a} {a|byte|bytes}",
        explanation: """
            After a loss or a length that does not fit, this is the first place from which several lengths in a row lead to each other, the first \
            byte after a delimiter, or the first line of a message of the protocol. The bytes before it are in `data` records.
            """)
    package static let framingGuessed = FindingRow(
        id: "framing.guessed", severity: .note, reference: "",
        detail: "looks like {text}: {a} of {b} fit",
        explanation: """
            Nobody said how these bytes are divided into messages; their shape did. Each message that was cut so says `guessed`, and how many fitted. \
            If it is right, `--framing` says so for certain; if it is not, `--decode-as tcp.port=PORT=data` shows the bytes as they came.
            """)
    package static let framingGuessDropped = FindingRow(
        id: "framing.guess-dropped", severity: .note, reference: "",
        detail: "looked like {text}, but no longer does after {a} {a|message|messages}; shown as data from here on",
        explanation: """
            The bytes fitted a framing that was guessed, and then did not. The messages before this may be cut in the wrong places; their bytes \
            are all there. `--framing` with the right rule, or `--decode-as tcp.port=PORT=data`, settles it.
            """)
    package static let framingReadsDiffer = FindingRow(
        id: "framing.reads-differ", severity: .note, reference: "",
        detail: "{a} messages came in {b} segments: {text}; TCP keeps no message boundaries",
        explanation: """
            Nothing is wrong. TCP carries bytes: it may join what was written separately, and cut what was written at once. A program that takes \
            what one read returns for one message works until this happens, and then reads two as one or the half of one. Read into a buffer, and \
            take whole messages out of it. Messages of more than 1,200 bytes, which may not fit into a segment, are not counted as cut. The note \
            comes once, at the end of a side, where the framing is a rule, a guess, or a Content-Length header. Of the proxy its reads are counted.
            """)
    package static let framingJSONValues = FindingRow(
        id: "framing.json-values", severity: .note, reference: "",
        detail: "{a} JSON values came in {b} segments: {text}; a read is not a message. --framing PORT=json shows each value",
        explanation: """
            A side sends JSON values one after another on raw TCP, without a length or a delimiter, and its segments do not begin and end with them: \
            TCP joins what was written separately and cuts what was written at once. A program that parses what one read returns fails when this \
            happens, with "unexpected end of input" or "extra data". Read into a buffer and take whole values out of it, or put a length or a line \
            end around each. The bytes are shown as they came, since no rule says that they are messages. Only the first 64 KiB of a side are looked \
            at, and only a side that begins with an object or an array.
            """)
    package static let framingLengthsDiffer = FindingRow(
        id: "framing.lengths-differ", severity: .note, reference: "",
        detail: "the messages of each side begin with their length, in different forms: {text}",
        explanation: """
            A length that counts itself or does not, or one of another width or byte order: where both programs are meant to use one format, one of \
            them waits for bytes that do not come, or takes the next message for the rest of this one (CocoaAsyncSocket's `readDataToLength`). All \
            segments of a conversation that was captured whole have these forms, or are a length alone and then what it counts, and no framing was guessed. Some protocols do differ by side.
            """)
    package static let framingLineEndsDiffer = FindingRow(
        id: "framing.line-ends-differ", severity: .note, reference: "",
        detail: """
            the {a|client|server} ends its lines with CR LF, and the other side {b} lines with LF alone; a program that waits for CR LF finds none
            """,
        explanation: """
            Where both programs are meant to use one line end, the one that waits for CR LF (CocoaAsyncSocket's `readDataToData` with `CRLFData`) \
            waits for ever. All lines of the first 4 KiB of each side have these ends, three at least, and the side with CR LF sent nothing within 50 ms after lines of the other, which one that \
            takes them would do, and has reset the connection.
            """)
    package static let framingLengthSeen = FindingRow(
        id: "framing.length-seen", severity: .note, reference: "",
        detail: "the {b|client's|server's} messages begin with their length as {text}, and the other side sent nothing",
        explanation: """
            All segments of one side begin with a number that is their length, or are such a number alone and the bytes that it counts, as where length and \
            content are written one after the other (robbiehanson/CocoaAsyncSocket issue 89, with a length of 8 bytes), and the connection ended without a byte of the other side, 0.2 s or more after the last. That side \
            may read the length in another form, with another width or byte order, and wait for more. `--framing` with this form shows the \
            messages. Two bytes are believed only in three segments and more.
            """)
    package static let framingLineEndMissing = FindingRow(
        id: "framing.line-end-missing", severity: .note, reference: "",
        detail: """
            the server ends its lines with {a|CR LF|LF}, the client's {b} {b|byte of text has|bytes of text have} no line end, and no response came; the server may \
            wait for one
            """,
        explanation: """
            A program that reads lines (CocoaAsyncSocket's `readDataToData` with `CRLFData`, `readLine`, Netty's `LineBasedFrameDecoder`) is given \
            nothing before a line end comes: the bytes have arrived, and no callback says so (robbiehanson/CocoaAsyncSocket issue 434). All that \
            the client has sent is text without one, the server has sent nothing but whole lines, and in the 5 s after the client's bytes, or \
            longer, it sent none. What a client waits for that has sent a line and got a response without line end cannot be seen: one that has \
            read all of it looks the same.
            """)
    package static let framingNotOfProtocol = FindingRow(
        id: "framing.not-of-protocol", severity: .warning, reference: "",
        detail: "expected a message of {text}, found other data; what follows is shown as data until messages are found again",
        explanation: """
            The conversation began as MQTT, AMQP, NATS, Redis, STOMP or XMPP, or `--framing` said that it is one, and then a side sent what is \
            not a message of that protocol. Unmask goes on where messages are found again: several packets of MQTT or frames of AMQP in a row, \
            the first line of a message of NATS, Redis or STOMP. Messages of XMPP are not looked for again.
            """)

    /// The rows of this file.
    package static let framingRows: [FindingRow] = [
        framingLengthWrong, framingMessageCut, framingResynchronised, framingGuessed, framingGuessDropped, framingReadsDiffer,
        framingJSONValues, framingLengthsDiffer, framingLineEndsDiffer, framingLineEndMissing, framingLengthSeen, framingByteOrderMark,
        framingNotOfProtocol,
    ]
}
