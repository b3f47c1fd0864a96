import Dissection

/// The proxy's side of SOCKS 5 (RFC 1928, with the passwords of RFC 1929), and of SOCKS 4 and 4a for clients that speak nothing newer.
///
/// ```
/// greeting ─ (password) ─ request ─ .connect … reply(…)
/// ```
/// What is asked for has to be CONNECT; each part is bounded by its own length bytes, the longest is 513 bytes.
package struct SOCKS5Server: Sendable {
    package enum Action: Hashable, Sendable {
        /// All was taken; the next bytes of the client decide.
        case needMore
        /// Send this to the client, and go on with the rest.
        case send([UInt8])
        /// Connect to there, then send `reply`. Bytes after those that were taken are the tunnel's first.
        case connect(HostPort)
        /// Send this, if it is not empty, and close. The reason is for the log.
        case refuse(reply: [UInt8], reason: String)
    }

    private enum State { case greeting, password, request, version4, done }

    private let credentials: ProxyCredentials?
    private var state = State.greeting
    private var isVersion4 = false
    private var buffer: [UInt8] = []
    /// SOCKS 4 ends its texts with a zero and gives no length.
    static let longestVersion4Text = 255

    /// Bytes of a part that is not whole yet.
    package var heldBytes: Int { buffer.count }

    /// - Parameter credentials: with them, clients have to tell them; SOCKS 4, which has no passwords, is refused then.
    package init(credentials: ProxyCredentials? = nil) { self.credentials = credentials }

    /// Takes bytes of the client, and says what to do about the first thing that they make whole.
    ///
    /// Call it again with the rest until it needs more or is done. Bytes that were not consumed are not kept.
    package mutating func take(_ bytes: RawSpan) -> (consumed: Int, action: Action) {
        var position = 0
        while true {
            if let action = step() { return (position, action) }
            guard position < bytes.byteCount else { return (position, .needMore) }
            buffer.append(bytes[position])
            position += 1
        }
    }

    /// The reply to `.connect`, in the version that the client speaks.
    /// - Parameter bound: the proxy's end of the connection to the server.
    package func reply(_ reply: SOCKSReply, bound: Endpoint? = nil) -> [UInt8] {
        isVersion4 ? reply.version4(bound: bound) : reply.version5(bound: bound)
    }

    /// What the bytes so far mean once they are whole.
    private mutating func step() -> Action? {
        guard let first = buffer.first else { return nil }
        switch state {
        case .greeting:
            if first == 4 {
                guard credentials == nil else {
                    return refuse([0, 91, 0, 0, 0, 0, 0, 0], "the client speaks SOCKS 4, which has no passwords, and one is asked for")
                }
                isVersion4 = true
                state = .version4
                return step()
            }
            return first == 5 ? greet() : refuseStranger(first)
        case .password: return checkPassword()
        case .request: return request()
        case .version4: return requestInVersion4()
        case .done: return .needMore
        }
    }

    /// VER NMETHODS METHODS (RFC 1928, section 3).
    private mutating func greet() -> Action? {
        guard buffer.count >= 2, buffer.count == 2 + Int(buffer[1]) else { return nil }
        let methods = buffer[2...]
        // A client that insists on telling a password may do so, where any will do.
        let isOpen = credentials == nil && methods.contains(0)
        guard isOpen || methods.contains(2) else {
            let reason =
                credentials == nil ? "the client insists on another authentication" : "the client offers no password, and one is asked for"
            return refuse([5, 0xFF], reason)
        }
        buffer.removeAll(keepingCapacity: true)
        state = isOpen ? .request : .password
        return .send([5, isOpen ? 0 : 2])
    }

    /// VER ULEN UNAME PLEN PASSWD (RFC 1929, section 2).
    private mutating func checkPassword() -> Action? {
        guard buffer[0] == 1 else { return refuse([1, 1], "the client's password has an unknown version, \(buffer[0])") }
        guard buffer.count >= 2 else { return nil }
        let passwordAt = 2 + Int(buffer[1])
        guard buffer.count > passwordAt, buffer.count == passwordAt + 1 + Int(buffer[passwordAt]) else { return nil }
        let user = ProxyCredentials.user(buffer[2..<passwordAt], hiding: credentials)
        let isRight = credentials?.matches(user: Array(buffer[2..<passwordAt]), password: Array(buffer[(passwordAt + 1)...])) ?? true
        guard isRight else { return refuse([1, 1], "wrong user or password (user \"\(user)\")") }
        buffer.removeAll(keepingCapacity: true)
        state = .request
        return .send([1, 0])
    }

    /// VER CMD RSV ATYP DST.ADDR DST.PORT (RFC 1928, section 4).
    private mutating func request() -> Action? {
        guard buffer[0] == 5 else { return refuse(reply(.generalFailure), "the request has another version, \(buffer[0])") }
        guard buffer.count >= 5 else { return nil }
        let addressEnd: Int
        switch buffer[3] {
        case 1: addressEnd = 8
        case 3: addressEnd = 5 + Int(buffer[4])
        case 4: addressEnd = 20
        default: return refuse(reply(.addressTypeNotSupported), "address type \(buffer[3]) is unknown")
        }
        guard buffer.count == addressEnd + 2 else { return nil }
        guard buffer[1] == 1 else {
            let name = buffer[1] == 2 ? "BIND" : buffer[1] == 3 ? "UDP ASSOCIATE" : "command \(buffer[1])"
            return refuse(reply(.commandNotSupported), "the client asked for \(name), and the proxy has CONNECT only")
        }
        let port = UInt16(buffer[addressEnd]) << 8 | UInt16(buffer[addressEnd + 1])
        let address = buffer[4..<addressEnd]
        return buffer[3] == 3 ? connect(name: address.dropFirst(), port: port) : connect(address: address, port: port)
    }

    /// VN CD DSTPORT DSTIP USERID NULL, in 4a with a name and another zero after an address 0.0.0.x.
    private mutating func requestInVersion4() -> Action? {
        guard buffer.count > 8 else { return nil }
        let texts = buffer[8...]
        guard let userEnd = texts.firstIndex(of: 0) else {
            return texts.count > SOCKS5Server.longestVersion4Text ? refuse(reply(.generalFailure), "the user id does not end") : nil
        }
        guard buffer[1] == 1 else {
            return refuse(
                reply(.commandNotSupported),
                "the client asked for \(buffer[1] == 2 ? "BIND" : "command \(buffer[1])"), and the proxy has CONNECT only")
        }
        let port = UInt16(buffer[2]) << 8 | UInt16(buffer[3])
        let address = buffer[4..<8]
        guard address.starts(with: [0, 0, 0]), buffer[7] != 0 else { return connect(address: address, port: port) }
        let name = buffer[(userEnd + 1)...]
        guard let nameEnd = name.firstIndex(of: 0) else {
            return name.count > SOCKS5Server.longestVersion4Text ? refuse(reply(.generalFailure), "the name does not end") : nil
        }
        return connect(name: name[..<nameEnd], port: port)
    }

    private mutating func connect(address bytes: ArraySlice<UInt8>, port: UInt16) -> Action {
        let text = IPAddress(networkBytes: bytes)?.literal ?? ""
        return connect(HostPort(host: text, port: port))
    }

    private mutating func connect(name: ArraySlice<UInt8>, port: UInt16) -> Action {
        // Some clients send an IPv6 address as a name.
        let isIPv6 = IPAddress(text: String(decoding: name, as: UTF8.self))?.family == .ipv6
        do {
            let brackets = isIPv6 ? [UInt8(ascii: "[")] + name + [UInt8(ascii: "]")] : Array(name)
            guard isIPv6 || !name.contains(UInt8(ascii: ":")) else { throw HostPortFault.character(UInt8(ascii: ":")) }
            let host = try HostPort.parse(brackets, defaultPort: 1).host
            return connect(HostPort(host: host, port: port))
        } catch {
            return refuse(reply(.hostUnreachable), "the requested destination is not a valid host name: \(error)")
        }
    }

    private mutating func connect(_ target: HostPort) -> Action {
        guard target.port != 0 else { return refuse(reply(.generalFailure), "port 0 of \(target.host) is asked for") }
        finish()
        return .connect(target)
    }

    /// Whoever comes with something else gets told in its own language where that is possible.
    private mutating func refuseStranger(_ first: UInt8) -> Action {
        if first == 0x16 { return refuse([], "the client speaks TLS, and this is a SOCKS proxy") }
        let isLetter = (first | 0x20) &- UInt8(ascii: "a") < 26
        guard isLetter else { return refuse([], "the client begins with byte \(first), which no SOCKS version does") }
        let reason = "the client speaks HTTP, and this is a SOCKS5 proxy"
        return refuse(Responses.text(status: 400, reason), reason)
    }

    private mutating func refuse(_ reply: [UInt8], _ reason: String) -> Action {
        finish()
        return .refuse(reply: reply, reason: reason)
    }

    private mutating func finish() {
        state = .done
        buffer = []
    }
}
