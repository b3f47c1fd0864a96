import CertificateAuthority
import Foundation
import Synchronization
import Testing

@Suite("The cache of leaves: bounded, fresh, shared by threads")
struct LeafCacheTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private struct Refused: Error, Equatable {}

    /// Counts what had to be made.
    private final class Maker: Sendable {
        let made = Mutex<[String]>([])

        func make(_ key: String, until end: Date) -> (value: String, renewAfter: Date) {
            let number = made.withLock {
                $0.append(key)
                return $0.count
            }
            return ("\(key) #\(number)", end)
        }
    }

    @Test("what was made once is found again, key by key")
    func found() {
        let (cache, maker) = (LeafCache<String, String>(), Maker())
        let values = ["a", "b", "a", "b"].map { key in cache.value(for: key, at: now) { maker.make(key, until: now + 10) } }
        #expect(values == ["a #1", "b #2", "a #1", "b #2"])
    }

    @Test("it never holds more than its capacity, and gives up what was not used for longest")
    func bounded() {
        let (cache, maker) = (LeafCache<String, String>(capacity: 2), Maker())
        for key in ["a", "b", "a", "c", "a", "b"] { _ = cache.value(for: key, at: now) { maker.make(key, until: now + 10) } }
        #expect(maker.made.withLock { $0 } == ["a", "b", "c", "b"])
        #expect(cache.count == 2)
        for number in 0..<5_000 { _ = cache.value(for: "\(number)", at: now) { maker.make("", until: now + 10) } }
        #expect(cache.count == 2)
        #expect(LeafCache<String, String>().capacity == 1_024)
    }

    @Test("room is made for several at once, by those that were not used for longest")
    func room() {
        let (cache, maker) = (LeafCache<Int, String>(capacity: 16), Maker())
        for key in 0..<16 { _ = cache.value(for: key, at: now) { maker.make("", until: now + 10) } }
        _ = cache.value(for: 0, at: now) { maker.make("again", until: now + 10) }
        _ = cache.value(for: 16, at: now) { maker.make("", until: now + 10) }
        #expect(cache.count == 15)
        for key in [0, 3, 16, 1, 2] { _ = cache.value(for: key, at: now) { maker.make("made \(key)", until: now + 10) } }
        #expect(maker.made.withLock { $0.filter { !$0.isEmpty } } == ["made 1", "made 2"])
    }

    @Test("what is about to run out is made anew, in the place of the old")
    func renewed() {
        let (cache, maker) = (LeafCache<String, String>(capacity: 1), Maker())
        let times = [now, now + 9.9, now + 10, now + 11]
        let values = times.map { time in cache.value(for: "a", at: time) { maker.make("a", until: time + 10) } }
        #expect(values == ["a #1", "a #1", "a #2", "a #2"])
        #expect(cache.count == 1)
    }

    @Test("an error is passed on, and leaves nothing behind")
    func errors() {
        let (cache, maker) = (LeafCache<String, String>(), Maker())
        #expect(throws: Refused.self) { try cache.value(for: "a", at: now) { () throws(Refused) in throw Refused() } }
        #expect(cache.count == 0)
        #expect(cache.value(for: "a", at: now) { maker.make("a", until: now + 1) } == "a #1")
    }

    @Test("while one is made the others go on, and who comes second takes what the first put in")
    func making() {
        let (cache, maker) = (LeafCache<String, String>(), Maker())
        let value = cache.value(for: "a", at: now) {
            // Another thread does the same meanwhile; under a lock this would never come back.
            let other = cache.value(for: "a", at: now) { maker.make("a", until: now + 10) }
            #expect(other == "a #1")
            return maker.make("a", until: now + 10)
        }
        #expect(value == "a #1")
    }

    @Test("many threads at once see one value a key")
    func threads() async {
        let (cache, maker, now) = (LeafCache<Int, String>(capacity: 8), Maker(), now)
        let values = await withTaskGroup(of: [String].self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<400).map { number in cache.value(for: number % 8, at: now) { maker.make("\(number % 8)", until: now + 10) } }
                }
            }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        #expect(values.count == 8)
        #expect(cache.count == 8)
    }
}
