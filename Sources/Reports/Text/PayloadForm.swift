import Dissection

/// How a payload is shown: one rule for bodies, raw data, messages, pings, pongs and close reasons.
enum PayloadForm {
    /// Text as it is, controls as their pictures.
    case text
    /// Mostly text: the same, what is not UTF-8 as `\xff`, and after it the bytes in hexadecimal where there is room.
    case mixed
    /// Bytes in hexadecimal.
    case bytes

    /// What the sender says that the payload is.
    enum Claim {
        /// A WebSocket text or the reason of a Close frame, which have to be UTF-8: controls do not speak against it.
        case text
        /// Nothing: a body.
        case none
        /// Bytes of any kind: binary messages, pings, raw data. A short one that is UTF-8 may be so by luck.
        case binary
    }

    /// Bytes of the beginning that are looked at.
    static let looked = 512
    /// A payload with fewer bytes may be text by luck.
    static let short = 8
    /// Of so many characters one may be a control.
    static let charactersPerControl = 8

    /// - Parameters:
    ///   - bytes: the payload, or what is kept of it, in which case it `isCut`.
    init(_ bytes: RawSpan, isCut: Bool = false, claim: Claim) {
        let looked = bytes.prefix(Self.looked)
        let isCut = isCut || looked.byteCount < bytes.byteCount
        var (characters, controls, letters, place) = (0, 0, 0, 0)
        var (isValid, isPlain) = (true, true)
        while place < looked.byteCount {
            let plain = looked.plainCount(from: place)
            letters += plain
            characters += plain
            place += plain
            guard place < looked.byteCount else { break }
            let sequence = UTF8Sequence(looked, at: place)
            if sequence.kind == .unfinished, isCut { break }
            if sequence.kind != .whole {
                isValid = false
            } else if sequence.scalar.isControl {
                controls += 1
            } else if sequence.scalar < 0x80 {
                letters += 1
            }
            if sequence.kind != .whole || sequence.scalar >= 0x80 || sequence.scalar.isControl { isPlain = false }
            characters += 1
            place += sequence.length
        }
        let isShort = !isCut && bytes.byteCount < Self.short
        var isText = isValid && controls * Self.charactersPerControl <= characters
        if isText, !isPlain, claim != .text, PayloadSignature.isBinary(looked, isText: true) { isText = false }
        switch claim {
        case .text where isValid: self = .text
        case .none where isText: self = .text
        case .binary where isText && (!isShort || isPlain): self = .text
        case _ where PayloadSignature.isBinary(looked, isText: false): self = .bytes
        // Two thirds of the bytes are letters, digits and the like of ASCII.
        case .text, .none, .binary: self = !isShort && letters * 3 >= looked.byteCount * 2 ? .mixed : .bytes
        }
    }
}

extension UInt32 {
    /// Whether a character does not belong into text: not so tabs, line ends, the escape of coloured logs, and the record separator, which
    /// stands between the packets of Engine.IO and the texts of RFC 7464.
    fileprivate var isControl: Bool {
        switch self {
        case 0x09, 0x0a, 0x0d, 0x1b, 0x1e: false
        case ..<0x20, 0x7f..<0xa0: true
        default: false
        }
    }
}
