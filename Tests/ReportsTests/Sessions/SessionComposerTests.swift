import Dissection
import Testing

@testable import Reports

/// What records mean for the tables of a session file.
@Suite struct SessionComposerTests {
    /// The host of the only exchange that a request with these fields makes.
    private func host(_ fields: String) -> String? {
        var composer = SessionComposer(.none)
        var batch = SessionBatch()
        let (bytes, parts) = RecordScript.content("GET".bytes, "/".bytes, "HTTP/2".bytes, fields.bytes)
        let head = RequestHead(method: parts[0], target: parts[1], version: parts[2], fields: parts[3], exchange: 1)
        composer.add(
            ConversationEvent(
                conversation: 1, from: .client, place: Place(), offset: 0, fact: .request(head), content: bytes.rawBytes), to: &batch)
        guard case .request(_, _, _, let host, _) = batch.rows.last?.fact else { return nil }
        return String(decoding: host, as: UTF8.self)
    }

    /// The line that the row of a message becomes again.
    private func line(_ message: Message) -> String {
        var composer = SessionComposer(.full(limit: 100))
        var batch = SessionBatch()
        let text = "hell".bytes
        composer.add(
            ConversationEvent(
                conversation: 1, from: .client, place: Place(), offset: 0, fact: .message(message), content: text.rawBytes), to: &batch)
        guard let row = batch.rows.last, let columns = row.message else { return "" }
        var line = SessionLine()
        let marks = Array(batch.bytes[row.json])
        guard line.compose(row, columns, framing: marks.rawBytes, hasPayload: true, payload: text.rawBytes) else { return "" }
        return String(decoding: line.bytes.copy, as: UTF8.self)
    }

    @Test(arguments: [nil, UInt64(4), .max], [true, false])
    func `a message that was not finished comes back as it was`(announced: UInt64?, isFramed: Bool) {
        var message = Message(opcode: 2, length: 4, wireLength: 4, fragments: 3, compressed: false)
        if isFramed { message = Message(cut: MessageFrame(.lines), length: 4, wireLength: 4) }
        #expect(!line(message).contains("unfinished"))
        (message.isUnfinished, message.announced) = (true, announced)
        let record = RecordScript.record(.message(message), "hell".bytes, from: .client, offset: 0)
        #expect(line(message) == record && record.contains(#""unfinished":true"#))
    }

    @Test(arguments: [
        ("Host: a.example\r\n", "a.example"),
        (":scheme: https\r\n:authority: a.example\r\naccept: */*\r\n", "a.example"),
        // The first of both counts, as it does for the conversation.
        (":authority: a.example\r\nhost: b.example\r\n", "a.example"),
        ("x-authority: a.example\r\nx-host: b.example\r\n", ""),
    ]) func `the host of an exchange is that of Host or of :authority`(fields: String, expected: String) {
        #expect(host(fields) == expected)
    }
}
