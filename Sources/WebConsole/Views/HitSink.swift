import Dissection
import Reports

/// Takes the events of the records that a view is about, and says of each whether it shows it.
struct HitSink: ConversationSink {
    let request: ViewRequest
    private let filter: ViewFilter?
    private let payloads: DecodingStage
    private let heartbeats: HeartbeatWatch?
    /// The record that is read is the end of a conversation. Ends without a record, of a run that was killed, are not rows.
    var expectsClosed = false
    /// The event of the record is one of those that the view shows.
    private(set) var isHit = false
    private(set) var hidden = ConsoleView.Hidden()

    init(_ request: ViewRequest) {
        self.request = request
        filter = request.filter != nil || request.search != nil ? ViewFilter(request) : nil
        payloads = DecodingStage(filter?.wantsDecoded == true ? .standard : .none)
        heartbeats = request.showsHeartbeats ? nil : HeartbeatWatch()
    }

    var heldBytes: Int { (filter?.heldBytes ?? 0) }
    var givenUp: UInt64 { filter?.givenUp ?? 0 }

    /// The next record is read.
    mutating func begin(kind: String) {
        isHit = false
        expectsClosed = kind == "closed"
    }

    mutating func receive(_ event: borrowing ConversationEvent) {
        let isBeat = heartbeats?.isHeartbeat(event) ?? false
        let verdict = filter.map { $0.look(event, payloads.read(event, for: $0)) } ?? .shown
        if event.kind == .closed, !expectsClosed { return }
        // What is about the input itself is found by no filter.
        if event.conversation == 0, filter != nil { return }
        if let time = event.place.time?.nanoseconds {
            if let since = request.since, time < since { return }
            if let until = request.until, time > until { return }
        } else if request.since != nil || request.until != nil {
            return
        }
        switch verdict {
        case .hiddenByFilter: hidden.filter += 1
        case .hiddenBySearch: hidden.search += 1
        case .shown where isBeat: hidden.heartbeats += 1
        case .shown: isHit = true
        }
    }
}
