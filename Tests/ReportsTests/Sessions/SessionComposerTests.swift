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
