import Dissection
import NIOCore
import Reports

/// What goes between a client and the relay where requests have to be looked at on their way (HTTP mode, `--rewrite-host`).
protocol ClientBytesFilter: AnyObject {
    /// Takes what the client sent; what goes on is given to `Relay.pass`.
    func receive(_ bytes: ByteBuffer, at time: Timestamp, relay: Relay)
    /// Looks at what the server sent; gives how many of its first bytes go on to the client.
    func admits(_ answer: ByteBuffer) -> Int
    /// Does what comes of it, after the bytes went on and were recorded.
    func admitted(at time: Timestamp, relay: Relay)
    /// The client sends no more.
    func clientFinished(_ relay: Relay)
    /// The conversation is over; the client may go on to another server.
    func relayEnded(leavesClient: Bool)
}

/// Joins the two sides of one conversation: what one sends goes to the other, byte for byte and ending for ending.
///
/// Each run is written first and told to the recorder after. A side is read again only when the other side has taken
/// what was read before but for what `RelayMemory` has room for, and when the recorder has room; so a slow reader slows the
/// writer, and nothing piles up.
///
/// ```
/// client ─ bytes, closeNotify, fin, reset ─▶ write to server ─▶ recorder
/// server ─ bytes, closeNotify, fin, reset ─▶ write to client ─▶ recorder
/// ```
final class Relay: LegOwner {
    let client: Leg
    let server: Leg
    let conversation: UInt64
    private let recorder: Recorder
    private let memory: RelayMemory
    private var clientState = SideState()
    private var serverState = SideState()
    private var isOver = false
    /// That an urgent byte became an ordinary one was told.
    private var hasToldUrgent = false
    /// Called when the conversation is over; the channels may still have to close.
    var onEnd: (() -> Void)?
    /// Called once, at the server's first byte or the end of the conversation.
    var onAnswer: (() -> Void)?
    /// Watches for a change to TLS in mid-stream; none once it is clear that there will be none.
    var midstream: (any MidstreamWatch)?
    /// What a client makes of our certificate; none once it said something inside TLS.
    var reception: (any ReceptionWatch)?
    var filter: (any ClientBytesFilter)?
    /// The filter wants no more of the client's bytes.
    var isClientHeld = false {
        didSet { if oldValue, !isClientHeld { proceed(client) } }
    }

    /// How far one side has come.
    private struct SideState {
        /// It will send no more plaintext.
        var isFinished = false
        /// It waits for the other side or the recorder before it is read again.
        var isPaused = false
        /// Its connection is gone in this direction.
        var hasEnded = false
        /// Bytes of it that wait for the other side, as they were counted last.
        var waiting = 0
    }

    init(client: Leg, server: Leg, conversation: UInt64, recorder: Recorder, memory: RelayMemory) {
        self.client = client
        self.server = server
        self.conversation = conversation
        self.recorder = recorder
        self.memory = memory
    }

    deinit { memory.change(by: -(clientState.waiting + serverState.waiting)) }

    /// Takes both sides over, with what came while the session was finding out where to.
    func start(client clientInbox: Inbox, server serverInbox: Inbox) {
        client.attach(to: self)
        server.attach(to: self)
        for (leg, name) in [(client, "client"), (server, "server")] {
            let (recorder, conversation) = (recorder, conversation)
            leg.tls?.onStray = { recorder.find(.proxyStrayBytes, detail: name, in: conversation, at: .now) }
        }
        clientInbox.deliver(from: client)
        serverInbox.deliver(from: server)
        proceed(client)
        proceed(server)
    }

    // MARK: - LegOwner

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {
        if leg === client {
            if let reception {
                reception.accepted()
                self.reception = nil
            }
            if let filter { return filter.receive(bytes, at: time, relay: self) }
            if let midstream, midstream.takes(bytes, from: .client, at: time, relay: self) { return }
            server.write(bytes)
            recorder.received(bytes, from: .client, in: conversation, at: time)
        } else {
            if let onAnswer {
                self.onAnswer = nil
                onAnswer()
            }
            if let midstream, midstream.takes(bytes, from: .server, at: time, relay: self) { return }
            guard let filter else {
                serve(bytes)
                return recorder.received(bytes, from: .server, in: conversation, at: time)
            }
            let count = filter.admits(bytes)
            if count > 0 { serve(bytes.getSlice(at: bytes.readerIndex, length: count) ?? bytes) }
            // The records have what the server sent, and a finding says what did not go on.
            recorder.received(bytes, from: .server, in: conversation, at: time)
            filter.admitted(at: time, relay: self)
        }
    }

    private func serve(_ bytes: ByteBuffer) {
        client.write(bytes)
        reception?.served()
    }

    /// The urgent byte is urgent on the other side too, where nothing has to look at the bytes on their way and there is no TLS.
    func leg(_ leg: Leg, receivedUrgent bytes: ByteBuffer, at time: Timestamp) {
        let peer = leg === client ? server : client
        let isLookedAt = leg === client && filter != nil || midstream?.isHolding == true
        guard peer.tls == nil, !isLookedAt else {
            if !hasToldUrgent { recorder.find(.proxyUrgentByte, detail: "from the \(leg.side)", in: conversation, at: time) }
            hasToldUrgent = true
            return self.leg(leg, received: bytes, at: time)
        }
        if let midstream, midstream.takes(bytes, from: leg.side, at: time, relay: self) { return }
        guard leg === server, let filter else {
            peer.writeUrgent(bytes)
            return recorder.received(bytes, from: leg.side, in: conversation, at: time)
        }
        let count = filter.admits(bytes)
        if count > 0 { peer.writeUrgent(bytes.getSlice(at: bytes.readerIndex, length: count) ?? bytes) }
        recorder.received(bytes, from: .server, in: conversation, at: time)
        filter.admitted(at: time, relay: self)
    }

    func legHasRead(_ leg: Leg) { proceed(leg) }

    func legIsWritable(_ leg: Leg) {
        let source = leg === client ? server : client
        count(0, from: source)
        guard self[source].isPaused else { return }
        self[source].isPaused = false
        proceed(source)
    }

    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) {
        let peer = leg === client ? server : client
        if reception != nil { judge(WireEnding(ending), of: leg) }
        switch ending {
        case .closeNotify, .fin:
            if !self[leg].isFinished {
                if leg === client { letGo() }
                self[leg].isFinished = true
                recorder.finished(from: leg.side, in: conversation, at: time)
            }
            if ending == .fin { self[leg].hasEnded = true }
            // A FIN is the proper end where there is no TLS; inside TLS, FIN alone would tell of an attack (RFC 8446, section 6.1).
            if ending == .fin, leg.tls == nil, peer.tls != nil { peer.send(.closeNotify) }
            peer.send(ending)
            if clientState.isFinished, serverState.isFinished { finish(at: time) }
        case .reset:
            self[leg].hasEnded = true
            if !isOver, !clientState.isFinished { letGo() }
            if !isOver { recorder.reset(from: leg.side, in: conversation, at: time) }
            peer.send(.reset)
            leg.attach(to: nil)
            finish(at: time)
        }
    }

    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) {
        if reception != nil { judge(.broken(trouble), of: leg) }
        if !isOver { recorder.findRefusal(trouble, by: leg, in: conversation) }
        if trouble.isRefusedRenegotiation { breakOff(at: .now) }
        // The side cannot go on, and the other learns it as it would from a RST.
        self.leg(leg, ended: .reset, at: .now)
    }

    /// The records say that the proxy ended the conversation: it refused what one side asked for.
    private func breakOff(at time: Timestamp) {
        guard !isOver else { return }
        if !clientState.isFinished { letGo() }
        isOver = true
        let ends = Closing.Ends(client: client.peerEnd, server: server.peerEnd)
        recorder.close(.reset, by: .proxy, ends: ends, in: conversation, at: time)
        ended()
    }

    /// The first ending says what the client made of our certificate: after the server's it only follows.
    private func judge(_ ending: WireEnding, of leg: Leg) {
        if leg === client { reception?.ended(ending, of: client, conversation: conversation) }
        reception = nil
    }

    // MARK: - Flow

    /// Sends bytes of the client on, and records what it sent, which a filter may have changed.
    func pass(sent: ByteBuffer, relayed: ByteBuffer, at time: Timestamp) {
        server.write(relayed)
        recorder.received(sent, from: .client, in: conversation, at: time)
    }

    /// Says something about the conversation, while it lasts.
    func find(_ row: FindingRow, _ detail: String, at time: Timestamp) {
        recorder.find(row, detail: detail, in: conversation, at: time)
    }

    /// Ends the conversation with the server and leaves the client as it is, for another conversation.
    func leaveClient() {
        guard !isOver else { return }
        isOver = true
        recorder.close(.fin, by: .proxy, in: conversation, at: .now)
        server.attach(to: nil)
        server.close()
        ended(leavesClient: true)
    }

    /// Ends the conversation on the proxy's own account: both sides get a FIN.
    func stop(_ how: Closing.Manner, reason: String?) {
        guard !isOver else { return }
        if !clientState.isFinished { letGo() }
        isOver = true
        let ends = Closing.Ends(client: client.peerEnd, server: server.peerEnd)
        recorder.close(how, by: .proxy, ends: ends, reason: reason, in: conversation, at: .now)
        client.close()
        server.close()
        ended()
    }

    /// What is held of the client's bytes goes on, and into the records: no more of them will come.
    private func letGo() {
        filter?.clientFinished(self)
        midstream?.clientFinished(self)
    }

    private func ended(leavesClient: Bool = false) {
        onEnd?()
        onEnd = nil
        onAnswer?()
        onAnswer = nil
        filter?.relayEnded(leavesClient: leavesClient)
        filter = nil
        midstream = nil
    }

    private func proceed(_ leg: Leg) {
        guard !self[leg].isPaused, !(isClientHeld && leg === client) else { return }
        if !hasRoom(for: leg) {
            self[leg].isPaused = true
        } else if !recorder.hasRoom, let loop = leg.eventLoop {
            self[leg].isPaused = true
            let waiting = NIOLoopBound((self, leg), eventLoop: loop)
            recorder.whenRoom(on: loop) {
                let (relay, leg) = waiting.value
                guard relay[leg].isPaused else { return }
                relay[leg].isPaused = false
                relay.proceed(leg)
            }
        } else {
            leg.fitReads(isScarce: memory.isScarce)
            leg.read()
        }
    }

    /// Whether more of a side can be read, by what waits of it already.
    private func hasRoom(for leg: Leg) -> Bool {
        let peer = leg === client ? server : client
        guard let waiting = peer.waitingBytes, !peer.isClosed else {
            count(0, from: leg)
            return true
        }
        guard waiting != .max else { return false }
        count(waiting, from: leg)
        return memory.hasRoom(for: waiting)
    }

    private func count(_ waiting: Int, from leg: Leg) {
        memory.change(by: waiting - self[leg].waiting)
        self[leg].waiting = waiting
    }

    private func finish(at time: Timestamp) {
        guard !isOver else { return }
        isOver = true
        recorder.close(.fin, by: .unknown, in: conversation, at: time)
        ended()
    }

    private subscript(leg: Leg) -> SideState {
        get { leg === client ? clientState : serverState }
        _modify { if leg === client { yield &clientState } else { yield &serverState } }
    }
}
