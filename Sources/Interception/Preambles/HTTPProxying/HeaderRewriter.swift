import Dissection

/// Replaces `Host` and `Origin` in the requests of a plain HTTP/1 client (`--rewrite-host`, `--rewrite-origin`), and nothing else.
///
/// It follows the requests of one connection from head to head. What cannot be followed any further, such as another protocol
/// after an upgrade or faulty framing, passes as it is from there on.
struct HeaderRewriter: Sendable {
    enum Action: Hashable, Sendable {
        /// All was taken; the next bytes decide.
        case needMore
        /// A head: what the client sent, what goes on, and what was changed, in words; nil where nothing was.
        case head(sent: [UInt8], relayed: [UInt8], change: String?)
        /// The bytes that were taken go on as they are.
        case relay
        /// These bytes, which were held, and everything that follows go on as they are: call no more.
        case tunnel([UInt8])
    }

    private enum State {
        case head
        case body(BodyExtent, offersUpgrade: Bool)
        /// The next byte tells a request from the protocol that was offered: no frame of a WebSocket client begins like a method.
        case upgradeOffered
        case tunnel
    }

    private let host: String?
    private let origin: String?
    private var state = State.head
    private var head = HeadBuffer()
    /// Why requests go on as they are, where that was not agreed on by an upgrade.
    private(set) var trouble: String?

    /// - Parameters:
    ///   - host: the new value of `Host`; nil leaves it alone.
    ///   - origin: the new value of `Origin` where a request has one; nil leaves it alone.
    init(host: String?, origin: String?) {
        self.host = host
        self.origin = origin
    }

    /// Takes bytes of the client, and says what to do about the first thing that they make whole. Call it again with the rest
    /// until it needs more or opens a tunnel.
    mutating func take(_ bytes: RawSpan) -> (consumed: Int, action: Action) {
        switch state {
        case .tunnel: return (0, .tunnel([]))
        case .upgradeOffered:
            guard bytes.byteCount > 0 else { return (0, .needMore) }
            guard bytes[0].isTokenCharacter else { return (0, openTunnel()) }
            state = .head
            return take(bytes)
        case .body(var extent, let offersUpgrade):
            if extent.state == .open {
                guard bytes.byteCount > 0 else { return (0, .needMore) }
                let consumed = extent.take(bytes, from: 0)
                state = .body(extent, offersUpgrade: offersUpgrade)
                if consumed > 0 { return (consumed, .relay) }
            }
            if extent.state == .lost { return (0, openTunnel("nobody can tell where the body of a request ends")) }
            state = offersUpgrade ? .upgradeOffered : .head
            return take(bytes)
        case .head: return takeHead(bytes)
        }
    }

    /// The client sends no more: what is held of a head goes on.
    mutating func finish() -> [UInt8] {
        defer { head = HeadBuffer() }
        return head.bytes
    }

    private mutating func takeHead(_ bytes: RawSpan) -> (Int, Action) {
        guard bytes.byteCount > 0 else { return (0, .needMore) }
        let consumed = head.take(bytes)
        if head.start < head.bytes.count, !head.bytes[head.start].isTokenCharacter { return (consumed, openTunnel(Self.notHTTP)) }
        switch head.state {
        case .partial: return (consumed, .needMore)
        case .tooLong: return (consumed, openTunnel("the head of a request is longer than 64 KiB"))
        case .whole: break
        }
        guard let whole = try? ProxyRequestHead(head.bytes, from: head.start) else { return (consumed, openTunnel(Self.notHTTP)) }
        head = HeadBuffer()
        state = .body(BodyExtent(whole.framing), offersUpgrade: whole.offersUpgrade || whole.isMethod("CONNECT"))
        return (consumed, rewrite(whole))
    }

    private func rewrite(_ head: ProxyRequestHead) -> Action {
        var edits: [(range: Range<Int>, text: [UInt8])] = []
        var changes: [String] = []
        func replace(_ name: String, _ lines: [MessageFields.Line], with text: String?, words: (ArraySlice<UInt8>) -> String) {
            guard let text else { return }
            for line in lines where !head.bytes[line.value].elementsEqual(text.utf8) {
                edits.append((line.value, Array(text.utf8)))
                changes.append("\(name): \(words(head.bytes[line.value])) became \(text)")
            }
        }
        replace("Host", head.fields.hosts, with: host, words: ForwardedHead.words(ofHost:))
        replace("Origin", head.fields.origins, with: origin) { String(decoding: $0, as: UTF8.self) }
        guard !edits.isEmpty else { return .head(sent: head.bytes, relayed: head.bytes, change: nil) }
        var relayed = head.bytes
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) { relayed.replaceSubrange(edit.range, with: edit.text) }
        return .head(sent: head.bytes, relayed: relayed, change: changes.joined(separator: "; "))
    }

    private static let notHTTP = "what the client sent is not an HTTP/1 request"

    private mutating func openTunnel(_ trouble: String? = nil) -> Action {
        state = .tunnel
        self.trouble = trouble
        return .tunnel(finish())
    }
}
