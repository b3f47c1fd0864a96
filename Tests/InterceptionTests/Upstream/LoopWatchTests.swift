import Dissection
import Testing

@testable import Interception

@Suite("A target that leads back to the proxy through another one")
struct LoopWatchTests {
    private static let key = LoopWatch.Key(source: IPAddress(ipv4: 1), target: "tcp://next")

    /// Clients come until one is refused; how many have come by then, nil where none of 5,000 is.
    private static func refused(_ watch: inout LoopWatch, _ client: LoopWatch.Client, isFirst: Bool = true) -> Int? {
        (1...5_000).first { _ in
            watch.arrived(key, isFirst: isFirst) && watch.judge(key, client, isFirst: isFirst) != nil
        }
    }

    @Test("a proxy like this one has so many silent connections, and more where another one is to end the loop")
    func proxies() {
        var (first, second) = (LoopWatch(), LoopWatch())
        let counts = (Self.refused(&first, .proxy), Self.refused(&second, .proxy, isFirst: false))
        #expect(counts.0 == LoopWatch.most && counts.1 == LoopWatch.most * 3 / 2)
    }

    @Test(
        "a client of which nothing is known has more, but fewer than files",
        arguments: [(1 << 20, 1_000), (4_096, 512), (64, LoopWatch.most)])
    func unknown(files: Int, most: Int) {
        var watch = LoopWatch(files: files)
        let count = Self.refused(&watch, .unknown)
        #expect(count == most)
    }

    @Test("another program on this machine has as many as it likes, and is seldom looked for")
    func programs() {
        var watch = LoopWatch()
        var looks = 0
        for _ in 0..<5_000 where watch.arrived(Self.key) {
            looks += 1
            let refusal = watch.judge(Self.key, .otherProgram)
            #expect(refusal == nil)
        }
        #expect((20...50).contains(looks), "\(looks)")
    }

    @Test("a connection with an answer or an end does not count, nor do those of another client or target")
    func cleared() {
        var watch = LoopWatch()
        var reached = 0
        for number in 0..<UInt32(5_000) {
            if watch.arrived(Self.key) { reached += 1 }
            watch.cleared(Self.key)
            if watch.arrived(.init(source: IPAddress(ipv4: 2 + number % 100), target: "tcp://next")) { reached += 1 }
            if watch.arrived(.init(source: IPAddress(ipv4: 1), target: "tcp://\(number % 100)")) { reached += 1 }
        }
        for _ in 1..<LoopWatch.most where watch.arrived(Self.key) { reached += 1 }
        #expect(reached == 0)
        let isLast = watch.arrived(Self.key)
        let refused = watch.judge(Self.key, .proxy)
        #expect(isLast && refused == LoopWatch.most)
        watch.cleared(Self.key)
        watch.cleared(Self.key)
        let isOver = watch.arrived(Self.key)
        #expect(!isOver)
    }
}
