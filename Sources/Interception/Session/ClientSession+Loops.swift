import Dissection
import NIOCore
import Reports

// A dial that may lead back to this proxy.

extension ClientSession {
    /// Dials, unless the target leads back here.
    func dialUnlessLooping(_ plan: Plan) {
        forgetWatch()
        guard let key = watchedKey(plan) else { return dialNow() }
        watched = key
        let isFirst = isFirstToTry(plan)
        guard core.watch({ $0.arrived(key, isFirst: isFirst) }) else { return dialNow() }
        let client = knownClient
        guard let count = core.watch({ $0.judge(key, client, isFirst: isFirst) }) else { return dialNow() }
        let (whose, may) = client == .proxy ? ("a proxy like this one", "probably leads") : ("one client", "may lead")
        let reason =
            "\(count) connections of \(whose) to \(plan.target) are open, and no server has answered on any of them: "
            + "\(plan.target) \(may) back here through another proxy"
        if core.reportedOnce.isFirst(.proxyLoop, of: plan.target) { core.tell(reason) }
        fail(.connectFailed, DialFailure(kind: .dialsItself, reason: reason))
    }

    /// What the system does not tell of a client on this machine is somebody else's.
    private var knownClient: LoopWatch.Client {
        let isProxy =
            isUnix
            ? client.channel.flatMap { OwnKind.isProxy(unixPeerOf: $0) }
            : OwnKind.isProxy(client: clientAddress, listener: client.channel?.localAddress)
        return isProxy.map { $0 ? .proxy : .otherProgram } ?? (isOfThisMachine ? .otherProgram : .unknown)
    }

    private func dialNow() {
        guard phase == .dialling, let plan else { return }
        dialling = UpstreamDial.begin(plan.destination, marks: plan.via, core: core, on: loop) { result in
            self.dialling = nil
            switch result {
            case .success(let reached): self.connected(reached)
            case .failure(let failure): self.fail(.connectFailed, failure)
            }
        }
    }

    /// What a loop through another proxy is known by, in the ways in where it cannot be known by the bytes.
    private func watchedKey(_ plan: Plan) -> LoopWatch.Key? {
        guard core.settings.via(to: plan.destination) != nil || front.mode == "reverse" || front.mode == "transparent" else { return nil }
        guard clientAddress != nil || isUnix else { return nil }
        return LoopWatch.Key(source: Endpoint(clientAddress).address.unmapped, target: plan.target)
    }

    /// Of two proxies that lead to each other one finds the higher port at the other end, and the other one the lower.
    private func isFirstToTry(_ plan: Plan) -> Bool {
        let next = core.settings.via(to: plan.destination).map { Int($0.proxy.port) } ?? plan.destination.port
        guard let own = client.channel?.localAddress?.port, let next, own != next else { return core.isFirstAmongEquals }
        return own < next
    }

    /// The connection got an answer or came to an end, which those of a loop do not.
    func forgetWatch() {
        if let watched { core.watch { $0.cleared(watched) } }
        watched = nil
    }

    private var isOfThisMachine: Bool {
        guard let ip = clientAddress?.ipAddress else { return true }
        return ip.hasPrefix("127.") || ip == "::1" || ip == client.channel?.localAddress?.ipAddress
    }
}
