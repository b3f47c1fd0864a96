/// What the reason codes of MQTT 5 (section 2.4) and the return codes of 3.1.1 (sections 3.2.2.3 and 3.9.3) mean.
package enum MQTTReasons {
    /// Of a packet of this type; nil for one that is not known.
    package static func name(_ code: UInt8, type: Int, level: UInt8) -> StaticString? {
        if level != 5 {
            if type == 9 { return code < 3 ? nil : code == 0x80 ? "failure" : nil }
            let names: [StaticString] = [
                "accepted", "unacceptable protocol version", "identifier rejected", "server unavailable", "bad user name or password",
                "not authorized",
            ]
            return code < names.count ? names[Int(code)] : nil
        }
        if code >= 0x80 { return code - 0x80 < errors.count ? errors[Int(code - 0x80)] : nil }
        switch code {
        case 0x00: return type == 9 ? "granted QoS 0" : type == 14 ? "normal disconnection" : "success"
        case 0x01: return "granted QoS 1"
        case 0x02: return "granted QoS 2"
        case 0x04: return "disconnect with will message"
        case 0x10: return "no matching subscribers"
        case 0x11: return "no subscription existed"
        case 0x18: return "continue authentication"
        case 0x19: return "re-authenticate"
        case _: return nil
        }
    }

    /// Those from 0x80 on.
    private static let errors: [StaticString] = [
        "unspecified error", "malformed packet", "protocol error", "implementation specific error", "unsupported protocol version",
        "client identifier not valid", "bad user name or password", "not authorized", "server unavailable", "server busy", "banned",
        "server shutting down", "bad authentication method", "keep alive timeout", "session taken over", "topic filter invalid",
        "topic name invalid", "packet identifier in use", "packet identifier not found", "receive maximum exceeded", "topic alias invalid",
        "packet too large", "message rate too high", "quota exceeded", "administrative action", "payload format invalid",
        "retain not supported", "QoS not supported", "use another server", "server moved", "shared subscriptions not supported",
        "connection rate exceeded", "maximum connect time", "subscription identifiers not supported",
        "wildcard subscriptions not supported",
    ]
}
