import Dissection

// The records of a run as a whole: `capture` and `end`.

extension OutputBuffer {
    mutating func appendCapture(_ source: CaptureSource) {
        append("{\"kind\":\"capture\"")
        append(",\"version\":", decimal: UInt64(RecordReport.formatVersion))
        append(",\"tool\":")
        appendString(source.tool)
        append(",\"source\":{\"type\":\"")
        append(utf8: source.kind.rawValue)
        append("\",\"name\":")
        appendString(source.name)
        append(0x7d)
        if let first = source.firstPacket { append(",\"firstPacket\":", decimal: first) }
        append(0x7d)
    }

    mutating func appendEnd(_ totals: Totals) {
        append("{\"kind\":\"end\"")
        append(",\"packets\":", decimal: totals.packets)
        append(",\"conversations\":", decimal: totals.conversations)
        append(",\"messages\":", decimal: totals.messages)
        append(",\"findings\":", decimal: totals.findings)
        append(",\"bytes\":", decimal: totals.bytes)
        append(",\"skipped\":{")
        var isFirst = true
        for (reason, packets) in zip(SkipReason.allCases, totals.skipped) where packets > 0 {
            append(isFirst ? "\"" : ",\"")
            append(utf8: reason.rawValue)
            append("\":", decimal: packets)
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
