// Bodies that do not have the coding that their head names are told as they came.
extension BodyAssembly {
    /// Keeps bytes that the coding has taken, while the body may turn out to have none. Returns whether it is known to have none.
    mutating func keepUncoded(_ bytes: RawSpan) -> Bool {
        guard uncoded != nil else { return false }
        uncoded?.append(bytes)
        guard let beginning = uncoded else { return false }
        // What becomes something and is nothing else is coded; so is what was told.
        if part > 1 || decoded > 0 && (!beginning.mayBeSomethingElse || elements != nil) {
            uncoded = nil
            return false
        }
        guard beginning.room == 0 else { return false }
        let isUncoded = decoded == 0 && beginning.isSomethingElse
        if !isUncoded { uncoded = nil }
        return isUncoded
    }

    /// Whether a coding that has come to nothing, or not to its end, was none.
    ///
    /// - Parameter hasFailed: the decoder has said so.
    func isUncoded(hasFailed: Bool) -> Bool {
        guard let uncoded, part == 1 else { return false }
        if decoded == 0, hasFailed { return true }
        return uncoded.isSomethingElse && (hasFailed || decoded == 0 || uncoded.bytes.count >= UncodedBeginning.enoughText)
    }

    /// The same of a body of which the rest is not seen.
    var isUncodedSoFar: Bool {
        guard let uncoded else { return false }
        return uncoded.bytes.count >= UncodedBeginning.enoughText && isUncoded(hasFailed: false)
    }

    /// Whether the byte behind a stream that has become nothing shows that it was none: seven letters and digits are a whole stream each.
    func isUncoded(before byte: UInt8) -> Bool {
        guard var uncoded, part == 1, decoded == 0 else { return false }
        uncoded.append([byte].rawBytes)
        return uncoded.isSomethingElse
    }

    /// Tells what the coding has taken as it was sent, whatever the head says.
    mutating func tellUncoded<Sink: ConversationSink & ~Copyable>(
        _ lead: [UInt8], at here: Arrival, isLast: Bool, context: inout ConversationContext, sink: inout Sink
    ) {
        context.emit(.httpContentCodingMismatch, at: beginning(of: here.side, at: here.place), sink: &sink)
        decoder = nil
        uncoded = nil
        isAfterCoding = false
        streamEnd = nil
        codings = ContentCodings()
        wire = 0
        decoded = 0
        kept.removeAll(keepingCapacity: true)
        isKeptCut = false
        let beginning = Arrival(side: here.side, offset: end &- UInt64(lead.count), place: place ?? here.place)
        takePlain(lead.rawBytes, at: beginning, isLast: isLast, context: &context, sink: &sink)
    }

    /// The same, and what has come behind it.
    mutating func tellRest<Sink: ConversationSink & ~Copyable>(
        of lead: [UInt8], _ bytes: RawSpan, _ position: Int, at here: Arrival, isLast: Bool, context: inout ConversationContext,
        sink: inout Sink
    ) {
        let isAll = position == bytes.byteCount
        tellUncoded(lead, at: here, isLast: isLast && isAll, context: &context, sink: &sink)
        takePlain(bytes.suffix(from: position), at: here, isLast: isLast, context: &context, sink: &sink)
    }
}
