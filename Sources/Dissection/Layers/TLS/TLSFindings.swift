/// What can be found about TLS from outside (RFC 8446; RFC 5246 for TLS 1.2).
extension FindingRow {
    package static let tlsRecordUnknown = FindingRow(
        id: "tls.record-unknown", severity: .violation, reference: "RFC 8446 5.1",
        detail: "expected a TLS record, found content type {a}, version {b:hex}",
        explanation: """
            Records follow each other without anything between them. Either a peer sends something else on a TLS \
            connection, or the capture lost bytes without a trace. Reading goes on at the next plausible record.
            """)

    package static let tlsHTTPResponse = FindingRow(
        id: "tls.http-response", severity: .warning, reference: "",
        detail: "the server responded to the TLS ClientHello in plain HTTP",
        explanation: """
            The port does not speak TLS. A client that was given https: or wss: instead of http: or ws:, or the wrong port, \
            sees this. The server is not to blame: it cannot read the hello as a request, and says so.
            """)

    package static let tlsOtherResponse = FindingRow(
        id: "tls.other-response", severity: .warning, reference: "",
        detail: "the server responded to the TLS ClientHello with something that is not TLS",
        explanation: """
            The port does not speak TLS, or not yet: servers of mail, FTP and databases begin in plaintext and change to TLS \
            only when the client asks for it (STARTTLS).
            """)

    package static let tlsHelloUnanswered = FindingRow(
        id: "tls.hello-unanswered", severity: .note, reference: "",
        detail:
            "the server closed the connection without a response to the ClientHello; it may not speak TLS on this port, or may not serve this name",
        explanation: """
            Servers that speak another protocol read the ClientHello as a message of it, find it wrong and close: a broker of MQTT at port 1883 does so \
            (pubsubclient issue 355). A server of TLS that does not know the name, or that is overloaded, may close as well. Reported where the \
            ClientHello came whole, the server sent nothing at all, and it was the first to close.
            """)

    package static let tlsRecordTooLong = FindingRow(
        id: "tls.record-too-long", severity: .violation, reference: "RFC 8446 5.2",
        detail: "a record of {a} bytes, more than any record may have",
        explanation: "A receiver has to end the connection with the alert \"record overflow\". Often a sign of lost bytes.")

    package static let tlsRecordEmpty = FindingRow(
        id: "tls.record-empty", severity: .violation, reference: "RFC 8446 5.1",
        detail: "a record of content type {a} without content",
        explanation: "Only records of application data may be empty.")

    package static let tlsRecordCut = FindingRow(
        id: "tls.record-cut", severity: .note, reference: "RFC 8446 6.1",
        detail: "nothing more was seen {a} {a|byte|bytes} into a record of {b}",
        explanation: """
            The connection ended, or the capture did, in the middle of a record. The receiver cannot check what came \
            of it. A peer that ends in an orderly manner sends the alert "close notify" first.
            """)

    package static let tlsHelloMalformed = FindingRow(
        id: "tls.hello-malformed", severity: .violation, reference: "RFC 8446 4.1",
        detail: "a hello of {a} {a|byte|bytes} that is not a valid ClientHello or ServerHello",
        explanation: """
            A length in it leads beyond its end, or its end comes before its fields do. What stands before that is shown.
            """)

    package static let tlsHelloTooLong = FindingRow(
        id: "tls.hello-too-long", severity: .note, reference: "",
        detail: "a hello of {a} bytes, more than are kept",
        explanation: "The ClientHello or ServerHello is longer than the limit for hellos, so its names are not known.")

    package static let tlsOldHello = FindingRow(
        id: "tls.ssl2-hello", severity: .violation, reference: "RFC 6176 3",
        detail: "a ClientHello in the form of SSL 2.0, which offers version {a:hex}",
        explanation: """
            Clients of before 2011 sent it to reach servers that know nothing newer. It cannot name the server or offer \
            protocols. TLS forbids clients to send it.
            """)

    package static let tlsVersionObsolete = FindingRow(
        id: "tls.version-obsolete", severity: .violation, reference: "RFC 8996 4",
        detail: "client and server agreed on an obsolete version: {text}",
        explanation: """
            SSL 2.0 and 3.0, TLS 1.0 and TLS 1.1 must not be used any more (RFC 6176 3, RFC 7568 3, RFC 8996 4 and 5). Old devices know \
            nothing newer.
            """)

    package static let tlsSuiteNotOffered = FindingRow(
        id: "tls.suite-not-offered", severity: .violation, reference: "RFC 8446 4.1.3",
        detail: "the server chose cipher suite {a:hex}, which the client did not offer",
        explanation: "A client has to end the connection with the alert \"illegal parameter\".")

    package static let tlsALPNNotOffered = FindingRow(
        id: "tls.alpn-not-offered", severity: .violation, reference: "RFC 7301 3.2",
        detail: "the server chose the protocol \"{text}\", which the client did not offer",
        explanation: "A server chooses from the client's list or sends the alert \"no application protocol\".")

    package static let tlsFatalAlert = FindingRow(
        id: "tls.alert-fatal", severity: .warning, reference: "RFC 8446 6",
        detail: "fatal alert of the {text} ({a})",
        explanation: """
            The sender gives up the connection and says why. The commonest: "unknown CA", "bad certificate" and \
            "certificate unknown" come from a client that does not trust the server's certificate (a proxy's authority \
            that is not installed, certificate pinning); "handshake failure" and "protocol version" mean that the two have \
            nothing in common.
            """)

    package static let tlsEndUnannounced = FindingRow(
        id: "tls.end-unannounced", severity: .note, reference: "RFC 8446 6.1",
        detail: "the connection was ended without close_notify, and then came a fatal alert of the {text} ({a})",
        explanation: """
            A side closed its TCP stream without the alert that announces the end, as wget, git, Node and browsers do, and OpenSSL 3 says so \
            to the other side with "decode error". Nothing was lost where the protocol inside says how long its messages are, as HTTP and \
            WebSocket do.
            """)

    package static let tlsWarningAlert = FindingRow(
        id: "tls.alert-warning", severity: .note, reference: "RFC 8446 6",
        detail: "warning alert of the {text} ({a})",
        explanation: """
            Seen before encryption begins, and under it where there are keys; "close notify" announces an orderly end, and is told only \
            where it is in the clear.
            """)

    package static let tlsAlertLevel = FindingRow(
        id: "tls.alert-level-invalid", severity: .violation, reference: "RFC 8446 6",
        detail: "an alert of level {a} of the {text} ({b})",
        explanation: "An alert is a warning (1) or fatal (2).")

    /// The rows of this file.
    package static let tlsRows: [FindingRow] = clearRows + certificateRows + keyRows

    private static let clearRows: [FindingRow] = [
        tlsRecordUnknown, tlsHTTPResponse, tlsOtherResponse, tlsHelloUnanswered, tlsRecordTooLong, tlsRecordEmpty, tlsRecordCut,
        tlsHelloMalformed,
        tlsHelloTooLong, tlsOldHello,
        tlsVersionObsolete, tlsSuiteNotOffered, tlsALPNNotOffered, tlsFatalAlert, tlsEndUnannounced, tlsWarningAlert, tlsAlertLevel,
    ]
}
