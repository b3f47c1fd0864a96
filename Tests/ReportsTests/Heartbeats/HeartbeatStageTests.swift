import Dissection
import Testing

@testable import Reports

/// Signs of life are read once for each event, however many outputs of a run ask.
@Suite struct HeartbeatStageTests {
    private func hand(_ fact: Fact, from side: Side?, at seconds: Int64, to taker: (borrowing ConversationEvent) -> Bool) -> Bool {
        let nothing: [UInt8] = []
        return taker(
            ConversationEvent(
                conversation: 1, from: side, place: Place(time: Timestamp(nanoseconds: seconds * 1_000_000_000)), offset: 0, fact: fact,
                content: nothing.rawBytes))
    }

    @Test func `a ping that two outputs ask about is counted once`() {
        let payloads = DecodingStage(.standard, isShared: true)
        let (one, other) = (payloads.heartbeats(), payloads.heartbeats())
        #expect(one === other)
        for second in 0..<8 as Range<Int64> {
            payloads.next()
            let isHeartbeat = hand(.ping, from: .client, at: second * 10) { event in
                let first = one.take(event, nil)
                return other.take(event, nil) && first
            }
            #expect(isHeartbeat)
        }
        payloads.next()
        let isHeartbeat = hand(.closed(Closing(by: .client, how: .fin)), from: nil, at: 75) { event in
            let first = one.take(event, nil)
            return other.take(event, nil) || first
        }
        #expect(!isHeartbeat)
        for end in [one.lastEnd, other.lastEnd] { #expect(end.beats == 8 && end.heartbeats.map(\.sent) == [8]) }
    }

    @Test func `an output that reads no payloads has a reading of its own`() {
        let payloads = DecodingStage(.standard, isShared: true)
        let own = DecodingStage.of(payloads, reads: false, .standard)
        #expect(own.heartbeats() !== payloads.heartbeats())
    }

    @Test func `what outputs share goes with the last of them`() {
        let payloads = DecodingStage(.standard, isShared: true)
        weak var shared: HeartbeatStage?
        do {
            let stage = payloads.heartbeats()
            shared = stage
            withExtendedLifetime(stage) { #expect(shared === payloads.heartbeats()) }
        }
        #expect(shared == nil)
    }

    @Test func `a frame or a record of TLS is not a sign of life beside what it carries`() {
        var reader = HeartbeatReader()
        let frame = FrameHeader(opcode: 9, fin: true, rsv: 0, masked: true, maskingKey: 0, length: 0, headerLength: 6)
        let record = DataRun(length: 40, framing: .tlsRecord(contentType: 23))
        let isOfFrame = hand(.frame(frame), from: .client, at: 0) { reader.take($0, nil) }
        let isOfRecord = hand(.data(record), from: .client, at: 1) { reader.take($0, nil) }
        #expect(!isOfFrame && !isOfRecord && reader.heldBytes == 0)
    }
}
