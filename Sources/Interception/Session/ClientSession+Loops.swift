import Dissection
import NIOCore

// A dial that may lead back to this proxy.

extension ClientSession {
    /// Dials, at once or after a moment, unless the target turned out to lead back here.
    func dialUnlessLooping(_ plan: Plan, at time: Timestamp) {
        watched = watchedKey(plan)
        switch watched.map({ key in core.watch { $0.arrived(key, at: time) } }) {
        case nil, .dial?: dialNow()
        case .hold?:
            loop.assumeIsolated().scheduleTask(in: .nanoseconds(LoopWatch.holding)) { self.dialNow() }
        case .loop(let count)?:
            // Where the system tells who the client is, it has to be another proxy.
            let isProxy = OwnKind.isProxy(client: clientAddress, listener: client.channel?.localAddress)
            if isProxy == false || isProxy == nil && isOfThisMachine { dialNow() } else { breakLoop(count, plan) }
        }
    }

    private func dialNow() {
        guard phase == .dialling, let plan else { return }
        let watched = watched
        dialling = UpstreamDial.begin(
            plan.destination, marks: plan.via, core: core, on: loop,
            whenConnected: {
                if let watched { self.core.watch { $0.dialled(watched, at: .now) } }
            },
            whenDone: { result in
                self.dialling = nil
                switch result {
                case .success(let reached): self.connected(reached)
                case .failure(let failure): self.fail(.connectFailed, failure)
                }
            })
    }

    /// What a loop through another proxy is known by, in the ways in where it cannot be known by the bytes.
    private func watchedKey(_ plan: Plan) -> LoopWatch.Key? {
        guard core.settings.via != nil || front.mode == "reverse" || front.mode == "transparent", let clientAddress else { return nil }
        return LoopWatch.Key(source: Endpoint(clientAddress).address.unmapped, target: plan.target)
    }

    /// The connection has come to an end, which those of a loop do not.
    func forgetWatch() {
        if let watched { core.watch { $0.cleared(watched) } }
    }

    private var isOfThisMachine: Bool {
        guard let ip = clientAddress?.ipAddress else { return true }
        return ip.hasPrefix("127.") || ip == "::1" || ip == client.channel?.localAddress?.ipAddress
    }

    /// The connection that is refused takes down those that led to it, one by the other.
    private func breakLoop(_ count: Int, _ plan: Plan) {
        let reason =
            "\(count) connections to \(plan.target) were opened, each by the one before, and no server answered: "
            + "\(plan.target) leads back here through another proxy"
        core.tell(reason)
        begin(at: dialledAt)
        if let conversation { core.recorder.find(.proxyLoop, detail: reason, in: conversation, at: .now) }
        fail(.connectFailed, DialFailure(kind: .dialsItself, reason: "it would lead back to this proxy"))
    }
}
