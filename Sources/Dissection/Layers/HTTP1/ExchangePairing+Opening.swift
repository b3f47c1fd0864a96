/// Who speaks first: a server's bytes may stand before the request that they answer.
extension ExchangePairing {
    enum Opening {
        /// The client has asked nothing so far.
        case unasked
        /// As before, and the server has spoken, first at that time: its bytes wait for a request.
        case ahead(since: Timestamp)
        /// The client has asked, or the server's bytes have waited as long as they may.
        case asked
        /// As before, and what the server said ahead of it has had no final response in it yet.
        case askedAfterwards
    }

    /// The server's bytes may stand before the request that they answer.
    var isUnasked: Bool {
        guard certainty == .sure else { return false }
        switch opening {
        case .unasked, .ahead: return true
        case .asked, .askedAfterwards: return false
        }
    }

    /// Since when its bytes wait for a request.
    var aheadSince: Timestamp? { if case .ahead(let since) = opening { since } else { nil } }

    /// The server has spoken before any request.
    var spokeFirst: Bool {
        switch opening {
        case .ahead, .askedAfterwards: true
        case .unasked, .asked: false
        }
    }

    /// The server speaks although nothing was asked.
    mutating func speakAhead(at time: Timestamp) { if case .unasked = opening { opening = .ahead(since: time) } }

    /// Its bytes have waited for a request as long as they may.
    mutating func stopWaiting() { opening = spokeFirst ? .askedAfterwards : .asked }

    mutating func endOpening() {
        switch opening {
        case .unasked, .asked: break
        case .ahead: opening = .unasked
        case .askedAfterwards: opening = .asked
        }
    }

    /// A request came.
    mutating func noteAsked() {
        switch opening {
        case .asked, .askedAfterwards: break
        case .unasked: opening = .asked
        case .ahead: opening = .askedAfterwards
        }
    }

    /// The next response is due to a request of HTTP/0.9: it is a file without a head, which may begin with anything.
    var isFileDue: Bool { waiting.first?.traits.contains(.simple) == true }
}
