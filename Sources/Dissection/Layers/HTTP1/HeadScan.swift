/// The search for the end of a head, which goes on where it stopped (RFC 9112, section 2.1).
enum HeadScan {
    enum Result {
        /// The head reaches to here, its empty line included.
        case whole(Int)
        /// An HTTP/0.9 request, one line.
        case simple(Int)
        /// No start line.
        case invalid
        /// Longer than the limit.
        case tooLong
        /// Not whole; the next search begins at `searched`.
        case partial(searched: Int, isLineChecked: Bool)
    }

    /// - Parameters:
    ///   - start: where the head begins in `bytes`.
    ///   - searched: where the search begins.
    ///   - isLineChecked: the first line was found to be a start line.
    ///   - limit: how long a head may be.
    static func scan(_ bytes: RawSpan, from start: Int, searched: Int, isLineChecked: Bool, limit: Int, side: Side) -> Result {
        let end = bytes.byteCount - start > limit ? start + limit : bytes.byteCount
        let isFull = end - start >= limit
        var position = searched
        if !isLineChecked {
            let lineFeed = bytes.firstIndex(of: 0x0A, from: searched, to: end)
            switch HTTP1StartLine.verdict(on: bytes.extracting(0..<end), from: start, lineFeed: lineFeed, side: side) {
            case .invalid: return .invalid
            case .undecided: return isFull ? .tooLong : .partial(searched: end, isLineChecked: false)
            case .simple: return .simple((lineFeed ?? end) + 1)
            case .valid: position = lineFeed ?? end
            }
        }
        while let lineFeed = bytes.firstIndex(of: 0x0A, from: position, to: end) {
            switch emptyLine(in: bytes, at: lineFeed + 1, to: end) {
            case .ends(let headEnd): return .whole(headEnd)
            case .undecided: return isFull ? .tooLong : .partial(searched: lineFeed, isLineChecked: true)
            case .none: position = lineFeed + 1
            }
        }
        return isFull ? .tooLong : .partial(searched: end, isLineChecked: true)
    }

    enum EmptyLine {
        case ends(Int)
        case undecided
        case none
    }

    /// Whether an empty line stands at `position`.
    static func emptyLine(in bytes: RawSpan, at position: Int, to end: Int) -> EmptyLine {
        guard position < end else { return .undecided }
        if bytes[position] == 0x0A { return .ends(position + 1) }
        guard bytes[position] == 0x0D else { return .none }
        guard position + 1 < end else { return .undecided }
        return bytes[position + 1] == 0x0A ? .ends(position + 2) : .none
    }
}
