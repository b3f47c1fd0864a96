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
        Beginning(
            client: LiveEndpoint(clientAddress),
            server: LiveEndpoint(reached ?? plan.destination.literalAddress, name: plan.name, port: plan.destination.port),
            transport: plan.isUnix || isUnix ? .unix : .tcp, via: Via(mode: front.mode, target: plan.target))
    }

    var isUnix: Bool { if case .unixDomainSocket? = clientAddress { true } else { client.channel?.localAddress?.protocol == .unix } }

    /// The server's address. Where another proxy stands between, only that one's is known, and it is not the server's: zeros, which a
    /// recording can hold.
    private var reachedAddress: SocketAddress? {
        guard core.settings.via != nil else { return server?.channel?.remoteAddress }
        guard let plan, plan.destination.literalAddress == nil, let port = plan.destination.port else { return nil }
        return try? SocketAddress(ipAddress: "0.0.0.0", port: port)
    }

    func tellSecured(client agreement: TLSAgreement?) {
        guard let conversation, let agreed = serverAgreement ?? agreement else { return }
        let name = nature.offered.map(\.serverName) ?? plan?.tlsName
        core.tellSecured(
            TLSSummary(serverName: name, alpn: agreed.alpn, version: agreed.version, cipher: agreed.cipherSuite), offered: nature.offered,
            hasSecuredServer: serverAgreement != nil, in: conversation)
    }
}

extension ProxyCore {
    /// TLS was terminated. What the client's hello said to the server and ours could not is told as well.
    func tellSecured(_ summary: TLSSummary, offered: UpstreamOffer?, hasSecuredServer: Bool, in conversation: UInt64) {
        recorder.secured(summary, in: conversation, at: .now)
        guard hasSecuredServer, let leftOut = offered?.leftOut, !leftOut.isEmpty else { return }
        recorder.find(.proxyHelloCut, detail: leftOut.joined(separator: "; "), in: conversation, at: .now)
    }
}
