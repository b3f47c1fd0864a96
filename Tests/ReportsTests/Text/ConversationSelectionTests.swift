import Reports
import Testing

@Suite struct ConversationSelectionTests {
    @Test(
        arguments: [
            ("3", [3]), ("3,5", [3, 5]), ("3,5,8-10", [3, 5, 8, 9, 10]), ("9-", [9, 10, 11, 12]), ("2-2,2", [2]),
            ("18446744073709551615", []),
        ] as [(String, [UInt64])])
    func `numbers and ranges pick conversations`(text: String, picked: [UInt64]) throws {
        let selection = try #require(ConversationSelection(text))
        #expect((1...12).filter { selection.contains($0) } == picked)
    }

    @Test(arguments: ["", "0", "3,", ",3", "5-3", "-3", "3--5", "a", "3 ,5", "+3", "0-4", "18446744073709551616", "3-5-7", "٣"])
    func `what is no list is refused`(text: String) {
        #expect(ConversationSelection(text) == nil)
    }

    @Test func `what begins after the last conversation is named`() throws {
        let selection = try #require(ConversationSelection("1,4,3-9,7-8,9-"))
        #expect(selection.missing(after: 3) == ["4", "7-8", "9-"])
    }
}
