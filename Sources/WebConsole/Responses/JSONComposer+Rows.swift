import Reports
import Sessions

// How rows of a session file are written for the page. Moments are texts of digits: nanoseconds since 1970 are beyond a double.

extension JSONComposer {
    /// A moment, or null.
    mutating func member(_ key: String, moment: Int64?) { member(key, moment.map { String($0) }) }

    mutating func pair(_ key: String, _ values: (Int64, Int64)) {
        array(key) { array in
            array.value(values.0)
            array.value(values.1)
        }
    }

    /// - Parameter words: what a message says in the words of its format.
    mutating func row(_ row: StoredRow, words: String? = nil) {
        let text = RowText(row, words: words)
        object { object in
            object.member("id", row.id)
            object.member("n", row.conversation)
            object.member("t", moment: row.time)
            object.member("s", row.side)
            object.member("k", row.kind)
            object.member("b", Int64(clamping: text.length ?? 0))
            object.member("x", text.text)
            object.member("o", text.form)
            object.member("v", text.severity)
            object.member("z", row.isTruncated)
        }
    }

    mutating func conversation(_ conversation: StoredConversation, _ more: (inout JSONComposer) -> Void = { _ in }) {
        func place(_ end: (address: String, port: Int64, name: String)) -> String {
            if end.address.isEmpty { return end.name.visible }
            return (end.address.contains(":") ? "[\(end.address)]" : end.address) + ":\(end.port)"
        }
        let name = conversation.host ?? (conversation.server.name.isEmpty ? nil : conversation.server.name)
        object { object in
            object.member("n", conversation.id)
            object.member("opened", moment: conversation.opened)
            object.member("closed", moment: conversation.closed)
            object.member("client", place(conversation.client))
            object.member("server", place(conversation.server))
            object.member("name", name?.visible)
            object.member("path", conversation.path?.visible)
            object.member("protocol", (conversation.spoken ?? conversation.transport ?? "").visible)
            object.member("tls", conversation.isSecured)
            object.member("how", conversation.how)
            object.member("by", conversation.closedBy)
            object.member("code", conversation.code)
            object.member("duration", moment: conversation.duration)
            object.pair("messages", conversation.messages ?? (0, 0))
            object.pair("bytes", conversation.bytes ?? (0, 0))
            object.member("findings", conversation.findings ?? 0)
            object.member("worst", conversation.worst)
            more(&object)
        }
    }

    mutating func finding(_ finding: StoredFinding) {
        object { object in
            object.member("record", finding.record)
            object.member("id", finding.id)
            object.member("severity", finding.severity)
            object.member("reference", finding.reference)
            object.member("detail", finding.detail?.visible)
            object.member("time", moment: finding.time)
        }
    }
}
