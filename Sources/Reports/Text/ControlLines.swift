import Dissection

extension TextLine {
    /// What one side of an HTTP/2 connection tells the other beside messages.
    mutating func appendControl(_ frame: ControlFrame, _ content: RecordContent) {
        switch frame.kind {
        case .settings: append("settings")
        case .settingsAccepted: append("settings accepted")
        case .reset: append("reset")
        case .goAway: append("goaway")
        case .ping: append("ping")
        case .pong: append("pong")
        case .priorityUpdate, .priority: append("priority")
        }
        if let roundTrip = frame.roundTrip {
            ink(.faint)
            space(3)
            append(span: roundTrip)
            ink(.plain)
        }
        if let code = frame.code {
            ink(code == 0 || code == 8 ? .plain : .warning)
            space()
            if let name = ControlFrame.name(of: code) {
                append(name)
            } else {
                append("unknown (")
                append { $0.append(decimal: UInt64(code)) }
                append(")")
            }
            ink(.plain)
        }
        beginDetail()
        if let last = frame.lastStream {
            append("last stream ")
            append { $0.append(decimal: UInt64(last)) }
            space(3)
        }
        if let priority = frame.priority { append(priority) }
        var fields = HeaderFields(in: content.bytes, at: frame.settings)
        while let field = fields.next() {
            append(safe: content.part(field.name))
            space()
            append(safe: content.part(field.value))
            space(3)
        }
        if !frame.text.isEmpty { append(said: content.part(frame.text)) }
        ink(.plain)
    }

    mutating func append(_ priority: StreamPriority) {
        if priority.dependsOn > 0 {
            append("depends on #")
            append { $0.append(decimal: UInt64(priority.dependsOn)) }
            append(", ")
        }
        append("weight ")
        append { $0.append(decimal: UInt64(priority.weight)) }
        if priority.isExclusive { append(", exclusive") }
    }
}
