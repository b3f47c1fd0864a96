import Dissection
import Reports
import Testing

/// Which framings a profile is proposed.
@Suite struct PayloadSurveyTests {
    /// Messages of a conversation at port 8080 that were cut by a guess, of which so many turns did not fit.
    ///
    /// - Parameter server: the lengths of the server's, where they are others than the client's.
    private func survey(
        messages: UInt64, misfits: UInt64 = 0, isDropped: Bool = false, server: LengthPrefix = LengthPrefix(.u8, offset: 1),
        into survey: inout PayloadSurvey, _ number: UInt64 = 1
    ) {
        RecordScript.send(.opened(RecordScript.opening), conversation: number, to: &survey)
        for index in 1...messages {
            let guess = MessageFrame.Guess(fits: index, of: index + misfits)
            let prefix = index % 2 == 0 ? server : LengthPrefix(.u8, offset: 1)
            let message = Message(cut: MessageFrame(.length(prefix), guess: guess), length: 2, wireLength: 4)
            RecordScript.send(.message(message), [0, 1], conversation: number, from: index % 2 == 0 ? .server : .client, to: &survey)
        }
        if isDropped {
            RecordScript.send(.finding(Finding(.framingGuessDropped, a: messages)), conversation: number, from: .client, to: &survey)
        }
        RecordScript.send(.closed(Closing(by: .client, how: .fin)), conversation: number, to: &survey)
    }

    @Test func aGuessThatHeldIsARule() {
        var found = PayloadSurvey()
        survey(messages: 16, misfits: 2, into: &found)
        #expect(found.ports[8_080]?.framing?.argument == "length:u8,offset=1")
        #expect(found.ports[8_080]?.framing?.messages == 16)
    }

    @Test func aGuessThatWasGivenUpOrDidNotFitIsNone() {
        var dropped = PayloadSurvey()
        survey(messages: 50, misfits: 3, isDropped: true, into: &dropped)
        #expect(dropped.ports[8_080]?.conversations == 1 && dropped.ports[8_080]?.framing == nil)
        var poor = PayloadSurvey()
        survey(messages: 16, misfits: 3, into: &poor)
        #expect(poor.ports[8_080]?.framing == nil)
    }

    @Test func eachSideGivesUpItsOwnLengths() {
        var found = PayloadSurvey()
        survey(messages: 50, isDropped: true, server: LengthPrefix(.u16be), into: &found)
        #expect(found.ports[8_080]?.framing == nil)
        // What held elsewhere stays, by the lengths of both sides.
        survey(messages: 3, server: LengthPrefix(.u16be), into: &found, 2)
        #expect(found.ports[8_080]?.framing?.argument == "client=length:u8,offset=1;server=length:u16be")
        #expect(found.ports[8_080]?.framing?.messages == 3)
    }

    @Test func whatWasGivenUpDoesNotCountBesideWhatHeld() {
        var found = PayloadSurvey()
        survey(messages: 50, misfits: 30, isDropped: true, into: &found)
        survey(messages: 10, into: &found, 2)
        #expect(found.ports[8_080]?.framing?.messages == 10)
    }
}
