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
        let (most, more) = (Self.refused(&first, .proxy), Self.refused(&second, .proxy, isFirst: false))
        #expect(most == LoopWatch.most && more == LoopWatch.most * 3 / 2)
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
            let refused = watch.judge(Self.key, .otherProgram)
            #expect(refused == nil)
        }
        #expect((20...50).contains(looks), "\(looks)")
    }

    @Test("a connection with an answer or an end does not count, nor do those of another client or target")
    func cleared() {
        var watch = LoopWatch()
        var full = 0
        for number in 0..<UInt32(5_000) {
            if watch.arrived(Self.key) { full += 1 }
            watch.cleared(Self.key)
            if watch.arrived(.init(source: IPAddress(ipv4: 2 + number % 100), target: "tcp://next")) { full += 1 }
            if watch.arrived(.init(source: IPAddress(ipv4: 1), target: "tcp://\(number % 100)")) { full += 1 }
        }
        #expect(full == 0)
        let most = Self.refused(&watch, .proxy)
        #expect(most == LoopWatch.most)
        watch.cleared(Self.key)
        watch.cleared(Self.key)
        let isFull = watch.arrived(Self.key)
        #expect(!isFull)
    }
}
