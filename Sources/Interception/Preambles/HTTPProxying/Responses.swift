import Dissection

/// The proxy's own answers in the HTTP mode, as bytes.
package enum Responses {
    /// The answer to CONNECT once the server is reached (RFC 9110, section 9.3.6). What follows is the tunnel.
    package static let connectionEstablished = Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)

    /// The certificate of the local authority, as it is handed out.
    package struct Certificate: Sendable {
        /// RFC 7468.
        package var pem: [UInt8]
        package var der: [UInt8]
        /// What a person compares before trusting it, such as the SHA-256 of `der` in pairs of digits; the page shows it.
        package var fingerprint: String?

        package init(pem: [UInt8], der: [UInt8], fingerprint: String? = nil) {
            self.pem = pem
            self.der = der
            self.fingerprint = fingerprint
        }
    }

    /// The server could not be reached, or not in time.
    ///
    /// - Parameters:
    ///   - error: what goes into `Proxy-Status` (RFC 9209); its `status` is that of the answer.
    ///   - reason: in words, for a person; UTF-8.
    package static func unreachable(_ error: ProxyStatusError, _ reason: String, isToHead: Bool = false) -> [UInt8] {
        text(status: 502, reason, fields: [("Proxy-Status", error.value(details: reason))], isToHead: isToHead)
    }

    /// The bytes of an answer that `HTTPProxyRequests` asked for.
    package static func bytes(for answer: LocalAnswer, certificate: Certificate) -> [UInt8] {
        func made(_ status: UInt16, _ type: String, _ body: [UInt8], _ fields: [(String, String)] = []) -> [UInt8] {
            message(status: status, type: type, body: body, fields: fields, isToHead: answer.isToHead, closes: answer.closes)
        }
        let html = "text/html; charset=utf-8"
        // Names end in what makes systems offer to install them.
        let attachment = { (name: String) in [("Content-Disposition", "attachment; filename=\"\(name)\"")] }
        switch answer.content {
        case .certificateOverview: return made(200, html, Array(CertificatePage.overview(fingerprint: certificate.fingerprint).utf8))
        case .certificatePEM: return made(200, "application/x-pem-file", certificate.pem, attachment("unmask-ca.pem"))
        case .certificateDER: return made(200, "application/x-x509-ca-cert", certificate.der, attachment("unmask-ca.crt"))
        case .notFound: return made(404, html, Array(CertificatePage.notFound.utf8))
        case .howToUse: return made(400, html, Array(CertificatePage.howToUse.utf8))
        case .authenticationRequired:
            // RFC 7617, section 2.1: which charset user and password are in.
            return text(
                status: 407, "This proxy asks for a user and a password.",
                fields: [("Proxy-Authenticate", "Basic realm=\"unmask\", charset=\"UTF-8\"")], isToHead: answer.isToHead,
                closes: answer.closes)
        case .refusal(let status, let reason):
            return text(status: status, reason, isToHead: answer.isToHead, closes: answer.closes)
        }
    }

    /// An answer in plain text.
    static func text(
        status: UInt16, _ text: String, fields: [(String, String)] = [], isToHead: Bool = false, closes: Bool = true
    ) -> [UInt8] {
        // Whoever sees it should know who speaks: it is not the server. It may be shown on a terminal.
        let body = Array("unmask: \(PrintableText.sentence(text))\n".utf8)
        return message(status: status, type: "text/plain; charset=utf-8", body: body, fields: fields, isToHead: isToHead, closes: closes)
    }

    private static func message(
        status: UInt16, type: String, body: [UInt8], fields: [(String, String)], isToHead: Bool, closes: Bool
    ) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(phrase(status))\r\n"
        let common = [
            ("Content-Type", type), ("Content-Length", String(body.count)), ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        for (name, value) in common + fields + (closes ? [("Connection", "close")] : []) { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + (isToHead ? [] : body)
    }

    /// The reason phrases of RFC 9110, section 15.
    private static func phrase(_ status: UInt16) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 407: "Proxy Authentication Required"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 508: "Loop Detected"
        default: "Error"
        }
    }
}
