import Dissection
import NIOCore
import Reports

// Clients that get no conversation.

extension ClientSession {
    /// There will be no conversation: the client gets `answer`, if there is one, and the connection ends. The records say why.
    ///
    /// - Parameter unread: bytes of the client that came after what is refused, and that go nowhere.
    func refuse(with answer: ByteBuffer?, as row: FindingRow = .proxyClientRefused, _ reason: String, unread: Int = 0) {
        guard let answer else {
            recordRefusal(reason, as: row)
            return end(with: nil)
        }
        end(with: answer, of: beginRefusal(reason, as: row), unread: unread)
    }

    /// Ends the client's connection with `answer`, or a RST where this is nil.
    ///
    /// - Parameters:
    ///   - conversation: what ends with it; none where that has ended.
    ///   - unread: bytes of the client that have come, and go nowhere.
    func end(with answer: ByteBuffer?, of conversation: LingeringClose.Conversation? = nil, unread: Int = 0) {
        phase = .over
        deadline?.cancel()
        forget()
        guard let answer else { return client.send(.reset) }
        client.write(answer)
        LingeringClose.begin(client, of: conversation, unread: unread, on: loop)
    }

    /// Ends the client's connection after what was written; parameters are those of `end`.
    func finish(of conversation: LingeringClose.Conversation? = nil, unread: Int = 0) {
        phase = .over
        deadline?.cancel()
        forget()
        LingeringClose.begin(client, of: conversation, unread: unread, on: loop)
    }

    /// The client got a page of the proxy's own, and may go on.
    func notePage() { wasServed = true }

    /// Goes on with a client that was between two servers when the first one's connection ended.
    func readOn() {
        guard phase == .front else { return }
        if client.hasPeerFinished { finish() } else { client.read() }
    }

    /// A client that has no conversation stands in the records as one that was refused, without a server.
    func recordRefusal(
        _ reason: String, as row: FindingRow = .proxyClientRefused, _ how: Closing.Manner = .refused, by closer: Closing.Closer = .proxy,
        target: String = ""
    ) {
        let number = beginRefusal(reason, as: row, target: target).number
        core.recorder.close(how, by: closer, in: number, at: .now)
    }

    /// The same for a client that was answered: it is over when the client has left, and what it still sent is counted.
    func beginRefusal(
        _ reason: String, as row: FindingRow = .proxyClientRefused, target: String = ""
    ) -> LingeringClose.Conversation {
        let time = Timestamp.now
        let number = core.recorder.begin(
            Beginning(
                client: LiveEndpoint(clientAddress), server: LiveEndpoint(nil), transport: isUnix ? .unix : .tcp,
                via: Via(mode: front.mode, target: Self.withoutUser(target)), isRefused: true),
            at: time)
        core.recorder.find(row, detail: reason, in: number, at: time)
        return LingeringClose.Conversation(core: core, number: number, how: .refused)
    }

    /// What a client asked for, without the user and password that a URL may have.
    ///
    /// A target is often malformed where a client is refused, so that whatever may be one goes.
    static func withoutUser(_ target: String) -> String {
        var start = target.startIndex
        if let scheme = target.firstRange(of: "://") {
            start = scheme.upperBound
        } else {
            start = target[start...].drop { $0 == "/" }.startIndex
        }
        let authority = target[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let end = authority.lastIndex(of: "@") else { return target }
        return String(target[..<start]) + String(target[target.index(after: end)...])
    }

    /// The client left, or was silent for too long, before there was a conversation. What it had begun is said; a client that was served
    /// before may go without a word.
    func clientIsGone(_ row: FindingRow, _ words: String, _ how: Closing.Manner, by closer: Closing.Closer) {
        if let refused = front.refusal {
            recordRefusal(refused)
        } else if let begun = front.unfinished {
            recordRefusal("\(words); \(begun)", as: row, how, by: closer)
        } else if !wasServed {
            recordRefusal("\(words); nothing was sent", as: row, how, by: closer)
        }
        end()
    }
}
