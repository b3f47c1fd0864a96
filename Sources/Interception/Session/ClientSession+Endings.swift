import Dissection
import NIOCore
import Reports

// How a session ends before its conversation runs.

extension ClientSession {
    /// No server, or none that can be trusted: the records say so, and the front answers.
    func fail(_ how: Closing.Manner, _ failure: DialFailure) {
        guard phase != .over, phase != .relaying else { return }
        begin(at: dialledAt)
        // A client that has its tunnel takes what comes for the server's.
        let isTunnel = front.isTunnel && phase != .dialling
        beOver()
        leaveServer()
        let answer = front.answer(to: failure, how)
        if how == .tlsFailed, isTunnel, let answer, let offered = nature.offered, let plan, let conversation {
            // The conversation ends when the client has been told.
            serverInbox.record(from: .server, in: conversation, core.recorder)
            core.recorder.recordForeign(server, in: conversation)
            core.recorder.find(.proxyTLSFailed, detail: failure.reason, in: conversation, at: .now)
            TLSApology.begin(
                answer, to: client, at: Endpoint(clientAddress).address, offered: offered, early: clientInbox, serverEnd: peerEnds.server,
                plan: plan, in: conversation, core: core, on: loop)
            return forget()
        }
        if let conversation {
            recordUnsent(in: conversation)
            // A server that is the proxy itself could be reached, and is not to be.
            let isLoop = failure.kind == .dialsItself
            if isLoop { core.recorder.find(.proxyLoop, detail: failure.reason, in: conversation, at: .now) }
            if !isTunnel, let answer {
                if !isLoop, let row = how.proxyRow { core.recorder.find(row, detail: failure.reason, in: conversation, at: .now) }
                return end(with: answer, of: .init(core: core, number: conversation, how: how, serverEnd: peerEnds.server))
            }
            core.recorder.close(
                how, by: .proxy, ends: peerEnds, reason: isLoop ? nil : failure.reason, in: conversation, at: .now)
        }
        end(with: isTunnel ? nil : answer)
    }

    private func beOver() {
        phase = .over
        deadline?.cancel()
        forgetWatch()
    }

    private func leaveServer() {
        server?.attach(to: nil)
        server?.close()
    }

    /// How both sides have left, as far as they have.
    private var peerEnds: Closing.Ends { Closing.Ends(client: client.peerEnd, server: server?.peerEnd ?? .open) }

    /// The client reset its connection before there was a relay.
    func abandon(at time: Timestamp) {
        guard phase != .over else { return }
        begin(at: dialledAt)
        beOver()
        dialling?.cancel()
        if let conversation {
            recordUnsent(in: conversation)
            core.recorder.reset(from: .client, in: conversation, at: time)
            core.recorder.close(.reset, by: .client, in: conversation, at: time)
        }
        forget()
        server?.attach(to: nil)
        server?.send(.reset)
    }

    /// The proxy is stopped before a conversation runs.
    func stop() {
        switch phase {
        case .relaying, .over: return
        case .front: return clientIsGone(.proxyShutDown, "the proxy was stopped", .shutdown, by: .proxy)
        case .dialling, .deciding, .securingServer, .securingClient: break
        }
        let reason = phase == .dialling ? "the server was not reached yet" : "it had only begun"
        begin(at: dialledAt)
        beOver()
        dialling?.cancel()
        if let conversation {
            recordUnsent(in: conversation)
            core.recorder.close(.shutdown, by: .proxy, ends: peerEnds, reason: reason, in: conversation, at: .now)
        }
        forget()
        client.attach(to: nil)
        client.close()
        leaveServer()
    }

    /// What had come stands in the records, also where it goes nowhere.
    private func recordUnsent(in conversation: UInt64) {
        if let hello, serverInbox.isEmpty { core.recorder.received(hello, from: .client, in: conversation, at: .now) }
        front.recordUnsent(clientInbox, of: self, in: conversation)
        serverInbox.record(from: .server, in: conversation, core.recorder)
        for leg in [client, server] { core.recorder.recordForeign(leg, in: conversation) }
    }

    /// The client does not want our certificate, or the handshake with it failed in another way.
    func clientRefused(_ failure: TLSHandshakes.Failure) {
        guard phase == .securingClient, let plan, let conversation else { return }
        beOver()
        if !serverInbox.isEmpty { tellSecured(client: nil) }
        recordUnsent(in: conversation)
        handshakes.tellRefusal(
            failure, of: client, offered: nature.offered, plan: plan, client: Endpoint(clientAddress).address, in: conversation)
        core.recorder.close(.tlsFailed, by: .proxy, ends: peerEnds, in: conversation, at: .now)
        forget()
        client.close()
        leaveServer()
    }

    /// Ends a session that never had a conversation.
    func end() {
        phase = .over
        deadline?.cancel()
        forget()
        client.attach(to: nil)
        client.close()
    }
}
