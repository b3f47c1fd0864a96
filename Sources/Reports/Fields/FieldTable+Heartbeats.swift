// The keys of `closed` about heartbeats.

extension FieldTable {
    static let ofHeartbeats: [Field] = [
        .heartbeats, .heartbeatFrom, .heartbeatKind, .period, .jitter, .sent, .missed, .beatsAnswered, .beatSilence, .overdue, .explains,
        .hidden,
    ]
}

extension Field {
    @inline(__always) static var heartbeats: Field {
        Field(
            ",\"heartbeats\":", .objects(.heartbeat), in: .closed,
            "with `--decoded`: the heartbeats of both sides; see [payloads.md](payloads.md)")
    }
    @inline(__always) static var heartbeatFrom: Field {
        Field(",\"from\":", .word(.side), in: .heartbeat, always: .heartbeat, "whose they are")
    }
    @inline(__always) static var heartbeatKind: Field {
        Field(
            ",\"by\":", .text, in: .heartbeat, always: .heartbeat,
            "what they are: `websocket.ping`, `websocket.pong`, the name of a format, or `message`: one of the app's own at regular times")
    }
    @inline(__always) static var period: Field {
        Field(",\"period\":", .seconds, in: .heartbeat, always: .heartbeat, "from one to the next, on average; 0 where they are no row")
    }
    @inline(__always) static var jitter: Field {
        Field(",\"jitter\":", .seconds, in: .heartbeat, always: .heartbeat, "the most that an interval strayed from the period")
    }
    @inline(__always) static var sent: Field { Field(",\"sent\":", .any, in: .heartbeat, always: .heartbeat, "how many were seen") }
    @inline(__always) static var missed: Field {
        Field(",\"missed\":", .some, in: .heartbeat, "how many are missing between those that came; absent where none is")
    }
    @inline(__always) static var beatsAnswered: Field {
        Field(",\"answered\":", .any, in: .heartbeat, "how many were answered; absent where nothing answers, or bytes were lost")
    }
    @inline(__always) static var beatSilence: Field {
        Field(
            ",\"silence\":", .seconds, in: .heartbeat, always: .heartbeat,
            "from the last of them to the end; of those that other bytes replace, from their side's last bytes")
    }
    @inline(__always) static var overdue: Field {
        Field(",\"overdue\":", .flag, in: .heartbeat, "the next was overdue at the end, by half a period at least")
    }
    @inline(__always) static var explains: Field {
        Field(
            ",\"explains\":", .text, in: .heartbeat,
            "why a side ended the conversation: one of them or its answer did not come; `certain` or `possible`")
    }
    @inline(__always) static var hidden: Field {
        Field(",\"hidden\":", .some, in: .closed, "with `--hide heartbeats`: how many records were left out")
    }
}
