/// Why a proxy could not get an answer, in the words of RFC 9209 (section 2.3). Any token may stand here.
package struct ProxyStatusError: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let dnsError = ProxyStatusError(rawValue: "dns_error")
    package static let connectionRefused = ProxyStatusError(rawValue: "connection_refused")
    package static let connectionTimeout = ProxyStatusError(rawValue: "connection_timeout")
    package static let destinationUnroutable = ProxyStatusError(rawValue: "destination_ip_unroutable")
    package static let tlsProtocolError = ProxyStatusError(rawValue: "tls_protocol_error")
    package static let httpProtocolError = ProxyStatusError(rawValue: "http_protocol_error")
    package static let proxyLoopDetected = ProxyStatusError(rawValue: "proxy_loop_detected")
    /// Anything that has no word of its own there.
    package static let destinationUnavailable = ProxyStatusError(rawValue: "destination_unavailable")

    /// The value of `Proxy-Status`: `details` is a string of RFC 9651 (section 3.3.3), which has printable ASCII only.
    func value(details: String) -> String {
        var text = ""
        for scalar in details.unicodeScalars.prefix(400) {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~": text.unicodeScalars.append(scalar)
            case "“", "”": text += "'"
            default: text += "?"
            }
        }
        return "unmask; error=\(rawValue); details=\"\(text)\""
    }
}
