/// How the payload of the open message is read, and what becomes of it at its end (RFC 6455, section 5.4; RFC 7692, section 7.2.2).
///
/// | state | payload | bytes of it are lost | its last frame | no last frame will come |
/// | --- | --- | --- | --- | --- |
/// | none: no message is open | | | | |
/// | plain | kept, text checked | torn | the message | the message so far |
/// | torn | passed over | torn | the message, as far as it came whole | the same |
/// | inflating | inflated; too much: overLimit; a fault: broken | undecodable | the message | a gap |
/// | overLimit | counted | undecodable | the message as far as it was inflated, a gap | a gap |
/// | broken | passed over | undecodable | a gap, and what is wrong | a gap |
/// | undecodable | passed over | undecodable | a gap | a gap |
///
/// What holds everywhere: a message ends once, as a message or as a gap, or as both where it is over the limit; what is kept of it is
/// its beginning without a hole; bytes that were lost are held against nobody, so that after a loss neither text nor compression is
/// judged any more.
enum MessageContent {
    case none
    /// The payload is the content.
    case plain
    /// As plain, but some of it was lost.
    case torn
    case inflating
    /// More was inflated than `Limits` allows; of the rest, which is not looked at, came so many bytes.
    case overLimit(unread: UInt64)
    /// Inflating came to a stop.
    case broken(Inflater.Fault)
    /// Nobody can say what the bytes mean: some of a compressed message was lost, or its beginning, so that it may be one.
    case undecodable

    var isOpen: Bool { if case .none = self { false } else { true } }

    /// The payload is the content, as far as it came.
    var isPlain: Bool {
        switch self {
        case .plain, .torn: true
        case .none, .inflating, .overLimit, .broken, .undecodable: false
        }
    }

    /// An inflater is at work on it, or was until it came to a stop.
    var isCompressed: Bool {
        switch self {
        case .inflating, .overLimit, .broken: true
        case .none, .plain, .torn, .undecodable: false
        }
    }

    /// Bytes of its payload are lost.
    mutating func lose() {
        switch self {
        case .none: break
        case .plain, .torn: self = .torn
        case .inflating, .overLimit, .broken, .undecodable: self = .undecodable
        }
    }

    /// More was inflated than is allowed; `unread` bytes of what was to be inflated were left.
    mutating func exceed(unread: Int) { if case .inflating = self { self = .overLimit(unread: UInt64(unread)) } }

    /// Inflating stopped at what the peer must not send.
    mutating func stop(at fault: Inflater.Fault) { if case .inflating = self { self = .broken(fault) } }

    /// More bytes came; they are not looked at over the limit. Returns whether they are to be inflated.
    mutating func mayInflate(_ count: Int) -> Bool {
        switch self {
        case .inflating: return true
        case .overLimit(let unread): self = .overLimit(unread: unread &+ UInt64(count))
        case .none, .plain, .torn, .broken, .undecodable: break
        }
        return false
    }

    /// The message ends. Returns what it was.
    mutating func end() -> MessageContent {
        let ended = self
        self = .none
        return ended
    }
}

/// Whether the content of a message is held to UTF-8 (RFC 6455, section 8.1), and how far that has come.
enum TextCheck {
    /// No text, or bytes that an extension has changed, or bytes were lost.
    case none
    case valid(UTF8Validator)
    /// The position of the first byte of the first ill-formed sequence.
    case invalid(at: UInt64)

    /// Checks the next bytes, once the text is not already known to be none.
    @inline(__always)
    mutating func check(_ bytes: RawSpan) {
        guard case .valid(var validator) = self else { return }
        if let bad = validator.check(bytes) { self = .invalid(at: bad) } else { self = .valid(validator) }
    }

    /// The text came whole: it must not end inside a character.
    mutating func finish() {
        if case .valid(let validator) = self, let bad = validator.finish() { self = .invalid(at: bad) }
    }

    /// Bytes are lost: those that follow are not checked.
    mutating func lose() { if case .valid = self { self = .none } }

    /// More bytes are to be checked.
    var isUnderWay: Bool { if case .valid = self { true } else { false } }

    /// Bytes at the end that begin a character and do not end it.
    var openBytes: Int { if case .valid(let validator) = self { validator.openBytes } else { 0 } }

    /// The first byte that is no UTF-8.
    var badByte: UInt64? { if case .invalid(let position) = self { position } else { nil } }
}

/// Whether the inflater's window has all that the sender's has, which with context takeover every message may refer to.
///
/// | state | a message refers to more than there is | one that is no DEFLATE, or refers beyond the window |
/// | --- | --- | --- |
/// | whole | the peer's fault | the peer's fault |
/// | incomplete | told once that it needs what is not there | the peer's fault |
/// | unseen | the same | the same |
///
/// Without context takeover a message needs none of those before it: what it refers to beyond itself is the peer's fault, and nothing is
/// reported where the boundaries of the messages are not certain.
enum WindowHistory: Equatable {
    case whole
    /// A message before could not be inflated, or the window was given up. `isTold`: that later ones need it.
    case incomplete(isTold: Bool)
    /// Not all was seen that was sent before: what is taken for a message may not even be one.
    case unseen(isTold: Bool)

    /// The window is empty from here on.
    mutating func giveUp() {
        switch self {
        case .whole, .incomplete: self = .incomplete(isTold: false)
        case .unseen: self = .unseen(isTold: false)
        }
    }

    /// Bytes were lost, and with them where messages begin.
    mutating func lose() { self = .unseen(isTold: false) }

    /// A message cannot be inflated.
    ///
    /// - Parameter isAlone: its side uses no context takeover.
    /// - Returns: whether the peer is to blame; otherwise whether it has to be told that what came before is missing.
    mutating func judge(_ fault: Inflater.Fault, isAlone: Bool) -> (isPeers: Bool, isNew: Bool) {
        switch (self, fault) {
        case (.incomplete, _) where isAlone: return (true, false)
        case (.unseen, _) where isAlone: return (false, false)
        case (.whole, _), (.incomplete, .malformed), (.incomplete, .beyondWindow): return (true, false)
        case (.incomplete(let isTold), .beyondHistory):
            self = .incomplete(isTold: true)
            return (false, !isTold)
        case (.unseen(let isTold), _):
            self = .unseen(isTold: true)
            return (false, !isTold)
        }
    }
}
