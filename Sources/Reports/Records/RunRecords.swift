import Dissection

// The records of a run as a whole: `capture` and `end`.

extension OutputBuffer {
    mutating func appendCapture(_ source: CaptureSource, isAppended: Bool = false, isContinued: Bool = false) {
        append("{\"kind\":\"capture\"")
        append(.formatVersion, decimal: UInt64(RecordReport.formatVersion))
        append(.tool)
        appendString(source.tool)
        append(.source)
        append(0x7b)
        append(first: .sourceType)
        append(0x22)
        append(utf8: source.kind.rawValue)
        append(0x22)
        append(.sourceName)
        appendString(source.name)
        append(0x7d)
        if let first = source.firstPacket { append(.firstPacket, decimal: first) }
        append(.appended, ifTrue: isAppended)
        append(.continued, ifTrue: isContinued)
        append(0x7d)
    }

    mutating func appendEnd(_ totals: Totals) {
        append("{\"kind\":\"end\"")
        append(.totalPackets, decimal: totals.packets)
        append(.totalConversations, decimal: totals.conversations)
        if totals.ignored > 0 { append(.totalIgnored, decimal: totals.ignored) }
        append(.totalMessages, decimal: totals.messages)
        append(.totalFindings, decimal: totals.findings)
        append(.totalBytes, decimal: totals.bytes)
        append(.skipped)
        append(0x7b)
        var isFirst = true
        for (reason, packets) in zip(SkipReason.allCases, totals.skipped) where packets > 0 {
            append(isFirst ? "\"" : ",\"")
            append(utf8: reason.rawValue)
            append("\":")
            append(decimal: packets)
            isFirst = false
        }
        append("}}")
    }

    /// Appends a JSON string of text that is ours or the user's.
    private mutating func appendString(_ text: String) {
        append(0x22)
        text.withBytes { _ = appendJSON(utf8: $0) }
        append(0x22)
    }
}
