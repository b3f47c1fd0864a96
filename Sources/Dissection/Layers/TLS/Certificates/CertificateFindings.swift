/// What clients refuse in the certificates of a server (RFC 5280; RFC 9525 for names). `a` counts the certificates of the chain from 1.
extension FindingRow {
    package static let tlsCertificateExpired = FindingRow(
        id: "tls.certificate-expired", severity: .warning, reference: "RFC 5280 6.1.3",
        detail: "certificate {a} of the server expired on {text}",
        explanation: """
            Measured by the clock of the capture. A client that verifies certificates ends the handshake with the alert "certificate \
            expired". Certificate 1 is the server's own; the others are those of CAs, and a client that knows another way to a root does \
            without them.
            """)

    package static let tlsCertificateNotYetValid = FindingRow(
        id: "tls.certificate-not-yet-valid", severity: .warning, reference: "RFC 5280 6.1.3",
        detail: "certificate {a} of the server is not valid until {text}",
        explanation: """
            Measured by the clock of the capture. A client whose clock is behind sees the same with certificates that are valid.
            """)

    package static let tlsCertificateName = FindingRow(
        id: "tls.certificate-name", severity: .warning, reference: "RFC 9525 6.3",
        detail: "the server's certificate does not name {text}, which the client asked for",
        explanation: """
            The record has the names of the certificate. The common name of the subject does not count (RFC 9525, section 2); in captures \
            from before April 2017 it does where no host is named. A server that has no certificate for a name often shows that of another. Nothing is reported where the client may have asked for \
            another name under encryption (Encrypted Client Hello).
            """)

    package static let tlsCertificateSelfSigned = FindingRow(
        id: "tls.certificate-self-signed", severity: .note, reference: "RFC 5280 3.2",
        detail: "the server's certificate is self-signed",
        explanation: "Clients refuse it unless they were told to trust it, as apps are that pin it.")

    package static let tlsCertificateWeak = FindingRow(
        id: "tls.certificate-weak", severity: .warning, reference: "",
        detail: "certificate {a} of the server has a {text}",
        explanation: """
            Keys of RSA below 2048 bits are refused by the systems of Apple since September 2019. OpenSSL at security level 2, which \
            distributions set, refuses those below 1963 bits, and those of DSA below 2048; so do this finding and the proxy. Signatures with SHA-1 or MD5 are refused by these and by browsers since January 2017. Captures from before that are \
            not judged, nor is the last certificate of a chain: a client may know it as a root.
            """)

    package static let tlsCertificatePurpose = FindingRow(
        id: "tls.certificate-purpose", severity: .warning, reference: "RFC 5280 4.2.1.12",
        detail: "the server's certificate is not for servers of TLS",
        explanation: "It has an extended key usage without serverAuth. A certificate for clients, mail or code was installed in its place.")

    package static let tlsCertificateOrder = FindingRow(
        id: "tls.certificate-order", severity: .warning, reference: "RFC 8446 4.4.2",
        detail: "certificate {a} of the server did not issue the one before it",
        explanation: """
            Each certificate should certify the one before it; up to TLS 1.2 it has to (RFC 5246, section 7.4.2). Browsers put a chain in \
            order by themselves, others refuse it.
            """)

    package static let tlsCertificateAlone = FindingRow(
        id: "tls.certificate-alone", severity: .note, reference: "RFC 8446 4.4.2",
        detail: "the server sent its certificate without that of its issuer, {text}",
        explanation: """
            A server has to send the certificates between its own and a root. This one says where the certificate of its issuer can be had, \
            which those of roots seldom do. If the issuer is not a root that clients know, an intermediate certificate is probably missing: browsers that \
            fetch it, or have seen it elsewhere, connect; curl, Java, Python and most apps refuse with "unable to get local issuer \
            certificate". Add the intermediate certificate to the file of the server's certificate.
            """)

    package static let tlsCertificateNotCA = FindingRow(
        id: "tls.certificate-not-ca", severity: .warning, reference: "RFC 5280 6.1.4",
        detail: "certificate {a} of the server is not that of a CA, and issued the one before it",
        explanation: """
            Its basic constraints say that it is not a CA, so that clients refuse what it has signed with "invalid CA certificate". A \
            certificate for a server was used to sign another one, or a CA was made without "CA:TRUE". It is told by name and key identifier; the \
            signature is not verified.
            """)

    package static let tlsCertificateCritical = FindingRow(
        id: "tls.certificate-critical", severity: .warning, reference: "RFC 5280 4.2",
        detail: "certificate {a} of the server has the critical extension {text}, which clients may not know",
        explanation: """
            A client has to refuse a certificate with a critical extension that it does not know. Those of RFC 5280 and its companions are known; this \
            is one of a vendor, or a precertificate of Certificate Transparency (1.3.6.1.4.1.11129.2.4.3) that was installed in place of the certificate.
            """)

    package static let tlsCertificateCompressed = FindingRow(
        id: "tls.certificate-compressed", severity: .note, reference: "RFC 8879 4",
        detail: "the server's certificates are compressed with {text}, which is not undone here",
        explanation: """
            So they are not shown, and nothing is said about them. Those that are compressed with zlib, brotli or Zstandard are read. A client that \
            does not offer to take compressed certificates is sent plain ones.
            """)

    package static let tlsCertificateUnreadable = FindingRow(
        id: "tls.certificate-unreadable", severity: .note, reference: "RFC 5280 4.1",
        detail: "certificate {a} of the server cannot be read",
        explanation: "It is not a certificate in DER, such as a raw public key (RFC 7250), or it is damaged.")

    static let certificateRows: [FindingRow] = [
        tlsCertificateExpired, tlsCertificateNotYetValid, tlsCertificateName, tlsCertificateSelfSigned, tlsCertificateWeak,
        tlsCertificatePurpose, tlsCertificateOrder, tlsCertificateAlone, tlsCertificateNotCA, tlsCertificateCritical,
        tlsCertificateCompressed, tlsCertificateUnreadable,
    ]
}
