import Dissection
import Testing

@testable import Reports

/// What a search may leave undecoded: of JSON without escapes a format says no text that does not stand in it, but for words that are known.
@Suite struct FormatWordsTests {
    @Test func `each word that a format says of plain JSON stands in it, or in the table`() {
        let talks: [(subprotocol: String, target: String, messages: [String])] = [
            (
                "graphql-transport-ws", "/",
                [
                    #"{"type":"connection_init"}"#, #"{"id":"7","type":"subscribe","payload":{"query":"{ me }"}}"#,
                    #"{"id":"7","type":"next","payload":{"data":{"me":1}}}"#, #"{"id":"7","type":"error","payload":[{"message":"no"}]}"#,
                ]
            ),
            ("wamp.2.json", "/", (1...70).map { "[\($0),1,{},\"topic.name\",[1],{}]" }),
            (
                "", "/socket.io/?EIO=4&transport=websocket",
                [
                    #"0{"sid":"abc","upgrades":[],"pingInterval":25000,"pingTimeout":20000}"#, #"40{"sid":"x"}"#, #"42["chat","x"]"#,
                    #"421["ask"]"#,
                    #"431["answer"]"#, #"44{"message":"no"}"#, #"41"#, "2", "3", #"4{"a":1}"#,
                ]
            ),
            (
                "", "/",
                [
                    #"{"jsonrpc":"2.0","method":"sum","params":[1],"id":1}"#, #"{"jsonrpc":"2.0","result":3,"id":1}"#,
                    #"{"jsonrpc":"2.0","method":"tell"}"#, #"{"jsonrpc":"2.0","error":{"code":1,"message":"no"},"id":2}"#,
                    #"[{"jsonrpc":"2.0","method":"a","id":3},{"jsonrpc":"2.0","method":"b"}]"#,
                    #"{"command":"subscribe","identifier":"x"}"#,
                    #"["1","2","room:lobby","phx_join",{}]"#, #"["1","2","room:lobby","phx_reply",{"status":"ok"}]"#, #"{"a":1}"#, "[1,2]",
                    "{\"type\":1,\"target\":\"Send\",\"arguments\":[]}\u{1e}", "{\"protocol\":\"json\",\"version\":1}\u{1e}",
                    "{\"type\":3,\"invocationId\":\"3\",\"result\":1}\u{1e}{\"type\":6}\u{1e}", "{\"a\":1}\n{\"a\":2}\n",
                ]
            ),
        ]
        var said = 0
        for talk in talks {
            var messages = MessagingTalk(target: talk.target, subprotocol: talk.subprotocol)
            for text in talk.messages {
                for side in [Side.client, .server] {
                    guard let decoded = messages.decoded(text, from: side), !decoded.hasStopped else { continue }
                    for word in decoded.entries.flatMap({ $0.value.words }) {
                        #expect(FormatWords.ofJSON.contains(word) || text.contains(word), "\(word) of \(text)")
                        said += 1
                    }
                }
            }
        }
        #expect(said > 40)
    }
}

extension MessagingTalk {
    /// The payload of a message in its parts.
    fileprivate mutating func decoded(_ text: String, from side: Side) -> DecodedPayload? {
        let bytes = Array(text.utf8)
        let message = Message(opcode: 1, length: UInt64(bytes.count), wireLength: UInt64(bytes.count), fragments: 1, compressed: false)
        return reader.read(
            ConversationEvent(conversation: 1, from: side, place: Place(), offset: 0, fact: .message(message), content: bytes.rawBytes))
    }
}

extension DecodedPayload.Value {
    /// The words in it.
    fileprivate var words: [String] {
        switch self {
        case .word(let word): [word]
        case .list(let values): values.flatMap(\.words)
        case .items(let members), .object(let members): members.flatMap(\.value.words)
        case .text, .number, .signed, .real, .flag, .nothing, .duration, .json, .binary, .fields: []
        }
    }
}
