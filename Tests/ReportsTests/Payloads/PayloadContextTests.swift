import Dissection
import Testing

@testable import Reports

/// What formats ask of the request that opened a WebSocket.
@Suite struct PayloadContextTests {
    private func begins(_ target: String, _ words: StaticString) -> Bool {
        var context = PayloadContext(from: .client, opcode: 1, isCut: false)
        context.target = Array(target.utf8)
        return context.pathBegins(words)
    }

    @Test(arguments: [
        ("/app/key?protocol=7", true), ("http://push.example/app/key", true), ("/app/", true), ("/app", false), ("/apps/key", false),
        ("/?/app/", false), ("", false), ("/APP/key", false),
    ])
    func `a path begins with words shorter than what is kept of it`(target: String, begins expected: Bool) {
        #expect(begins(target, "/app/") == expected)
    }

    @Test(arguments: [
        ("/connection/websocket", true), ("/connection/websocket?format=json", true), ("/connection/web", false),
        ("/connection/webSocket", false), ("/connect", false), ("/other", false), ("", false),
    ])
    func `a path begins with longer words only where all of them are there`(target: String, begins expected: Bool) {
        #expect(begins(target, "/connection/websocket") == expected)
    }
}
