import Dissection
import Support
import Testing

/// Messages whose last frame never came whole: told as far as they came, and no byte of them is left out.
@Suite struct UnfinishedMessageTests {
    /// A text frame of a server that announces more than comes.
    private func begun(_ bytes: [UInt8], of length: UInt8, opcode: UInt8 = 0x81) -> Talk.Step { .bytes(.server, [opcode, length] + bytes) }

    @Test func itsLengthIsWhatCame() {
        let talk = FrameTalk([begun(Array("hello".utf8), of: 100), .finish(.server)])
        #expect(talk.difference(from: ["< @0 message text 5 B \"hello\"", "< @0 ! websocket.message-unfinished a=5 b=0"]) == nil)
    }

    @Test func fragmentsThatCameWholeAndWhatWasLostCountToo() {
        let talk = FrameTalk([
            .serverFrame(2, [1, 2, 3], fin: false), begun([4, 5], of: 90, opcode: 0x80), .gap(.server, 10, .missing), .server([6]),
            .finish(.server),
        ])
        #expect(
            talk.difference(from: [
                "< @9 gap 10 missing", "< @0 message binary 16 B in 2 cut 01 02 03 04 05", "< @0 ! websocket.message-unfinished a=6 b=0",
            ]) == nil)
    }

    @Test(arguments: [[0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98]] as [[UInt8]]) func aCharacterThatIsNotWholeIsAGap(_ tail: [UInt8]) {
        let talk = FrameTalk([.serverFrame(1, Array("ab".utf8), fin: false), begun([0x63] + tail, of: 9, opcode: 0x80), .finish(.server)])
        let count = tail.count
        #expect(
            talk.difference(from: [
                "< @0 message text 3 B in 2 \"abc\"", "< @7 gap \(count) undecodable",
                "< @0 ! websocket.message-unfinished a=\(3 + count) b=0",
            ]) == nil)
        // Nearly: binary is told as it came.
        let binary = FrameTalk([begun([0x63] + tail, of: 9, opcode: 0x82), .finish(.server)])
        #expect(binary.transcript(.whole).first?.hasPrefix("< @0 message binary \(1 + count) B") == true)
    }

    @Test func aCharacterOverTwoFramesStaysInTheMessage() {
        for steps: [Talk.Step] in [
            [.serverFrame(1, [0x61, 0xE2], fin: false), begun([0x82], of: 9, opcode: 0x80), .finish(.server)],
            [.serverFrame(1, [0x61, 0xE2, 0x82], fin: false), .finish(.server)],
        ] {
            let told = FrameTalk(steps).transcript(.whole)
            #expect(told.count == 2 && told[0].hasSuffix("61 e2 82") && !told[0].contains(" cut "), "\(told)")
        }
    }

    @Test func ofAMessageThatIsCutNothingElseIsTold() {
        var limits = Limits()
        limits.messageBytes = 2
        let talk = FrameTalk([begun([0x61, 0x62, 0xC3], of: 9), .finish(.server)], limits: limits)
        #expect(talk.difference(from: ["< @0 message text 3 B cut \"ab\"", "< @0 ! websocket.message-unfinished a=3 b=0"]) == nil)
    }
}
