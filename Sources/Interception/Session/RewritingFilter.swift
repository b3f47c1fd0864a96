import Dissection
import NIOCore
import Reports

/// Runs the requests of reverse mode through `HeaderRewriter`, and records each change as a finding. The records show what the
/// client sent.
final class RewritingFilter: ClientBytesFilter {
    private let recorder: Recorder
    private var rewriter: HeaderRewriter

    init(host: String?, origin: String?, recorder: Recorder) {
        self.recorder = recorder
        rewriter = HeaderRewriter(host: host, origin: origin)
    }

    func receive(_ bytes: ByteBuffer, at time: Timestamp, relay: Relay) {
        var rest = bytes
        while true {
            let (consumed, action) = rewriter.take(rest.readableBytesSpan)
            guard let taken = rest.readSlice(length: consumed) else { return }
            switch action {
            case .needMore: return
            case .head(let sent, let relayed, let change):
                relay.pass(sent: ByteBuffer(bytes: sent), relayed: ByteBuffer(bytes: relayed), at: time)
                if let change { recorder.find(.proxyHeaderRewritten, detail: change, in: relay.conversation, at: time) }
            case .relay: relay.pass(sent: taken, relayed: taken, at: time)
            case .tunnel(let held):
                relay.filter = nil
                if let trouble = rewriter.trouble { relay.find(.proxyHeaderKept, trouble, at: time) }
                for part in [ByteBuffer(bytes: held), rest] where part.readableBytes > 0 { relay.pass(sent: part, relayed: part, at: time) }
                return
            }
        }
    }

    func admits(_ answer: ByteBuffer) -> Int { answer.readableBytes }

    func admitted(at time: Timestamp, relay: Relay) {}

    func clientFinished(_ relay: Relay) {
        let held = ByteBuffer(bytes: rewriter.finish())
        if held.readableBytes > 0 { relay.pass(sent: held, relayed: held, at: .now) }
    }

    func relayEnded(leavesClient: Bool) {}
}
