/// A connection that waits for a key: a key log that grows may have its line a moment after the packets that need it.
struct KeyWait {
    /// Whose record cannot be opened, and its header.
    let side: Side
    let header: TLSRecordHeader
    /// When it came.
    let since: Timestamp?
    /// What has come since.
    var runs = WaitingRuns()

    /// Longer is not waited: programs write a key before they use it.
    private static var longest: Int64 { 2_000_000_000 }

    func isTooLong(at now: Timestamp?) -> Bool {
        guard let since, let now else { return false }
        return now.nanoseconds(since: since) > Self.longest
    }
}

extension OpenedTLS {
    /// Begins to wait, where a record needs a key that may still come.
    func mustWait(for header: TLSRecordHeader, at record: Arrival) -> Bool {
        guard secrets.grows, !hasGivenUp, connection.lacksSecret(for: header, from: record.side) else { return false }
        wait = KeyWait(side: record.side, header: header, since: record.place.time)
        return true
    }

    /// Whether the wait is over: the key has come, or too much waits, or for too long.
    func isWaitOver(at now: Timestamp?, limit: Int) -> Bool {
        guard let wait, !hasGivenUp, connection.lacksSecret(for: wait.header, from: wait.side) else { return true }
        if wait.runs.heldBytes > limit || wait.isTooLong(at: now) { giveUpWaiting() }
        return hasGivenUp
    }

    /// Whether secrets that were waited for in vain are not looked for with this record: each look reads a file.
    func isLookingLater(at now: Timestamp?) -> Bool {
        guard hasGivenUp, secrets.grows, fit == .unknown else { return false }
        if let lookedAt, let now, (0..<Self.lookInterval).contains(now.nanoseconds(since: lookedAt)) { return true }
        // With some of them at hand, each record is tried.
        lookedAt = connection.knowsSecrets ? nil : now
        return false
    }

    private static var lookInterval: Int64 { 100_000_000 }

    /// Waits for no key any more.
    func giveUpWaiting() {
        guard let wait, !hasGivenUp else { return }
        hasGivenUp = true
        if connection.lacksSecret(for: wait.header, from: wait.side) {
            waitedInVain = UInt64(TLSRecordHeader.length + wait.header.fragmentLength + wait.runs.count)
        }
    }

    /// Tells why a record stays sealed, behind the record.
    ///
    /// - Parameter isCertain: it is a record, and not only what looks like one.
    func tellSealed<Sink: ConversationSink & ~Copyable>(
        _ reason: TLSUnopened, _ header: TLSRecordHeader, isCertain: Bool, at record: Arrival, context: inout ConversationContext,
        sink: inout Sink
    ) {
        if let waited = waitedInVain {
            waitedInVain = nil
            context.emit(.tlsKeyAwaited, a: waited, at: record, sink: &sink)
        }
        // That there are no keys at all is said where it is told what was agreed on.
        guard !isDone, fit != .noAndTold else { return }
        if fit == .no {
            fit = .noAndTold
            return context.emit(.tlsSecretsUnfit, at: record, sink: &sink)
        }
        // What cannot be placed after a loss was not changed by anybody.
        let isAfterLoss = reason == .notAuthentic && isAfterLoss(of: record.side)
        switch isAfterLoss ? .unsynchronised : reason {
        case .notAuthentic, .recordTooShort, .contentTypeMissing:
            if isCertain { context.emit(.tlsRecordNotAuthentic, a: UInt64(header.fragmentLength), at: record, sink: &sink) }
        case .secretMissing, .secretUnfit, .versionUnsupported, .suiteUnsupported, .compressed, .unsynchronised:
            guard fit == .yes || hasLooked && connection.knowsSecrets, isFirstSealed(of: record.side) else { return }
            let isLost = isAfterLoss || isIncomplete
            let text = Array((isAfterLoss ? .unsynchronised : reason).words(isAfterLoss: isLost).utf8)
            context.emit(.tlsRecordSealed, at: record, content: text.rawBytes, sink: &sink)
        }
    }
}

extension TLSUnopened {
    /// For a sentence.
    ///
    /// - Parameter isAfterLoss: bytes of the connection are missing.
    fileprivate func words(isAfterLoss: Bool) -> String {
        switch self {
        case .secretMissing: "the secret that it takes is not among the keys"
        case .secretUnfit: "the secret does not have the length that the cipher suite wants"
        case .versionUnsupported: "this version of TLS is not decrypted"
        case .suiteUnsupported: "this cipher suite is not decrypted"
        case .compressed: "it is compressed"
        case .unsynchronised where isAfterLoss: "too much was lost before it"
        case .unsynchronised: "it depends on records before it that were not opened"
        case .recordTooShort, .notAuthentic, .contentTypeMissing: "it is not authentic"
        }
    }
}
