/// What is encrypted in one direction: which keys hold, where a record stands among those under them, and how both are found again after
/// a loss.
///
/// ```
/// TLS 1.2   clear ── ChangeCipherSpec ──> keys of the session ── ChangeCipherSpec (renegotiation) ──> keys of the next
/// TLS 1.3   clear ── ServerHello ──> [early] ── EndOfEarlyData ──> handshake ── Finished ──> traffic 0 ── KeyUpdate ──> traffic 1 …
/// ```
struct DecryptedDirection {
    enum Epoch: Equatable {
        case clear
        /// TLS 1.2 and before.
        case session
        case early
        case handshake
        case traffic(UInt16)
    }

    let side: Side
    private(set) var epoch = Epoch.clear
    private var opener: (any TLSRecordOpener)?
    /// The traffic secret that `opener` was made of, for the one that follows it.
    private var secret: [UInt8] = []
    /// It has opened a record: it was made of the right secret.
    private(set) var isProven = false
    /// Of the next record.
    private var sequence: UInt64 = 0
    /// Records were lost, nobody knows how many.
    private var isAfterGap = false
    /// Records since the last change of keys that were not opened: the keys may have changed among them.
    private var unread: UInt64 = 0
    /// Records in a row that no key fitted.
    private var failures = 0
    /// Something was lost since the last record that was opened: a change of keys may have been among it.
    private var mayHaveChanged = false
    /// How often the keys have changed.
    private var changes: UInt64 = 0
    /// Another session holds than any that was seen to be agreed on.
    private(set) var isUnagreed = false

    /// How far a record may stand from where it is expected after a loss.
    private static let window: UInt64 = 64
    /// After more records that no key fits, none is tried: the secrets are wrong, or too much was lost.
    private static let mostFailures = 32

    init(side: Side) { self.side = side }

    /// Records come under other keys from here on.
    mutating func change(to next: Epoch) {
        epoch = next
        changes &+= 1
        opener = nil
        isProven = false
        sequence = 0
        unread = 0
        failures = 0
        isAfterGap = false
        mayHaveChanged = false
        isUnagreed = false
    }

    /// Records come under the keys of a session whose hellos were not seen.
    mutating func changeUnseen() {
        change(to: .session)
        isUnagreed = true
    }

    /// Opens a record with the keys of what was agreed on last, where the change to them may have been lost (TLS 1.2 and before). Nil where it
    /// is not encrypted with them, as far as anybody can say.
    mutating func openAfterLoss(
        _ header: TLSRecordHeader, _ fragment: RawSpan, session: TLSSession, decryption: TLSDecryption, into buffer: inout [UInt8]
    ) -> TLSPlaintext? {
        guard mayHaveChanged, failures < Self.mostFailures else { return nil }
        var attempt = self
        attempt.change(to: .session)
        attempt.isAfterGap = true
        guard case .success(let plaintext) = attempt.open(header, fragment, session: session, decryption: decryption, into: &buffer) else {
            failures += 1
            return nil
        }
        self = attempt
        return plaintext
    }

    /// A record is not to be had, or only a part of it.
    mutating func passRecord() {
        mayHaveChanged = true
        guard epoch != .clear else { return }
        opener?.noteLoss()
        sequence &+= 1
        unread &+= 1
    }

    /// Bytes are missing in which records began.
    mutating func noteGap(_ length: UInt64) {
        mayHaveChanged = true
        guard epoch != .clear else { return }
        opener?.noteLoss()
        // As many as there are at least, if each is as long as it may be and two are cut.
        let longest = UInt64(TLSRecordHeader.length + TLSRecordHeader.longestFragment)
        let least = length / longest
        sequence &+= least > 1 ? least - 1 : 0
        isAfterGap = true
    }

    /// Those that hold.
    var keys: TLSKeys {
        let kind: TLSKeys.Kind =
            switch epoch {
            case .clear, .handshake: .handshake
            case .early: .early
            case .session: .session
            case .traffic: .traffic
            }
        return TLSKeys(kind: kind, number: changes)
    }

    /// Whether the secret of the keys that hold is not known.
    func lacksSecret(of session: TLSSession, _ decryption: TLSDecryption) -> Bool {
        opener == nil && lookUp(epoch, session: session, decryption: decryption) == nil
    }

    // MARK: - Opening

    /// Opens an encrypted record, and finds its place.
    ///
    /// - Parameter session: nil while the server has not said hello; then it is of early data.
    mutating func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, session: TLSSession, decryption: TLSDecryption, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        guard failures < Self.mostFailures, !isUnagreed else {
            sequence &+= 1
            return .failure(.unsynchronised)
        }
        var problem: TLSUnopened?
        var wasTried = false
        var candidate: Epoch? = epoch
        while let tried = candidate {
            let isCurrent = tried == epoch
            candidate = follower(of: tried)
            let start = isCurrent ? sequence : unread - min(unread, Self.window - 1)
            let count = Int(isAfterGap ? Self.window : isCurrent ? 1 : min(Self.window, unread + 1))
            if isCurrent, let opener {
                wasTried = true
                switch opener.open(header, fragment, sequence: start, count: count, into: &buffer) {
                case .success(let plaintext): return .success(take(plaintext))
                case .failure(let reason): problem = reason
                }
                if isProven { continue }
            }
            let known = secrets(tried, session: session, decryption: decryption)
            // The keys that should hold are what the reader of the record is told of.
            if known.isEmpty { problem = problem ?? .secretMissing }
            for one in known where !isCurrent || opener == nil || one != secret {
                let found: any TLSRecordOpener
                do throws(TLSUnopened) {
                    found = try decryption.ciphers.opener(for: session, side: side, secret: one)
                } catch {
                    problem = problem ?? error
                    continue
                }
                if isCurrent {
                    if sequence > 0 || isAfterGap { found.noteLoss() }
                    if opener == nil { (opener, secret) = (found, one) }
                }
                wasTried = true
                switch found.open(header, fragment, sequence: start, count: count, into: &buffer) {
                case .success(let plaintext):
                    if !isCurrent { change(to: tried) }
                    (opener, secret) = (found, one)
                    return .success(take(plaintext))
                case .failure(let reason):
                    if isCurrent { problem = problem ?? reason }
                }
            }
        }
        sequence &+= 1
        unread &+= 1
        if wasTried { failures += 1 }
        return .failure(problem ?? .secretMissing)
    }

    /// A record was opened: where the next one stands, and that the keys are right.
    private mutating func take(_ opened: TLSPlaintext) -> TLSPlaintext {
        var plaintext = opened
        plaintext.keys = self.keys
        sequence = plaintext.sequence &+ 1
        isAfterGap = false
        mayHaveChanged = false
        unread = 0
        failures = 0
        isProven = true
        return plaintext
    }

    /// The keys that may hold already, where the message that says so may have been missed.
    private func follower(of tried: Epoch) -> Epoch? {
        switch tried {
        case .clear, .session: nil
        case .early: .handshake
        case .handshake: .traffic(0)
        // Only one further on than the one that holds, and only where something was missed.
        case .traffic(let generation):
            tried == epoch && (isAfterGap || unread > 0) && generation < .max ? .traffic(generation + 1) : nil
        }
    }

    private func label(of wanted: Epoch) -> TLSSecretLabel? {
        switch wanted {
        case .clear: nil
        case .session: .master
        case .early: .early
        case .handshake: .handshake(side)
        case .traffic(let generation): .traffic(side, generation: generation)
        }
    }

    /// What may be the secret, the likeliest first.
    private func secrets(_ wanted: Epoch, session: TLSSession, decryption: TLSDecryption) -> [[UInt8]] {
        guard let first = lookUp(wanted, session: session, decryption: decryption), let label = label(of: wanted) else { return [] }
        return [first] + decryption.secrets.otherSecrets(label, of: session.clientRandom)
    }

    private func lookUp(_ wanted: Epoch, session: TLSSession, decryption: TLSDecryption) -> [UInt8]? {
        guard let label = label(of: wanted) else { return nil }
        if let logged = decryption.secrets.secret(label, of: session.clientRandom) { return logged }
        switch wanted {
        case .clear, .session, .early, .handshake: return nil
        case .traffic(let generation):
            guard generation > 0, !secret.isEmpty, epoch == .traffic(generation - 1) else { return nil }
            return decryption.ciphers.secret(after: secret, cipherSuite: session.cipherSuite)
        }
    }

    /// The peer has updated its keys: those of the next generation hold from the next record on (RFC 8446, section 4.6.3).
    mutating func update(session: TLSSession, decryption: TLSDecryption) {
        guard case .traffic(let generation) = epoch, generation < .max else { return }
        let next = Epoch.traffic(generation + 1)
        // Before the change: it follows from the one that holds.
        let known = lookUp(next, session: session, decryption: decryption)
        change(to: next)
        // What keeps it from being used is reported with the record that needs it.
        guard let known, let made = try? decryption.ciphers.opener(for: session, side: side, secret: known) else { return }
        (opener, secret) = (made, known)
    }
}
