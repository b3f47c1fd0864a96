import Dissection
import NIOCore
import Reports

// A dial that may lead back to this proxy.

extension ClientSession {
    /// Dials, at once or after a moment, unless the target turned out to lead back here.
    func dialUnlessLooping(_ plan: Plan) {
        forgetWatch()
        guard let key = watchedKey(plan) else { return dialNow() }
        let (now, isFirst) = (Self.uptime, isFirstToTry(plan))
        let (verdict, ticket) = core.watch { $0.arrived(key, at: now, isFirst: isFirst) }
        watched = ticket
        guard ticket.opensTrial else { return follow(verdict) }
        switch isProxy {
        case true?: return follow(verdict)
        case nil where !isOfThisMachine:
            if core.watch({ $0.unknown(ticket, isFirst: isFirst) }) { return follow(verdict) }
        // What the system does not tell of a client on this machine is somebody else's.
        case false?, nil: core.watch { $0.acquitted(ticket) }
        }
        dialNow()
    }

    private func follow(_ verdict: LoopWatch.Verdict) {
        switch verdict {
        case .dial: dialNow()
        case .hold(let nanoseconds):
            loop.assumeIsolated().scheduleTask(in: .nanoseconds(nanoseconds)) {
                guard self.phase == .dialling, let ticket = self.watched else { return }
                let now = Self.uptime
                self.follow(self.core.watch { $0.due(ticket, at: now) })
            }
        case .loop(let count, let isNews):
            guard let plan else { return }
            if isNoProxy { dialNow() } else { breakLoop(count, plan, isNews: isNews) }
        }
    }

    /// Whether the client is another proxy; nil where the system does not tell.
    private var isProxy: Bool? {
        if isUnix { return client.channel.flatMap { OwnKind.isProxy(unixPeerOf: $0) } }
        return OwnKind.isProxy(client: clientAddress, listener: client.channel?.localAddress)
    }

    private var isNoProxy: Bool { isProxy.map { !$0 } ?? isOfThisMachine }

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

    private static var uptime: Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

    private var isOfThisMachine: Bool {
        guard let ip = clientAddress?.ipAddress else { return true }
        return ip.hasPrefix("127.") || ip == "::1" || ip == client.channel?.localAddress?.ipAddress
    }

    /// The connection that is refused takes down those that led to it, one by the other.
    private func breakLoop(_ count: Int, _ plan: Plan, isNews: Bool) {
        let reason =
            "\(count) connections to \(plan.target) were opened, each by the one before, and no server answered: "
            + "\(plan.target) leads back here through another proxy"
        if isNews { core.tell(reason) }
        fail(.connectFailed, DialFailure(kind: .dialsItself, reason: reason))
    }
}
