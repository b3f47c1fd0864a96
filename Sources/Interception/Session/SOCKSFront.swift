import Dissection
import NIOCore

/// SOCKS mode: the client says where to before anything else (RFC 1928).
///
/// A client that asks for the HTTP listener of this proxy gets it. Java's clients do: where its properties name both proxies, OkHttp and Apache
/// HttpClient connect to the HTTP one with a plain socket, which Java sends through the SOCKS one.
final class SOCKSFront: Front {
    let mode = "socks5"
    private let core: ProxyCore
    private var machine: SOCKS5Server

    init(core: ProxyCore) {
        self.core = core
        machine = SOCKS5Server(credentials: core.settings.credentials)
    }

    func start(_ session: ClientSession) {}

    func receive(_ bytes: ByteBuffer, at time: Timestamp, session: ClientSession) {
        var rest = bytes
        while true {
            let (consumed, action) = machine.take(rest.readableBytesSpan)
            rest.moveReaderIndex(forwardBy: consumed)
            switch action {
            case .needMore: return
            case .send(let answer): session.client.write(ByteBuffer(bytes: answer))
            case .connect(let asked):
                if core.isHTTPListener(asked) {
                    let bound = Endpoint(session.client.channel?.localAddress)
                    session.client.write(ByteBuffer(bytes: machine.reply(.succeeded, bound: bound)))
                    return session.change(to: HTTPFront(core: core), early: rest, at: time)
                }
                let destination = Destination(asked)
                return session.dial(
                    Plan(destination: destination, serverTLS: .asTheClient, target: asked.description), early: rest, at: time)
            case .refuse(let reply, let reason):
                let answered = Self.words(for: reply)
                return session.refuse(
                    with: reply.isEmpty ? nil : ByteBuffer(bytes: reply), "\(answered), \(reason)", unread: rest.readableBytes)
            }
        }
    }

    var unfinished: String? {
        let count = machine.heldBytes
        return count > 0 ? "\(count) \(count == 1 ? "byte" : "bytes") of a SOCKS message had come" : nil
    }

    /// What a client was answered that is refused.
    private static func words(for reply: [UInt8]) -> String {
        switch (reply.first, reply.count) {
        case (nil, _): "closed without an answer"
        case (5, 2): "no acceptable method"
        case (1, 2): "password not accepted"
        case (5, _): "reply \(reply[1]) (\(SOCKSReply(rawValue: reply[1])))"
        case (0, _): "reply 91 (SOCKS 4: rejected)"
        default: "400"
        }
    }

    func reached(_ session: ClientSession) {
        session.client.write(ByteBuffer(bytes: machine.reply(.succeeded, bound: Endpoint(session.server?.channel?.localAddress))))
    }

    func answer(to failure: DialFailure, _ how: Closing.Manner) -> ByteBuffer? {
        // After the reply of success there is no other.
        guard how == .connectFailed else { return nil }
        let reply: SOCKSReply =
            switch failure.kind {
            case .refused: .connectionRefused
            case .hostUnreachable, .unknownName: .hostUnreachable
            case .networkUnreachable: .networkUnreachable
            case .timedOut: .timeToLiveExpired
            case .dialsItself: .notAllowed
            case .outOfFiles, .tls, .other: .generalFailure
            }
        return ByteBuffer(bytes: machine.reply(reply))
    }
}

extension Destination {
    /// An address where the text is one, which saves looking it up.
    init(_ asked: HostPort) {
        if let address = try? SocketAddress(ipAddress: asked.host, port: Int(asked.port)) {
            self = .address(address)
        } else {
            self = .host(asked.host, port: Int(asked.port))
        }
    }
}

extension Plan {
    /// What a URL of reverse mode asks for.
    init(_ upstream: UpstreamURL) {
        let destination: Destination =
            switch upstream.place {
            case .tcp(let place): Destination(place)
            case .unix(let path): .unix(path)
            }
        self.init(
            destination: destination, serverTLS: upstream.scheme.isSecure ? .always : .never, target: upstream.description,
            protocols: upstream.scheme == .wss || upstream.scheme == .https ? ["http/1.1"] : [])
    }
}
