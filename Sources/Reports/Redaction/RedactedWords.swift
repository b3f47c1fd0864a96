import Dissection

// Words that are told beside events: lines on standard error, comments of a recording.

extension RedactionPlan {
    /// What is left of a text when its secrets are hidden. For texts that are few: what is looked for is made ready each time.
    package func left(of text: String) -> String { RedactionRules(self).left(of: text) }
}

extension RedactionRules {
    /// What is left of a text when its secrets are hidden, with the same marks as everywhere in the run.
    func left(of text: String) -> String {
        let bytes = Array(text.utf8)
        var work = HeadRedaction(bytes, self)
        work.take(ByteRange(0..<bytes.count))
        return work.found.isEmpty ? text : String(decoding: work.found.apply(to: bytes), as: UTF8.self)
    }
}

extension RelayedEvent {
    /// The same with the secrets hidden in what is said; what was relayed stays as it is.
    @_lifetime(copy self)
    func redacted(_ rules: RedactionRules) -> RelayedEvent {
        switch fact {
        case .began(var opening):
            opening.comment = rules.left(of: opening.comment)
            opening.serverHostName = opening.serverHostName.map { rules.left(of: $0) }
            return RelayedEvent(.began(opening), from: side, at: place, time, bytes: bytes, isOfConnection: isOfConnection)
        case .comment(let text):
            let left = rules.left(of: text)
            return RelayedEvent(.comment(left), from: side, at: place, time, bytes: bytes, isOfConnection: isOfConnection)
        case .closed(let how, let closer, let ends, let reason):
            let reason = reason.map { rules.left(of: $0) }
            return RelayedEvent(
                .closed(how, closer, ends: ends, reason: reason), from: side, at: place, time, bytes: bytes, isOfConnection: isOfConnection)
        case .bytes, .finished, .reset, .secrets, .left: return self
        }
    }
}
