import Dissection

/// The client's side of `--via`: asks the proxy that comes after this one for a connection to the target.
///
/// Send `opening`, then feed what comes back. Names are sent as they are, so that the other proxy resolves them.
package struct UpstreamPreamble: Sendable {
    package enum Action: Hashable, Sendable {
        /// All was taken; the next bytes decide.
        case needMore
        /// Send this, and go on with the rest.
        case send([UInt8])
        /// The target is reached. Bytes after those that were taken are its first.
        case connected
        /// The proxy refused, or is none.
        case failed(Failure)
    }

    /// Why there is no connection.
    package struct Failure: Hashable, Sendable {
        /// In words, for a person.
        package var reason: String
        /// What a client of ours would be told in SOCKS 5.
        package var reply: SOCKSReply
    }

    private enum State { case status, method, password, reply, done }

    private let via: ViaURL
    private let target: HostPort
    private let marks: [UInt8]
    private var state: State
    private var head = HeadBuffer()
    private var buffer: [UInt8] = []

    /// - Parameter marks: the value of Via in a CONNECT, by which a proxy knows what it has sent itself (RFC 9110, section 7.6.3); none
    ///   where this is empty.
    package init(_ via: ViaURL, to target: HostPort, marks: [UInt8] = []) {
        self.via = via
        self.marks = marks
        // A zone has no meaning on another machine (RFC 4007, section 11).
        let host = target.host.prefix { $0 != "%" }
        self.target = target.host.contains(":") ? HostPort(host: String(host), port: target.port) : target
        state = via.scheme == .http ? .status : .method
    }

    /// The first bytes to send.
    package var opening: [UInt8] {
        switch via.scheme {
        case .http:
            // RFC 9110, section 9.3.6; Host as RFC 9112 has it (section 3.2.3).
            var head = Array("CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n".utf8)
            if let credentials = via.credentials { head += Array("Proxy-Authorization: ".utf8) + credentials.basic + [0x0D, 0x0A] }
            if !marks.isEmpty { head += Array("Via: ".utf8) + marks + [0x0D, 0x0A] }
            return head + [0x0D, 0x0A]
        case .socks5: return via.credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]
        }
    }

    /// Takes bytes of the other proxy. Call it again with the rest until it needs more or is done; what was not consumed is not kept.
    package mutating func take(_ bytes: RawSpan) -> (consumed: Int, action: Action) {
        if case .status = state { return takeHead(bytes) }
        var position = 0
        while true {
            if let action = step() { return (position, action) }
            guard position < bytes.byteCount else { return (position, .needMore) }
            buffer.append(bytes[position])
            position += 1
        }
    }

    /// The other proxy closed before it was done.
    package func finish() -> Failure {
        Failure(reason: "\(via) closed the connection before it answered", reply: .generalFailure)
    }

    // MARK: - CONNECT

    private mutating func takeHead(_ bytes: RawSpan) -> (Int, Action) {
        var position = 0
        while position < bytes.byteCount {
            position += head.take(bytes.extracting(position..<bytes.byteCount))
            switch head.state {
            case .partial:
                let begun = head.bytes[head.start...]
                guard "HTTP/".utf8.starts(with: begun.prefix(5)) else {
                    return (position, fail("\(via) does not answer like an HTTP proxy"))
                }
            case .tooLong: return (position, fail("the head of the answer of \(via) is longer than 64 KiB"))
            case .whole:
                let (bytes, start) = (head.bytes, head.start)
                head = HeadBuffer()
                guard let lineFeed = bytes[start...].firstIndex(of: 0x0A), bytes[start...].starts(with: "HTTP/".utf8) else {
                    return (position, fail("\(via) does not answer like an HTTP proxy"))
                }
                let line = StatusLine(bytes.rawBytes, from: start, lineFeed: lineFeed)
                guard let status = line.status else { return (position, fail("\(via) answers without a status")) }
                // Interim answers come before the final one (RFC 9110, section 15.2).
                if status / 100 == 1 { continue }
                if status / 100 == 2 { return (position, finish(.connected)) }
                let phrase = String(decoding: bytes[line.reason.start..<line.reason.end].prefix(200), as: UTF8.self)
                return (position, fail(UpstreamPreamble.words(status, phrase, via, target), UpstreamPreamble.reply(for: status)))
            }
        }
        return (position, .needMore)
    }

    private static func words(_ status: UInt16, _ phrase: String, _ via: ViaURL, _ target: HostPort) -> String {
        let answer = phrase.isEmpty ? "\(status)" : "\(status) \(phrase)"
        guard status == 407 else { return "\(via) refuses CONNECT \(target): \(answer)" }
        let hint = via.credentials == nil ? "write them into the URL of --via" : "those of --via are not the right ones"
        return "\(via) asks for user and password (\(answer)): \(hint)"
    }

    private static func reply(for status: UInt16) -> SOCKSReply {
        switch status {
        case 403, 407: .notAllowed
        case 502, 503: .hostUnreachable
        case 504: .timeToLiveExpired
        default: .generalFailure
        }
    }

    // MARK: - SOCKS 5

    /// What the bytes so far mean once they are whole (RFC 1928, sections 3 and 6; RFC 1929, section 2).
    private mutating func step() -> Action? {
        switch state {
        case .status, .done: return .needMore
        case .method:
            guard let version = buffer.first else { return nil }
            guard version == 5 else { return fail("\(via) does not answer like a SOCKS5 proxy") }
            guard buffer.count == 2 else { return nil }
            switch buffer[1] {
            case 0: return goOn(.reply, request)
            case 2:
                guard let credentials = via.credentials else { return fail("\(via) chose a method that was not offered", .notAllowed) }
                let user = [UInt8(credentials.user.count)] + credentials.user
                return goOn(.password, [1] + user + [UInt8(credentials.password.count)] + credentials.password)
            default:
                let hint = via.credentials == nil ? "asks for user and password: write them into the URL of --via" : "accepts no password"
                return fail("\(via) \(hint)", .notAllowed)
            }
        case .password:
            guard buffer.count == 2 else { return nil }
            return buffer[1] == 0 ? goOn(.reply, request) : fail("\(via) does not accept user and password", .notAllowed)
        case .reply:
            guard let version = buffer.first else { return nil }
            guard version == 5 else { return fail("\(via) does not answer like a SOCKS5 proxy") }
            guard buffer.count >= 5 else { return nil }
            let reply = SOCKSReply(rawValue: buffer[1])
            // Some close right after a failure, without the address.
            guard reply == .succeeded else { return fail("\(via) cannot connect to \(target): \(reply)", reply) }
            let length: Int
            switch buffer[3] {
            case 1: length = 10
            case 3: length = 7 + Int(buffer[4])
            case 4: length = 22
            default: return fail("\(via) answers with address type \(buffer[3])")
            }
            return buffer.count == length ? finish(.connected) : nil
        }
    }

    /// VER CMD RSV ATYP DST.ADDR DST.PORT (RFC 1928, section 4).
    private var request: [UInt8] {
        let port = [UInt8(target.port >> 8), UInt8(target.port & 0xFF)]
        if let address = target.address?.networkBytes { return [5, 1, 0, address.count == 16 ? 4 : 1] + address + port }
        let name = Array(target.host.utf8.prefix(255))
        return [5, 1, 0, 3, UInt8(name.count)] + name + port
    }

    private mutating func goOn(_ next: State, _ bytes: [UInt8]) -> Action {
        state = next
        buffer.removeAll(keepingCapacity: true)
        return .send(bytes)
    }

    private mutating func fail(_ reason: String, _ reply: SOCKSReply = .generalFailure) -> Action {
        finish(.failed(Failure(reason: reason, reply: reply)))
    }

    private mutating func finish(_ action: Action) -> Action {
        state = .done
        buffer = []
        head = HeadBuffer()
        return action
    }
}
