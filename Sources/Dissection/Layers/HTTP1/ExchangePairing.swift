/// Which request a response belongs to, and what that means for both sides (RFC 9112, sections 9.2 and 9.3; RFC 9110, sections 7.8,
/// 9.3.6 and 10.1.1).
///
/// Requests wait in the order in which they have to be answered. Beside them stand five states, each with its own question: what became
/// of the request that is read now or was read last (`Latest`), whether a message may be missing (`Certainty`), whether the client's
/// next bytes are HTTP at all (`Switching`), whether a body comes (`Expectation`), and who spoke first (`Opening`).
///
/// | event | waiting | latest | certainty | switching | expectation | opening |
/// | --- | --- | --- | --- | --- | --- | --- |
/// | a request | one more | waiting | sure, where recovering and none waited | what it asks for | none | asked |
/// | one that has its response already | | apart | as above | | none | asked |
/// | one more than are counted | | beyond | doubtful | | none | asked |
/// | its body is to be asked for | | | | | awaited | |
/// | its body comes, or does not | | | | | none | |
/// | a response 1xx, but 101 | | | | | none, at a 100 to the last request | |
/// | a final response | one less | apart, where none waits | recovering, where doubtful | none, where its request asked | answered, where none waits | no more ahead |
/// | 101 | one less | apart, where none waits | recovering, where doubtful | none | | no more ahead |
/// | 408 for which the client was waited for | | apart, where none waits | recovering, where doubtful | | answered, where none waits | no more ahead |
/// | any that no request waits for, inside a head | | refused | | | | |
/// | the client has waited as long as it may | | | | its bytes wait no more | | |
/// | something is lost | | apart, where waiting | doubtful | | | |
/// | responses may be lost | | | | none, of an offer that is no WebSocket's | | |
/// | the server's start line is found again | the last one, unless sure | | | | | |
/// | bytes of a server before any request | | | | | | ahead |
///
/// What holds everywhere:
/// - A request has at most one final response, and responses go to requests in the order of these.
/// - A response is held against a side (`Answer.isMatched`) only while nothing may be missing. After a loss that is so again when the
///   client asks, a final response having come since, and nothing waits; not where the loss fell among requests in a pipeline.
/// - An offer of an upgrade is told of the request that made it, and once; only one is kept at a time.
/// - The client's bytes wait only for the response to a request that waits itself; it is the last one.
/// - No more requests wait than the limit allows, and the client is held no more than `mostHolds` times.
struct ExchangePairing {
    /// How sure it is which request a response belongs to.
    enum Certainty: UInt8 {
        case sure
        /// Something was lost: a request or a response may be missing.
        case doubtful
        /// As before, and a final response came since.
        case recovering
    }

    /// What became of the request that is read now, or was read last.
    private enum Latest: UInt8 {
        /// There is none, or its end concerns no one: it has its response, or something was lost since.
        case apart
        /// It is the last of those that wait.
        case waiting
        /// Too many wait: it is not counted.
        case beyond
        /// Not the one before it but the one whose head is still under way: it has been refused.
        case refused
    }

    /// Whether the client's bytes after a request wait for its response, because only that says what they are.
    private enum Switching {
        case none
        /// They do not, though the request offered an upgrade.
        case offered(OfferBox)
        case upgrade(OfferBox)
        /// CONNECT, perhaps with an offer, of itself or of an earlier request.
        case tunnel(OfferBox?)
    }

    /// Whether the body comes of a request that wants to be asked for it, by 100 (Continue).
    enum Expectation: UInt8 {
        /// Nothing else is to be expected.
        case none
        /// Nothing came of it yet.
        case awaited
        /// As before, but its final response came: the body may come, or the next request.
        case answered
    }

    /// The response that is read, or was read last.
    private enum Current: UInt8 {
        /// It is known which request it belongs to.
        case matched
        case unmatched
        /// The body of such a response is due: one to HEAD has none, whatever its head says.
        case unmatchedMayLackBody
    }

    /// An offer is rare and large: kept apart, so that a conversation without an upgrade does not pay for it.
    final class OfferBox {
        let offer: UpgradeOffer
        init(_ offer: UpgradeOffer) { self.offer = offer }
    }

    /// A client that asks for more upgrades than this in one connection means no good; its bytes are read as HTTP.
    static let mostHolds: UInt8 = 16

    var waiting = PendingRequests()
    private var latest = Latest.apart
    private(set) var isPipelined = false
    /// There was a moment at which no request waited, though it is not known what came before the first one that was seen.
    private var isInStep = false
    private var lastReceived: UInt32 = 0
    var certainty = Certainty.sure
    private var switching = Switching.none
    /// How often the client's bytes had to wait.
    private var holds: UInt8 = 0
    /// They have waited for that response as long as they may: nothing of the server was captured.
    private var hasLostAnswer = false
    private(set) var expectation = Expectation.none
    var opening = Opening.unasked
    /// Responses whose requests were not seen by then.
    var ahead = AheadResponses()
    private var hasResponded = false
    private var current = Current.matched

    var heldBytes: Int { waiting.heldBytes + (offer?.offer.head.count ?? 0) }

    private var offer: OfferBox? {
        switch switching {
        case .none: nil
        case .offered(let box), .upgrade(let box): box
        case .tunnel(let box): box
        }
    }

    // MARK: Requests

    /// What becomes of a request.
    enum Admission: Equatable {
        /// It waits for its response; `queue` it.
        case waits
        /// Its response came before it was whole.
        case isAnswered
        /// Too many wait; `isFirst`: the one before it did wait.
        case isBeyond(isFirst: Bool)
    }

    /// A request's head is there.
    ///
    /// - Parameters:
    ///   - limit: so many may wait.
    ///   - received: how much of the server's stream the client had when it sent the request, modulo 2^32, where that is known.
    ///   - headEnd: where its head ends in the client's stream, where it is known how much of that the server has had when.
    ///   - mayLackEarlier: of what the client sent before, the beginning was not seen.
    mutating func admit(limit: Int, received: UInt32? = nil, headEnd: UInt32? = nil, mayLackEarlier: Bool = false) -> Admission {
        expectation = .none
        noteAsked()
        if let headEnd, takeAhead(headEnd) {
            latest = .apart
            return .isAnswered
        }
        if waiting.isEmpty, hasResponded { isInStep = true }
        notePipelining(received)
        // A client that does not wait for responses may have sent requests before that wait as well.
        if mayLackEarlier, isPipelined, !isInStep, certainty == .sure { certainty = .doubtful }
        if waiting.isEmpty, certainty == .recovering, !isPipelined { certainty = .sure }
        if latest == .refused {
            latest = .apart
            return .isAnswered
        }
        guard waiting.count < max(1, limit) else {
            let isFirst = latest != .beyond
            latest = .beyond
            certainty = .doubtful
            return .isBeyond(isFirst: isFirst)
        }
        return .waits
    }

    /// Whether the offer of a request is kept: not beside one of a WebSocket that has no response yet.
    var takesOffer: Bool { offer?.offer.isWebSocket != true }

    /// A request waits from here on.
    ///
    /// - Parameters:
    ///   - name: what its response says of it.
    ///   - offer: the upgrade that it offers, where one `takesOffer`.
    ///   - isHeld: the client's bytes after it wait for what becomes of that.
    mutating func queue(
        _ request: PendingRequest.Traits, _ name: RequestName = RequestName(), headEnd: UInt32 = 0, offer: UpgradeOffer? = nil,
        isHeld: Bool = false
    ) {
        var traits = request
        if let offer {
            if self.offer != nil { waiting.forgetOffers() }
            traits.insert(.upgrade)
            let box = OfferBox(offer)
            switching = isHeld && mayHold() ? .upgrade(box) : .offered(box)
        }
        if traits.contains(.connect), mayHold() { switching = .tunnel(self.offer) }
        waiting.append(traits, name, headEnd: headEnd)
        latest = .waiting
    }

    /// Not again and again, because each time costs a copy of what waits.
    private mutating func mayHold() -> Bool {
        guard holds < ExchangePairing.mostHolds else { return false }
        holds += 1
        hasLostAnswer = false
        return true
    }

    /// Notes whether requests wait that the client sent one after the other, with nothing received in between: after a loss nobody can say
    /// how many responses are still to come.
    private mutating func notePipelining(_ received: UInt32?) {
        if waiting.isEmpty {
            if certainty == .sure { isPipelined = false }
        } else if let received, received == lastReceived {
            isPipelined = true
        }
        lastReceived = received ?? 0
    }

    /// The request's last byte came.
    mutating func endRequest(at time: Timestamp?) {
        if latest == .waiting { waiting.endLast(at: time) }
    }

    /// The request's body comes when it is asked for.
    mutating func awaitContinue() { expectation = .awaited }

    /// It is known whether the body comes.
    mutating func endExpectation() { expectation = .none }

    // MARK: Responses

    /// What a response is for the exchange that it belongs to.
    struct Answer {
        enum Meaning {
            /// Nothing but a response.
            case plain
            /// Both directions go on in another protocol. The offer, where its request was seen to make one.
            case switches(OfferBox?)
            /// Both directions go on in a tunnel.
            case opensTunnel
            case declines(OfferBox)
        }

        /// The request that it belongs to, as far as anyone can tell.
        var request: PendingRequest?
        /// That is sure; where there is no request, that there was none.
        var isMatched: Bool
        var isFinal: Bool
        /// When the request's last byte had come, where the time between them says something.
        var askedAt: Timestamp?
        /// The request that it belongs to, where that is sure.
        var asked: AskedRequest?
        /// Where what that says lies.
        fileprivate var nameStart = 0
        var meaning: Meaning
    }

    /// A response's head is there.
    ///
    /// - Parameters:
    ///   - isClientWhole: no request can have been missed.
    ///   - hasBegunRequest: the beginning of a request's head has come.
    ///   - received: how much of the client's stream the server had when it sent the response, where that is known.
    ///   - receivedBefore: how much it had when it sent the response before.
    ///   - mayLackEarlier: of what the server sent before, the beginning was not seen.
    mutating func respond(
        _ status: UInt16, isClientWhole: Bool, hasBegunRequest: Bool, received: UInt32? = nil, receivedBefore: UInt32 = 0,
        mayLackEarlier: Bool = false
    ) -> Answer {
        // That a server has waited in vain is no response to what it is asked later (RFC 9110, section 15.5.9).
        let isPremature = status == 408 && (spokeFirst || hasResponded && hadNothing(received, since: receivedBefore))
        let mayLackEarlier = mayLackEarlier && !hasResponded
        hasResponded = true
        let isFinal = status >= 200 || status == 101 || status < 100
        var isToAnother = false
        if let received, certainty != .sure || mayLackEarlier {
            skipAnswered(by: received)
            isToAnother = self.isToAnother(status, received)
        }
        let request = isPremature || isToAnother ? nil : waiting.first
        let isMatched = certainty == .sure && (request != nil || isClientWhole) && !isToAnother
        var answer = Answer(request: request, isMatched: isMatched, isFinal: isFinal, askedAt: nil, asked: nil, meaning: .plain)
        if certainty == .sure, let request {
            answer.asked = request.asked
            answer.nameStart = waiting.nameStart
        }
        current = isMatched ? .matched : .unmatched
        if request == nil, isMatched, hasBegunRequest, !isPremature { latest = .refused }
        if isFinal {
            if certainty == .sure { answer.askedAt = request?.ended }
            if let received, !isPremature, request == nil || certainty != .sure { ahead.note(received) }
            if request != nil { waiting.removeFirst() }
            if waiting.isEmpty, latest == .waiting { latest = .apart }
            if certainty == .doubtful { certainty = .recovering }
            endOpening()
        }
        if waiting.isEmpty || !isFinal && waiting.count == 1 { noteExpectation(status) }
        if status == 101 {
            answer.meaning = .switches(request?.traits.contains(.upgrade) == true ? offer : nil)
            switching = .none
        } else if isFinal, let request {
            if status / 100 == 2, request.traits.contains(.connect) {
                answer.meaning = .opensTunnel
                switching = .none
            } else if let declined = decline(request) {
                answer.meaning = .declines(declined)
            }
        }
        return answer
    }

    /// The method and the target of the request that a response was just found to belong to; valid until the next request is queued.
    @_lifetime(borrow self)
    func askedText(of answer: Answer) -> RawSpan {
        guard let asked = answer.asked else { return RawSpan() }
        return waiting.name(at: answer.nameStart, count: asked.target.end)
    }

    /// Bytes of the server that are no response: whether they answer a request of HTTP/0.9, which has its response with them.
    mutating func respondSimply() -> Bool {
        guard isFileDue else { return false }
        waiting.removeFirst()
        return true
    }

    /// The body of the response comes next.
    mutating func beginResponseBody() { if current == .unmatched { current = .unmatchedMayLackBody } }

    /// Whether the body that is due may not come, because the response may be one to HEAD. Asked once, at its first byte.
    var mayLackBody: Bool { current == .unmatchedMayLackBody }

    mutating func endLack() { current = .unmatched }

    /// It is not known which request the response that is read, or was read last, belongs to.
    var isUnmatched: Bool { current != .matched }

    private mutating func noteExpectation(_ status: UInt16) {
        guard expectation != .none else { return }
        if status == 100 { expectation = .none } else if status >= 200 { expectation = .answered }
    }

    /// A final response that is no 101: the offer of its request is refused, and the client's bytes are HTTP.
    private mutating func decline(_ request: PendingRequest) -> OfferBox? {
        let isUpgrade = request.traits.contains(.upgrade)
        switch switching {
        case .none: return nil
        case .offered(let box), .upgrade(let box):
            guard isUpgrade else { return nil }
            switching = .none
            return box
        case .tunnel(let box):
            let kept = isUpgrade ? nil : box
            if request.traits.contains(.connect) {
                switching = kept.map(Switching.offered) ?? .none
            } else {
                switching = .tunnel(kept)
            }
            return isUpgrade ? box : nil
        }
    }

    // MARK: Holding the client

    /// The client's bytes wait for a response that may still come.
    var isHoldingClient: Bool { isSwitchAwaited && !hasLostAnswer }

    /// Only a response would say what the client's bytes are.
    var isSwitchAwaited: Bool {
        switch switching {
        case .none, .offered: false
        case .upgrade, .tunnel: true
        }
    }

    /// What they wait for is whether a tunnel opens.
    var isTunnelAsked: Bool { if case .tunnel = switching { true } else { false } }

    /// A response that is lost now may be the one after which something else than HTTP is spoken.
    var mayLoseSwitch: Bool {
        switch switching {
        case .none, .offered: false
        case .upgrade(let box): box.offer.isWebSocket
        case .tunnel: true
        }
    }

    /// The response that would say what the client's bytes are was not captured.
    mutating func loseAnswer() { hasLostAnswer = isSwitchAwaited }

    /// No response will come that says what the client's bytes are.
    mutating func endHold() { (switching, hasLostAnswer) = (offer.map(Switching.offered) ?? .none, false) }

    // MARK: Losses and the end

    /// A request or a response may be missing.
    mutating func lose() {
        certainty = .doubtful
        if latest == .waiting { latest = .apart }
    }

    /// The response to an offer may be lost, and the next one another's: that to the offer of a WebSocket shows itself, and so does a tunnel.
    /// Returns whether there was one of something else, which may have been accepted.
    mutating func loseResponses() -> Bool {
        guard let offer, !offer.offer.isWebSocket, !isTunnelAsked else { return false }
        switching = .none
        return true
    }
}
