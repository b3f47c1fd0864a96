import Dissection
import Testing

@testable import Interception

@Suite("A target that leads back to the proxy through another one")
struct LoopWatchTests {
    private static let key = LoopWatch.Key(source: IPAddress(ipv4: 0x0A00_0001), target: "tcp://10.0.0.1:1")

    private static func at(_ milliseconds: Int64) -> Timestamp { Timestamp(nanoseconds: milliseconds * 1_000_000) }

    @Test("connections that were each opened by the one before are held three times, and then refused")
    func loop() {
        var watch = LoopWatch()
        var told: [LoopWatch.Verdict] = []
        for number in 0..<Int64(36) {
            told.append(watch.arrived(Self.key, at: Self.at(number)))
            watch.dialled(Self.key, at: Self.at(number))
        }
        #expect(told == Array(repeating: .dial, count: 32) + [.hold, .hold, .hold, .loop(36)])
        // It begins anew.
        #expect(watch.arrived(Self.key, at: Self.at(36)) == .dial)
    }

    @Test("clients that do not wait for the dial of the one before are never held for long", arguments: [1, 31, 33, 34])
    func burst(lag: Int) {
        var watch = LoopWatch()
        var held = 0
        for number in 0..<1_000 {
            let verdict = watch.arrived(Self.key, at: Self.at(Int64(number)))
            switch verdict {
            case .dial: break
            case .hold: held += 1
            case .loop: Issue.record("client \(number)")
            }
            // Each so many clients come two at a time.
            if number % (lag + 1) != lag { watch.dialled(Self.key, at: Self.at(Int64(number))) }
        }
        #expect(held < 100)
    }

    @Test("an answer, an end, and a quarter of a second between two clients clear the suspicion")
    func cleared() {
        var watch = LoopWatch()
        for number in 0..<Int64(1_000) {
            #expect(watch.arrived(Self.key, at: Self.at(number * 251)) == .dial)
            watch.dialled(Self.key, at: Self.at(number * 251))
        }
        var answered = LoopWatch()
        for number in 0..<Int64(1_000) {
            #expect(answered.arrived(Self.key, at: Self.at(number)) == .dial)
            answered.dialled(Self.key, at: Self.at(number))
            if number % 30 == 0 { answered.cleared(Self.key) }
        }
        let other = LoopWatch.Key(source: Self.key.source, target: "tcp://10.0.0.2:1")
        var two = LoopWatch()
        for number in 0..<Int64(30) {
            for key in [Self.key, other] {
                #expect(two.arrived(key, at: Self.at(number)) == .dial)
                two.dialled(key, at: Self.at(number))
            }
        }
    }
}
