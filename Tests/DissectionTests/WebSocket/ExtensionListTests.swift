import Dissection
import Testing

/// Lists of extensions take steps by their length.
@Suite struct ExtensionListTests {
    private func steps(_ text: String) -> Int {
        var steps = 0
        _ = WebSocketExtension.list(Array(text.utf8), steps: &steps)
        return steps
    }

    @Test(arguments: ["a,", "a;b,", "a;b;c=d, ", ",", "a;b=\"c\",", "   ,", "permessage-deflate; x,"])
    func eachByteIsLookedAtAFewTimes(element: String) {
        let once = steps(String(repeating: element, count: 32_000 / element.utf8.count))
        let twice = steps(String(repeating: element, count: 64_000 / element.utf8.count))
        #expect(once < 32_000 * 8)
        #expect(Double(twice) / Double(once) < 2.2, "\(once), \(twice)")
    }

    @Test func aListWithoutAnElementBreaksNothing() {
        for text in ["", " ", ",", " , ,"] {
            var steps = 0
            #expect(WebSocketExtension.list(Array(text.utf8), steps: &steps) == [], "\(text)")
        }
    }
}
