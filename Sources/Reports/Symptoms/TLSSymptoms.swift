// What apps say, as `unmask explain` knows it: TLS.

extension Symptom {
    static let tls: [Symptom] = [
        Symptom(
            [
                "NSURLErrorDomain -1202", "The certificate for this server is invalid", "unable to get local issuer certificate",
                "CERTIFICATE_VERIFY_FAILED", "self signed certificate in certificate chain", "unknown ca",
                "x509: certificate signed by unknown authority", "Trust anchor for certification path not found",
                "PKIX path building failed", "ERR_CERT_AUTHORITY_INVALID", "curl 60",
            ],
            means: """
                The client does not know who signed the certificate: an intermediate is missing, or the CA is not installed (the local \
                CA of a proxy: docs/certificates.md).
                """,
            look: "tls.alert-fatal, unknown CA, and the chain in the TLS line",
            recording: "symptoms/tls-alerts-of-clients.pcap", shows: "unknown CA (48)"),
        Symptom(
            ["certificate unknown", "alert certificate unknown 46", "SSLHandshakeException"],
            means: "The client refuses the certificate without saying why: the name does not fit, or it pins another one.",
            look: "tls.alert-fatal; compare the names in the TLS line with the host",
            recording: "symptoms/tls-alerts-of-clients.pcap", shows: "certificate unknown (46)"),
        Symptom(
            ["bad certificate", "alert bad certificate 42"],
            means: "The client could not use the certificate, or the server that of the client.",
            look: "tls.alert-fatal says who sent it",
            recording: "symptoms/tls-alerts-of-clients.pcap", shows: "bad certificate (42)"),
        Symptom(
            ["certificate has expired", "alert certificate expired 45", "ERR_CERT_DATE_INVALID"],
            means: "The certificate's time is over, or the clock of the client is wrong.",
            look: "tls.alert-fatal, and the dates in the TLS line",
            recording: "symptoms/tls-alerts-of-clients.pcap", shows: "certificate expired (45)"),
        Symptom(
            [
                "handshake failure", "alert handshake failure 40", "sslv3 alert handshake failure", "NSURLErrorDomain -1200",
                "An SSL error has occurred and a secure connection to the server cannot be made",
            ],
            means: """
                Client and server have no cipher, curve or version in common, or the server wants a certificate of the client.
                """,
            look: "tls.alert-fatal, handshake failure; the ClientHello has what was offered",
            recording: "symptoms/tls-alerts-of-servers.pcap", shows: "handshake failure (40)"),
        Symptom(
            ["protocol version", "alert protocol version 70", "ERR_SSL_VERSION_OR_CIPHER_MISMATCH", "unsupported protocol"],
            means: "The server does not speak a version of TLS that the client offers.",
            look: "tls.alert-fatal",
            recording: "symptoms/tls-alerts-of-servers.pcap", shows: "protocol version (70)"),
        Symptom(
            ["unrecognized name", "alert unrecognized name 112", "ERR_SSL_UNRECOGNIZED_NAME_ALERT"],
            means: "The server has no certificate for the name that the client asked for (SNI).",
            look: "tls.alert-fatal; the TLS line has the name",
            recording: "symptoms/tls-alerts-of-servers.pcap", shows: "unrecognized name (112)"),
        Symptom(
            ["no application protocol", "alert no application protocol 120"],
            means: "The server speaks none of the protocols that the client offers by ALPN.",
            look: "tls.alert-fatal",
            recording: "symptoms/tls-alerts-of-servers.pcap", shows: "no application protocol (120)"),
        Symptom(
            [
                "wrong version number", "ERR_SSL_PROTOCOL_ERROR", "tls: first record does not look like a TLS handshake",
                "server gave HTTP response to HTTPS client", "packet length too long",
            ],
            means: "The port speaks plaintext: the URL should begin with ws: or http:, or the port is another.",
            look: "tls.http-response",
            recording: "symptoms/tls-to-a-plain-port.pcap", shows: "tls.http-response"),
    ]
}
