import Dissection
import Support
import Testing

@testable import Interception

@Suite("A target that leads back to the proxy through another one")
struct LoopWatchTests {
    private static let millisecond: Int64 = 1_000_000
    private static let second: Int64 = 1_000_000_000

    // MARK: - Loops

    @Test(
        "two proxies that lead to each other are found out, however many clients there are", arguments: [1, 2, 5, 12],
        [1, 2, 3, 4, 5] as [UInt64])
    func loops(clients: Int, seed: UInt64) {
        var model = LoopModel(proxies: 2, seed: seed)
        for number in 0..<clients { model.connect(.init(proxy: 0), at: Int64(number) * 200_000) }
        model.run(until: 30 * Self.second)
        #expect(model.open == 0)
        #expect(model.refused.count == clients && model.news == 1)
        // About twice what it takes to be suspicious, and a dozen for each client.
        #expect(model.connections < 2 * (LoopWatch.suspicious + 16) + 14 * clients, "\(model.connections)")
    }

    @Test("so are three in a ring, and two over a long way", arguments: [(3, 300_000), (2, 20 * millisecond), (2, 35 * millisecond)])
    func longerWays(proxies: Int, latency: Int64) {
        var model = LoopModel(proxies: proxies, latency: latency, seed: 7)
        for number in 0..<Int64(2) { model.connect(.init(proxy: 0), at: number * Self.millisecond) }
        model.run(until: 120 * Self.second)
        #expect(model.open == 0 && model.refused.count == 2)
        #expect(model.connections < 800, "\(model.connections)")
    }

    @Test("clients with a server that answers, or that closes at once, do not hide a loop", arguments: [1, 2, 5], [1, 2, 3] as [UInt64])
    func otherTraffic(clients: Int, seed: UInt64) {
        var model = LoopModel(proxies: 2, seed: seed)
        for number in 0..<clients { model.connect(.init(proxy: 0), at: Int64(number) * 200_000) }
        var random = SplitMix(seed: seed)
        var time: Int64 = 0
        while time < 10 * Self.second {
            time += .random(in: 0...80 * Self.millisecond, using: &random)
            model.connect(.init(proxy: 0, server: .answers(after: 5 * Self.millisecond)), at: time)
        }
        model.connect(.init(proxy: 0, server: .closes(after: 150 * Self.millisecond)), at: 3 * Self.millisecond)
        model.run(until: 12 * Self.second)
        #expect(model.refused.count { $0.server == nil } == clients)
        #expect(model.refused.count { $0.server != nil } < 4)
    }

    @Test(
        "where nothing is known of the clients, a loop is found out as well, before it has used up the files", arguments: [1, 3],
        [4_096, 1 << 20])
    func unknownLoops(clients: Int, files: Int) {
        for seed in [1, 2, 3] as [UInt64] {
            var model = LoopModel(proxies: 2, seed: seed, isKnown: false, files: files)
            for number in 0..<clients { model.connect(.init(proxy: 0), at: Int64(number) * 200_000) }
            model.run(until: 60 * Self.second, limit: 8_000)
            #expect(model.open == 0 && model.refused.count == clients && model.news == 1)
            // Two files for each, in each of the two proxies.
            #expect(model.connections < min(3_000, files / 2), "\(model.connections)")
        }
    }

    // MARK: - Clients

    @Test("an app of which nothing is known loses nothing by opening silent connections, each when the one before was accepted")
    func oneByOne() {
        for (seed, latency) in [(1, 300_000), (2, 5 * Self.millisecond), (3, 30 * Self.millisecond)] as [(UInt64, Int64)] {
            var model = LoopModel(proxies: 1, latency: latency, seed: seed, isKnown: false)
            model.connect(.init(proxy: 0, server: .accepts(after: 100_000, times: 900)), at: 0)
            expectNoLoop(&model, heldAtMost: 0)
            #expect(model.open == 901)
        }
    }

    /// Runs clients of one proxy, all at one address, and expects that none is taken for a loop.
    private func expectNoLoop(
        _ model: inout LoopModel, heldAtMost most: Int64 = 1_602 * millisecond, at place: SourceLocation = #_sourceLocation
    ) {
        model.run(until: 120 * Self.second, limit: 4_000)
        #expect(model.refused.isEmpty, sourceLocation: place)
        #expect(model.longestHold <= most, "held for \(model.longestHold / Self.millisecond) ms", sourceLocation: place)
    }

    @Test(
        "clients that open silent connections at a pace of their own are none",
        arguments: [1, 3, 10, 30, 45, 100, 240, 280, 320, 390, 400, 700])
    func paces(milliseconds: Int64) {
        var model = LoopModel(proxies: 1, seed: 1)
        for number in 0..<Int64(600) { model.connect(.init(proxy: 0, server: .silent), at: number * milliseconds * Self.millisecond) }
        expectNoLoop(&model)
    }

    @Test("nor are those that come by chance, one or six at a time, as behind NAT", arguments: [2, 10, 40, 150, 300, 600], [1, 6])
    func chance(meanMilliseconds: Int, together: Int) {
        for seed in 0..<UInt64(20) {
            var model = LoopModel(proxies: 1, seed: seed)
            var random = SplitMix(seed: seed)
            var time: Int64 = 0
            for _ in 0..<400 / together {
                time += .random(in: 0...Int64(2 * meanMilliseconds) * Self.millisecond, using: &random)
                for _ in 0..<together { model.connect(.init(proxy: 0, server: .silent), at: time) }
            }
            expectNoLoop(&model)
        }
    }

    @Test("500 at once to a server that never says anything, again and again")
    func burst() {
        var model = LoopModel(proxies: 1, seed: 1)
        for round in 0..<Int64(6) {
            for number in 0..<Int64(500) {
                model.connect(.init(proxy: 0, server: .silent), at: round * 700 * Self.millisecond + number * 20_000)
            }
        }
        expectNoLoop(&model, heldAtMost: 402 * Self.millisecond)
    }

    @Test("clients that come again when the server has closed, or when it has answered at last", arguments: [0, 5, 30, 300], [40, 200])
    func again(milliseconds: Int64, clients: Int) {
        var model = LoopModel(proxies: 1, seed: 1)
        for number in 0..<clients {
            model.connect(.init(proxy: 0, server: .closes(after: milliseconds * Self.millisecond)), at: Int64(number) * 100_000)
        }
        expectNoLoop(&model, heldAtMost: 402 * Self.millisecond)
    }

    @Test("a client that is known to be no proxy ends the trial that began with it, and others are not held for it any more")
    func acquitted() {
        var watch = LoopWatch(seed: 1)
        let key = LoopWatch.Key(source: IPAddress(ipv4: 1), target: "tcp://next")
        var trials: [Int] = []
        for number in 0..<Int64(300) {
            let (verdict, ticket) = watch.arrived(key, at: number * Self.millisecond)
            #expect((verdict == .dial) == !ticket.opensTrial)
            guard ticket.opensTrial else { continue }
            trials.append(Int(number))
            watch.acquitted(ticket)
            #expect(watch.due(ticket, at: (number + 1) * Self.millisecond) == .dial)
        }
        #expect((10...25).contains(trials.count), "\(trials)")
    }

    @Test("few connections are never held, nor are those that get an answer")
    func neverHeld() {
        var model = LoopModel(proxies: 1, seed: 1)
        for number in 0..<Int64(31) { model.connect(.init(proxy: 0, server: .silent), at: number * Self.millisecond) }
        for number in 0..<Int64(2_000) {
            let source = 2 + UInt32(number % 2)
            model.connect(
                .init(proxy: 0, server: .answers(after: 5 * Self.millisecond), source: source), at: number * Self.millisecond)
        }
        expectNoLoop(&model, heldAtMost: 0)
    }
}
