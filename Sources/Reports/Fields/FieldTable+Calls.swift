// The keys of `closed` about calls without an answer.

extension FieldTable {
    static let ofCalls: [Field] = [.unanswered, .callFrom, .callLabel, .callWaited, .unansweredTotal]
}

extension Field {
    @inline(__always) static var unanswered: Field {
        Field(
            ",\"unanswered\":", .objects(.call), in: .closed,
            "with `--decoded`: calls that had no answer at the end, at most 16; see [payloads.md](payloads.md)")
    }
    @inline(__always) static var callFrom: Field {
        Field(",\"from\":", .word(.side), in: .call, always: .call, "who called")
    }
    @inline(__always) static var callLabel: Field {
        Field(
            ",\"call\":", .text, in: .call, always: .call,
            "what was called, in the words of the format, and the number of the call where it has one: `sum (id 7)`")
    }
    @inline(__always) static var callWaited: Field {
        Field(",\"waited\":", .seconds, in: .call, always: .call, "from the call to the end")
    }
    @inline(__always) static var unansweredTotal: Field {
        Field(",\"unansweredTotal\":", .some, in: .closed, "how many calls had no answer, where there were more than 16")
    }
}
