/// What ends a conversation, as a layer sees it at the end of a direction: the first Close frame, FIN or RST, which may be that end itself.
struct SideEnd {
    var side: Side
    var how: Closing.Manner
    var code: UInt16?
    var time: Timestamp?
}

extension ConversationContext {
    /// How the conversation ended; nil where only the capture does.
    ///
    /// - Parameter arrival: the end of the direction that is told. A FIN is noted after its layer was told of it.
    func end(at arrival: Arrival) -> SideEnd? {
        if let ending { return SideEnd(side: ending.side, how: ending.how, code: ending.code, time: ending.time) }
        if endIsUnseen { return nil }
        return SideEnd(side: arrival.side, how: endIsReset ? .reset : .fin, time: arrival.place.time)
    }
}
