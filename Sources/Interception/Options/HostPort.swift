import Dissection

/// Where a connection goes: a name or an address, and a port.
package struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// A name or an address as it was written, 1 to 255 printable ASCII characters; an IPv6 address without brackets, perhaps with
    /// a zone (`fe80::1%eth0`).
    package var host: String
    /// Never 0 where `parse` made it.
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The address, if the host is one without a zone.
    package var address: IPAddress? { IPAddress(text: host) }

    /// `host:port`, IPv6 in brackets.
    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether both lead to the same place: names do not differ by case (RFC 9110, section 4.2.3).
    package func isSame(as other: HostPort) -> Bool {
        port == other.port && host.lowercased() == other.host.lowercased()
    }

    /// The name is of this machine alone: `localhost` and names under it (RFC 6761, section 6.3), loopback addresses.
    package var isLoopback: Bool {
        let name = host.lowercased()
        return name == "localhost" || name.hasSuffix(".localhost") || address?.isLoopback == true
    }

    /// Reads `host:port`, `host`, `[IPv6]:port` or `[IPv6]` (RFC 3986, section 3.2, without a user).
    ///
    /// - Parameters:
    ///   - defaultPort: what stands for a port that is missing or empty; with none, a port has to be there.
    /// - Throws: `HostPortFault`.
    package static func parse(_ text: some Collection<UInt8>, defaultPort: UInt16? = nil) throws(HostPortFault) -> HostPort {
        let bytes = Array(text)
        var host = bytes[...]
        var port: ArraySlice<UInt8>?
        if bytes.first == UInt8(ascii: "[") {
            guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { throw .brackets }
            host = bytes[1..<bracket]
            let rest = bytes[(bracket + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else { throw .brackets }
            if !rest.isEmpty { port = rest.dropFirst() }
            try checkIPv6(&host)
        } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
            host = bytes[..<colon]
            port = bytes[(colon + 1)...]
            if bytes[(colon + 1)...].contains(UInt8(ascii: ":")) { throw .bareIPv6 }
        }
        try checkName(host)
        return HostPort(host: String(decoding: host, as: UTF8.self), port: try number(port, defaultPort: defaultPort))
    }

    /// The text between the brackets, its zone in either spelling: `%eth0`, or `%25eth0` as RFC 6874 has it.
    private static func checkIPv6(_ host: inout ArraySlice<UInt8>) throws(HostPortFault) {
        let percent = host.firstIndex(of: UInt8(ascii: "%"))
        let address = IPAddress(text: String(decoding: host[..<(percent ?? host.endIndex)], as: UTF8.self))
        guard address?.family == .ipv6 else { throw .brackets }
        guard let percent else { return }
        var zone = host[(percent + 1)...]
        if zone.starts(with: "25".utf8), zone.count > 2 { zone = zone.dropFirst(2) }
        guard !zone.isEmpty else { throw .brackets }
        host = host[...percent] + zone
    }

    private static func checkName(_ host: ArraySlice<UInt8>) throws(HostPortFault) {
        guard !host.isEmpty else { throw .noHost }
        guard host.count <= 255 else { throw .longHost }
        for byte in host {
            switch byte {
            case 0x80...: throw .notASCII
            case 0...0x20, 0x7F, UInt8(ascii: "@"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"),
                UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","):
                throw .character(byte)
            default: continue
            }
        }
    }

    private static func number(_ text: ArraySlice<UInt8>?, defaultPort: UInt16?) throws(HostPortFault) -> UInt16 {
        // An empty port is the scheme's own (RFC 3986, section 3.2.3).
        guard let text, !text.isEmpty else {
            guard let defaultPort else { throw .noPort }
            return defaultPort
        }
        var port = 0
        for byte in text {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw .badPort }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
            guard port <= 65_535 else { throw .badPort }
        }
        guard port > 0 else { throw .badPort }
        return UInt16(port)
    }
}

/// Why a text is no host with a port.
package enum HostPortFault: Error, Hashable, Sendable, CustomStringConvertible {
    case noHost
    case longHost
    case notASCII
    case character(UInt8)
    case brackets
    case bareIPv6
    case noPort
    case badPort

    /// A clause that fits after "…: ".
    package var description: String {
        switch self {
        case .noHost: "the host is missing"
        case .longHost: "the host is longer than 255 characters"
        case .notASCII: "the host has characters outside ASCII; write the form that goes over the wire (xn--…)"
        case .character(let byte): "invalid byte 0x\(String(byte, radix: 16, uppercase: true)) in the host name"
        case .brackets: "the brackets do not hold a valid IPv6 address, or something other than a port follows them"
        case .bareIPv6: "an IPv6 address stands in brackets: [::1]:8080"
        case .noPort: "the port is missing"
        case .badPort: "the port is not a number from 1 to 65535"
        }
    }
}
