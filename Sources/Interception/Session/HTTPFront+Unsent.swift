import Dissection
import NIOCore
import Reports

// Requests that were taken from a client and reach no server: each stands in the records, with the conversation that it would have begun.

extension HTTPFront {
    /// The server could not be had: the request for it, and whatever the client has sent after that.
    func recordUnsent(_ inbox: Inbox, of session: ClientSession, in conversation: UInt64) {
        guard !isTunnel else { return inbox.record(from: .client, in: conversation, session.core.recorder) }
        var requests = UnsentRequests(session: session, conversation: conversation, reason: "the one before it had failed")
        if let head { requests.take(ByteBuffer(bytes: head.sent)) }
        requests.run(&machine, inbox.bytes)
        if inbox.isFinished { session.core.recorder.finished(from: .client, in: conversation, at: .now) }
    }

    /// The conversation with a server is over while the client's next request waited for its end.
    func recordWaiting(of session: ClientSession) {
        let bytes = waiting ?? ByteBuffer()
        guard waiting != nil || machine.heldBytes > 0 else { return }
        waiting = nil
        var requests = UnsentRequests(session: session, reason: "it waited for the response of the server before, and that did not come")
        requests.run(&machine, bytes)
    }
}

/// Puts requests that go nowhere into the records.
private struct UnsentRequests {
    let session: ClientSession
    /// What the bytes are told of; none before the first request.
    var conversation: UInt64?
    /// The conversation is one that was begun here, and ends here.
    private var isOwn = false
    /// Why a request was not sent.
    let reason: String

    private var recorder: Recorder { session.core.recorder }

    init(session: ClientSession, conversation: UInt64? = nil, reason: String) {
        self.session = session
        self.conversation = conversation
        self.reason = reason
    }

    func take(_ bytes: ByteBuffer) {
        if let conversation, bytes.readableBytes > 0 { recorder.received(bytes, from: .client, in: conversation, at: .now) }
    }

    /// Goes through all that a client sent, as if there were no answers to wait for.
    mutating func run(_ machine: inout HTTPProxyRequests, _ bytes: ByteBuffer) {
        var rest = bytes
        machine.leaveServer()
        steps: while true {
            let (consumed, action) = machine.take(rest.readableBytesSpan)
            guard let taken = rest.readSlice(length: consumed) else { break }
            switch action {
            case .needMore, .end: break steps
            case .discard: continue
            case .forward(let head):
                if head.opens { begin(Plan(forwarding: head)) }
                take(ByteBuffer(bytes: head.sent))
            case .connect(let asked):
                begin(Plan(connecting: asked))
                take(rest)
                break steps
            case .relay: take(taken)
            case .tunnel(let held):
                take(ByteBuffer(bytes: held))
                take(rest)
                break steps
            case .awaitAnswers: machine.leaveServer()
            case .answer(let answer):
                session.recordRefusal("\(answer.words); \(reason)", target: answer.target)
                if answer.closes { break steps }
            case .close(_, let words):
                session.recordRefusal("\(words); \(reason)")
                break steps
            }
        }
        let count = machine.heldBytes
        if count > 0 { session.recordRefusal("\(count) \(count == 1 ? "byte" : "bytes") of a request had come; \(reason)") }
        end()
    }

    private mutating func begin(_ plan: Plan) {
        end()
        let number = recorder.begin(session.beginning(plan), at: .now)
        (conversation, isOwn) = (number, true)
        recorder.find(.proxyRequestWithheld, detail: reason, in: number, at: .now)
    }

    private mutating func end() {
        if isOwn, let conversation { recorder.close(.refused, by: .proxy, in: conversation, at: .now) }
        (conversation, isOwn) = (nil, false)
    }
}

extension LocalAnswer {
    /// What a client that is refused gets, for the records.
    var words: String { reason.map { "\(status), \($0)" } ?? "\(status)" }
}

extension Plan {
    /// Where a CONNECT leads.
    init(connecting asked: HostPort) {
        self.init(destination: Destination(asked), serverTLS: .asTheClient, target: asked.description)
    }

    /// Where a plain request goes.
    init(forwarding head: ForwardedHead) {
        self.init(destination: Destination(head.origin), serverTLS: .never, target: "http://\(head.origin)", isPlaintext: true)
    }
}
