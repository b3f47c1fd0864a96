import Dissection

/// Sees when the peers of a plaintext connection agree to go on in TLS, so that the relay looks at the client's next bytes.
///
/// It arms a look, no more: the relay still wants a whole ClientHello. It reads the first 64 KiB of both directions together, keeps at
/// most a line of each, and gives up for good once the conversation is plainly something else.
///
/// | protocol | the client says | the server agrees |
/// | --- | --- | --- |
/// | SMTP, LMTP (RFC 3207), NNTP (RFC 4642), IRC | `STARTTLS` | `220`, `382`, `:name 670` |
/// | IMAP (RFC 9051, section 6.2.1), ManageSieve (RFC 5804) | `tag STARTTLS`, `STARTTLS` | `tag OK`, `OK` |
/// | POP3 (RFC 2595) | `STLS` | `+OK` |
/// | FTP (RFC 4217) | `AUTH TLS` | `234` |
/// | XMPP (RFC 6120, section 5) | `<starttls` | `<proceed` |
/// | HTTP (RFC 9110, section 9.3.6) | `CONNECT` and an empty line | a head with 2xx |
/// | PostgreSQL | SSLRequest | `S` |
/// | LDAP (RFC 4511, section 4.14) | the StartTLS request | success |
package struct StartTLSWatch: Sendable {
    package enum Verdict: Hashable, Sendable {
        case watching
        /// The client's next bytes may be a ClientHello. Look at them before they go on; if they are none, they are shown to `see` as
        /// any others.
        case look
        /// Nothing will come of it: do not call again.
        case over
    }

    /// What the client asked for, and what the server has to say to it.
    private enum Asked {
        case nothing
        case command
        /// IMAP: the answer begins with this.
        case tagged([UInt8])
        case stream
        case connect
        /// The head of an accepting answer has begun.
        case connectAccepted
        case binary

        var isStream: Bool {
            if case .stream = self { true } else { false }
        }
    }

    /// Bytes of both directions.
    static let reach = 65_536
    /// Looks that may fail.
    static let mostLooks = 4

    private(set) var verdict = Verdict.watching
    private var seen = 0
    private var looks = 0
    private var asked = Asked.nothing
    private var clientLine = ConversationLine()
    private var serverLine = ConversationLine()
    private var isConnectHead = false
    private var startTLS = TagScan("<starttls")
    private var proceed = TagScan("<proceed")
    private var binary = BinaryTLSRequest()
    private var hasClient = false
    private var hasServer = false

    package init() {}

    /// Takes what one side sent, in the order of its bytes.
    package mutating func see(_ bytes: RawSpan, from side: Side) -> Verdict {
        guard verdict != .over, bytes.byteCount > 0 else { return verdict }
        if verdict == .look {
            // The server has agreed and has nothing to add; a client that comes here did not begin with a ClientHello.
            guard side == .client else { return .look }
            looks += 1
            verdict = looks < StartTLSWatch.mostLooks ? .watching : .over
            forget()
        }
        let count = min(bytes.byteCount, StartTLSWatch.reach - seen)
        for index in 0..<count where verdict == .watching {
            if side == .client { takeClient(bytes[index]) } else { takeServer(bytes[index]) }
            // No conversation in lines or in XML has it.
            if bytes[index] == 0, !binary.isSpoken, verdict == .watching { verdict = .over }
        }
        seen += count
        if seen >= StartTLSWatch.reach, verdict == .watching { verdict = .over }
        return verdict
    }

    private mutating func forget() {
        asked = .nothing
        isConnectHead = false
        clientLine = ConversationLine()
        serverLine = ConversationLine()
    }

    // MARK: - The client

    private mutating func takeClient(_ byte: UInt8) {
        if !hasClient, !hasServer, !BinaryTLSRequest.mayBegin(byte), !ConversationLine.isText(byte) {
            verdict = .over
            return
        }
        hasClient = true
        switch binary.takeClient(byte) {
        case .undecided: break
        case .request: asked = .binary
        case .none: if case .binary = asked { asked = .nothing }
        case .never:
            verdict = .over
            return
        }
        if startTLS.take(byte) { asked = .stream }
        guard let line = clientLine.take(byte) else { return }
        if isConnectHead {
            guard line.isEmpty else { return }
            isConnectHead = false
            asked = .connect
        } else {
            takeCommand(line)
        }
    }

    private mutating func takeCommand(_ line: [UInt8]) {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false).map { $0.map(\.lowercased) }
        func isWord(_ index: Int, _ word: String) -> Bool { index < words.count && words[index].elementsEqual(word.utf8) }
        if words.count == 1, isWord(0, "starttls") || isWord(0, "stls") {
            asked = .command
        } else if words.count == 2, isWord(1, "starttls"), !words[0].isEmpty {
            asked = .tagged(Array(line.prefix(words[0].count)) + Array(" ok".utf8))
        } else if words.count == 2, isWord(0, "auth"), isWord(1, "tls") || isWord(1, "ssl") {
            asked = .command
        } else if words.count == 3, isWord(0, "connect"), words[2].starts(with: "http/1.".utf8) {
            isConnectHead = true
        } else if !line.isEmpty, !asked.isStream {
            // The client goes on without TLS. In XML a line says nothing.
            asked = .nothing
        }
    }

    // MARK: - The server

    private mutating func takeServer(_ byte: UInt8) {
        if case .binary = asked {
            switch binary.takeServer(byte) {
            case .undecided: return
            case .agreed:
                verdict = .look
                return
            case .declined: asked = .nothing
            case .never:
                verdict = .over
                return
            }
        } else if !hasServer, !ConversationLine.isText(byte), !binary.isSpoken {
            verdict = .over
            return
        }
        hasServer = true
        if proceed.take(byte), case .stream = asked {
            verdict = .look
            return
        }
        guard let line = serverLine.take(byte) else { return }
        takeReply(line)
    }

    private mutating func takeReply(_ line: [UInt8]) {
        let small = line.map(\.lowercased)
        func begins(_ text: String) -> Bool { small.starts(with: text.utf8) }
        switch asked {
        case .command:
            let isIRC =
                small.first == UInt8(ascii: ":") && small.split(separator: 0x20).dropFirst().first?.elementsEqual("670".utf8) == true
            if isIRC || ["220 ", "234 ", "382 ", "+ok", "ok"].contains(where: begins) { verdict = .look }
            // A reply may have nothing after its code.
            if line.count == 3, ["220", "234", "382"].contains(where: begins) { verdict = .look }
        case .tagged(let expected):
            if small.starts(with: expected.map(\.lowercased)), small.count == expected.count || small[expected.count] == 0x20 {
                verdict = .look
            }
        case .connect:
            // Its other lines may be anything, those of a body included.
            let isStatus = begins("http/1.") && small.count >= 10 && small[8] == 0x20
            if isStatus, small[9] == UInt8(ascii: "2") { asked = .connectAccepted }
        case .connectAccepted: if line.isEmpty { verdict = .look }
        case .nothing, .stream, .binary:
            // An answer of HTTP to something else than CONNECT.
            if begins("http/1."), !isConnectHead { verdict = .over }
        }
    }
}
