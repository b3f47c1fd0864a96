import Dissection
import NIOCore

/// The way to one server: the TCP connection, and through the proxy behind this one where there is one (`--via`).
///
/// Its leg belongs to it until the way is there, and then to whom `whenDone` gives it.
final class UpstreamDial: LegOwner {
    /// A server that was reached.
    struct Reached {
        let leg: Leg
        /// What it sent after the answer of the proxy on the way.
        let early: Inbox
    }

    private let core: ProxyCore
    private let loop: any EventLoop
    /// The proxy on the way; none before a Unix socket, which is on this machine.
    private let via: ViaURL?
    private var preamble: UpstreamPreamble?
    private var leg: Leg?
    private var deadline: Scheduled<Void>?
    private var whenDone: ((Result<Reached, DialFailure>) -> Void)?

    private init(via: ViaURL?, core: ProxyCore, loop: any EventLoop, whenDone: @escaping (Result<Reached, DialFailure>) -> Void) {
        self.core = core
        self.loop = loop
        self.via = via
        self.whenDone = whenDone
    }

    /// Begins; `whenDone` is called once, on the loop, unless the dial is cancelled.
    ///
    /// - Parameter marks: the proxies that the client has come through, for the proxy on the way.
    static func begin(
        _ destination: Destination, marks: [UInt8] = [], core: ProxyCore, on loop: any EventLoop,
        whenDone: @escaping (Result<Reached, DialFailure>) -> Void
    ) -> UpstreamDial {
        let dial = UpstreamDial(via: core.settings.via(to: destination), core: core, loop: loop, whenDone: whenDone)
        dial.connect(to: destination, marks)
        return dial
    }

    /// Nobody waits for it any more.
    func cancel() {
        whenDone = nil
        deadline?.cancel()
        leg?.attach(to: nil)
        leg?.close()
    }

    private func connect(to destination: Destination, _ marks: [UInt8]) {
        // A proxy on this machine would connect to this machine's own addresses.
        guard let via else { return dial(destination, marks) }
        let failure = DialFailure(SelfDialError(address: destination.description))
        if via.proxy.isLoopback, core.isClosed(destination) {
            return loop.assumeIsolated().execute { self.finish(.failure(failure)) }
        }
        guard let closed = core.isClosed(destination, via: via.proxy, on: loop) else { return dial(destination, marks) }
        closed.assumeIsolated().whenComplete { result in
            guard self.whenDone != nil else { return }
            if case .success(true) = result { self.finish(.failure(failure)) } else { self.dial(destination, marks) }
        }
    }

    private func dial(_ destination: Destination, _ marks: [UInt8]) {
        var next = destination
        if let via, let host = destination.host, let port = destination.port {
            preamble = UpstreamPreamble(
                via, to: HostPort(host: host, port: UInt16(clamping: port)),
                marks: (marks.isEmpty ? [] : marks + Array(", ".utf8)) + Array("1.1 \(core.mark)".utf8))
            next = Destination(via.proxy)
        }
        core.dialer.dial(next, on: loop).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let channel): self.connected(channel)
            case .failure(let error):
                var failure = DialFailure(error)
                // Else it would seem to be the server's.
                if let via = self.via { failure.reason = "\(via): \(failure.reason)" }
                self.finish(.failure(failure))
            }
        }
    }

    private func connected(_ channel: any Channel) {
        guard whenDone != nil else { return channel.close(mode: .all, promise: nil) }
        let tap = core.makeTap(.server)
        let leg = Leg(side: .server, mark: StreamSocket.prepare(channel), tap: tap)
        do {
            if let tap { try channel.pipeline.syncOperations.addHandler(tap, position: .first) }
            try channel.pipeline.syncOperations.addHandler(leg)
        } catch {
            return finish(.failure(DialFailure(error)))
        }
        self.leg = leg
        guard let preamble, let via else {
            return finish(.success(Reached(leg: leg, early: Inbox())))
        }
        leg.attach(to: self)
        leg.write(ByteBuffer(bytes: preamble.opening))
        deadline = loop.assumeIsolated().scheduleTask(in: core.settings.patience.connect) {
            self.finish(.failure(DialFailure(kind: .timedOut, reason: "\(via) did not answer in time")))
        }
        leg.read()
    }

    private func finish(_ result: Result<Reached, DialFailure>) {
        guard let done = whenDone else { return }
        whenDone = nil
        deadline?.cancel()
        if case .failure = result {
            leg?.attach(to: nil)
            leg?.close()
        }
        leg = nil
        done(result)
    }

    // MARK: - The proxy on the way

    func leg(_ leg: Leg, received bytes: ByteBuffer, at time: Timestamp) {
        guard via != nil else { return }
        var rest = bytes
        while var talk = preamble, whenDone != nil {
            let (consumed, action) = talk.take(rest.readableBytesSpan)
            preamble = talk
            rest.moveReaderIndex(forwardBy: consumed)
            switch action {
            case .needMore: return
            case .send(let answer): leg.write(ByteBuffer(bytes: answer))
            case .connected:
                var early = Inbox()
                if rest.readableBytes > 0 { early.append(rest, at: time) }
                return finish(.success(Reached(leg: leg, early: early)))
            case .failed(let failure):
                return finish(.failure(DialFailure(kind: DialFailure.Kind(failure.reply), reason: failure.reason)))
            }
        }
    }

    func legHasRead(_ leg: Leg) { leg.read() }

    func leg(_ leg: Leg, ended ending: LegEnding, at time: Timestamp) {
        guard let via else { return }
        finish(.failure(DialFailure(kind: .other, reason: "\(via) closed the connection without an answer")))
    }

    func legIsWritable(_ leg: Leg) {}
    func leg(_ leg: Leg, brokeWith trouble: TLSTrouble) {}
}

extension DialFailure.Kind {
    /// What another proxy's reply means.
    fileprivate init(_ reply: SOCKSReply) {
        self =
            switch reply {
            case .connectionRefused: .refused
            case .hostUnreachable: .hostUnreachable
            case .networkUnreachable: .networkUnreachable
            case .timeToLiveExpired: .timedOut
            default: .other
            }
    }
}
