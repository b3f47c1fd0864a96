/// One record of a session file as a list shows it: with the beginning of its payload.
package struct StoredRow: Sendable {
    /// What the payload is that is kept.
    package enum Form: Sendable { case absent, text, binary }

    package var id: Int64
    /// As the file numbers it; 0 where the record is about the input.
    package var conversation: Int64 = 0
    /// In nanoseconds since 1970.
    package var time: Int64?
    /// 0 for the client, 1 for the server.
    package var side: Int64?
    package var kind: String
    /// Of a message of WebSocket.
    package var opcode: Int64?
    /// Bytes, of a message.
    package var length: UInt64?
    package var isTruncated = false
    /// Of records other than messages: the record without its payload. Of messages: how it was cut out of raw bytes.
    package var json: [UInt8] = []
    package var form = Form.absent
    /// Bytes of the payload that are kept.
    package var stored = 0
    /// The first of them.
    package var beginning: [UInt8] = []

    package init(id: Int64, kind: String) { (self.id, self.kind) = (id, kind) }
}

/// One conversation as the table of conversations has it.
package struct StoredConversation: Sendable {
    package var id: Int64
    package var opened: Int64?
    package var closed: Int64?
    package var client: (address: String, port: Int64, name: String)
    package var server: (address: String, port: Int64, name: String)
    package var transport: String?
    package var spoken: String?
    package var host: String?
    package var path: String?
    package var how: String?
    package var closedBy: String?
    package var code: Int64?
    package var duration: Int64?
    /// Of the client and of the server; known at the end.
    package var bytes: (Int64, Int64)?
    package var messages: (Int64, Int64)?
    package var findings: Int64?
    package var worst: String?
    package var isSecured = false
}

/// One finding as the table of findings has it.
package struct StoredFinding: Sendable {
    package var record: Int64
    package var conversation: Int64
    package var time: Int64?
    package var id: String
    package var severity: String
    package var reference: String?
    package var detail: String?
}
