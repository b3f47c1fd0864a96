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
        framingNotOfProtocol,
    ]
}
