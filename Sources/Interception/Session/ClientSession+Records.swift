import Dissection
import NIOCore
import Reports

/// What the records learn of a session before its relay.
extension ClientSession {
    /// Begins the conversation in the records.
    ///
    /// - Parameter time: where the attempt failed, that of its start.
    func begin(at time: Timestamp? = nil) {
        guard conversation == nil, let plan else { return }
        conversation = core.recorder.begin(beginning(plan, reached: reachedAddress), at: time ?? .now, isPast: time != nil)
    }

    /// - Parameter reached: the server's address, where it is known by the connection.
    func beginning(_ plan: Plan, reached: SocketAddress? = nil) -> Beginning {
        var beginning = Beginning(
            client: LiveEndpoint(clientAddress),
            server: LiveEndpoint(reached ?? plan.destination.literalAddress, name: plan.name, port: plan.destination.port),
            transport: plan.isUnix || isUnix ? .unix : .tcp, via: Via(mode: front.mode, target: plan.target))
        beginning.connections = [client.tap?.connection, server?.tap?.connection].compactMap(\.self)
        if front.mode == "reverse" { beginning.reverse = reverseNames(plan) }
        return beginning
    }

    private func reverseNames(_ plan: Plan) -> ReverseNames? {
        guard let own = client.channel?.localAddress, let ownHost = own.ipAddress, let ownPort = own.port else { return nil }
        guard let host = plan.destination.host, let port = plan.destination.port else { return nil }
        let authority = plan.target.firstRange(of: "://").map { String(plan.target[$0.upperBound...]) } ?? plan.target
        var names = ReverseNames(
            proxy: HostPort(host: ownHost, port: UInt16(clamping: ownPort)), server: HostPort(host: host, port: UInt16(clamping: port)),
            authority: authority, isSecure: plan.isServerTLS)
        names.isHostRewritten = core.settings.rewrittenHost != nil
        names.isOriginRewritten = core.settings.rewrittenOrigin != nil
        return names
    }

    var isUnix: Bool { if case .unixDomainSocket? = clientAddress { true } else { client.channel?.localAddress?.protocol == .unix } }

    /// The server's address. Where another proxy stands between, only that one's is known, and it is not the server's: zeros, which a
    /// recording can hold.
    private var reachedAddress: SocketAddress? {
        guard let plan, core.settings.via(to: plan.destination) != nil else { return server?.channel?.remoteAddress }
        guard plan.destination.literalAddress == nil, let port = plan.destination.port else { return nil }
        return try? SocketAddress(ipAddress: "0.0.0.0", port: port)
    }

    func tellSecured(client agreement: TLSAgreement?) {
        guard let conversation else { return }
        handshakes.tellSecured(client: agreement, offered: nature.offered, plan: plan, in: conversation)
    }
}
