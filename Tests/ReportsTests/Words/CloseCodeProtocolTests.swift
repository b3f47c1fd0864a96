import Dissection
import Testing

@testable import Reports

/// Close codes that a protocol inside of a WebSocket has given a meaning.
@Suite struct CloseCodeProtocolTests {
    private func spoken(_ subprotocol: String = "", host: String = "a.example", target: String = "/") -> CloseCodeProtocol? {
        let (word, name, path) = (Array(subprotocol.utf8), Array(host.utf8), Array(target.utf8))
        return CloseCodeProtocol(subprotocol: word.rawBytes, host: name.rawBytes, target: path.rawBytes)
    }

    @Test func `a protocol is known by what was agreed on, or by its server`() {
        #expect(spoken("graphql-transport-ws")?.name(4408)?.description == "no connection_init in time")
        #expect(spoken(target: "/app/key?protocol=7&client=js")?.name(4001)?.description == "the app does not exist")
        #expect(spoken(host: "gateway.discord.gg", target: "/?v=10&encoding=json")?.name(4014)?.description == "disallowed intents")
        #expect(spoken(target: "/connection/websocket")?.name(3501)?.description == "bad request")
    }

    @Test func `an app of its own has codes of its own`() {
        #expect(spoken("chat.v2") == nil)
        #expect(spoken(target: "/app/key") == nil)
        #expect(spoken(host: "discord.gg.example", target: "/?v=10") == nil)
        #expect(spoken("graphql-transport-ws")?.name(4999) == nil)
    }

    @Test(
        arguments: [
            (3000, "unauthorized"), (3001, "code of a library"), (3999, "code of a library"), (4000, "code of the app"),
            (4999, "code of the app"),
            (1001, "going away"), (2999, "not a registered code"),
        ] as [(UInt16, String)])
    func `a code without a name says whose it is`(code: UInt16, words: String) {
        var line = TextLine(width: 200, usesColor: false)
        line.appendCodeName(code)
        #expect(String(decoding: line.buffer.bytes.copy, as: UTF8.self) == words)
    }
}
