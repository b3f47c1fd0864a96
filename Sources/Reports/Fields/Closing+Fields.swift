import Dissection

// The keys of `closed`.
extension Closing: FieldedFact {
    package static var blank: Closing { Closing(by: .unknown, how: .fin) }

    package mutating func visit(_ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        row.word(
            Field(
                ",\"by\":", .word(.closer), in: .closed, always: .closed,
                "who ended it; `unknown` where nothing on the wire says so, or where the other side may have done so before, unseen"), &by)
        row.word(
            Field(
                ",\"how\":", .word(.manner), in: .closed, always: .closed,
                """
                how it ended; `evicted`: given up for memory, `refused`: by a proxy, before a conversation began (`opened.server` is empty then, or the \
                server of a request that was withheld)
                """), &how)
        row.number(
            Field(
                ",\"code\":", .integer(0, 65_535), in: .closed, "the code of the Close frame, only if it was on the wire",
                wireshark: "websocket.payload.close.status_code"), &code)
        row.seconds(
            Field(
                ",\"answered\":", .seconds, in: .closed,
                "until the peer answered the Close frame or FIN; one that the peer sent before that had arrived is not counted"), &answered)
        row.seconds(
            Field(
                ",\"lingered\":", .seconds, in: .closed,
                "from the Close frame, FIN or RST that ended it to the last packet (`time`), where that was not the answer"), &lingered)
        row.seconds(
            Field(
                ",\"silence\":", .seconds, in: .closed,
                "how long neither side had sent a byte when the Close frame, FIN or RST that ended it came"), &silence)
        if row.begin(Field(",\"ends\":", .object(.ends), in: .closed, always: .closed, "how each direction stood"), isThere: true) {
            row.word(Field(",\"client\":", .word(.end), in: .ends, always: .ends, "what the client sends"), &clientEnd)
            row.word(Field(",\"server\":", .word(.end), in: .ends, always: .ends, "what the server sends"), &serverEnd)
            row.end()
        }
        row.seconds(Field(",\"duration\":", .seconds, in: .closed, "since `opened`"), &duration)
        client.visit(Field(",\"client\":", .object(.side), in: .closed, always: .closed, "what the client sent"), &row)
        server.visit(Field(",\"server\":", .object(.side), in: .closed, always: .closed, "what the server sent"), &row)
    }
}

extension SideTotals {
    fileprivate mutating func visit(_ field: Field, _ row: inout some FieldVisitor & ~Copyable & ~Escapable) {
        guard row.begin(field, isThere: true) else { return }
        row.number(Field(",\"bytes\":", .any, .bytes, in: .side, always: .side, "on the wire, each position counted once"), &bytes)
        row.number(
            Field(",\"messages\":", .any, in: .side, always: .side, "messages of WebSocket and gRPC, and those cut out of raw TCP"),
            &messages)
        row.number(Field(",\"frames\":", .any, in: .side, always: .side, "WebSocket frames"), &frames)
        row.number(
            Field(",\"missing\":", .any, .bytes, in: .side, always: .side, "in gaps of the causes `missing` and `truncated`"), &missing)
        row.end()
    }
}
