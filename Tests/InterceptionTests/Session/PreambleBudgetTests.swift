import Synchronization
import Testing

@testable import Interception

/// What clients hold together before their conversations run.
@Suite("Preamble budget")
struct PreambleBudgetTests {
    /// Takes down who was given up.
    private final class Losers: Sendable {
        private let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    private static let each = PreambleBudget.perClient

    @Test("over the limit the oldest goes, and only as many as it takes")
    func oldest() {
        let losers = Losers()
        let budget = PreambleBudget(limit: 3 * Self.each + 3_000)
        let tickets = ["a", "b", "c"].map { name in budget.enter(holding: 500) { losers.add(name) } }
        #expect(budget.total == 3 * Self.each + 1_500)
        // The youngest grows, and the oldest pays.
        budget.update(tickets[2], holding: 2_500)
        #expect(losers.all == ["a"])
        #expect(budget.total == 2 * Self.each + 3_000)
        // Who was given up counts no more.
        budget.update(tickets[0], holding: 1 << 20)
        #expect(!budget.leave(tickets[0]))
        #expect(budget.total == 2 * Self.each + 3_000)
        _ = budget.enter(holding: 2 * Self.each) { losers.add("d") }
        #expect(losers.all == ["a", "b", "c"])
    }

    @Test("one client alone is never given up: its own bound is smaller")
    func alone() {
        let losers = Losers()
        let budget = PreambleBudget(limit: 10)
        let ticket = budget.enter(holding: 100) { losers.add("a") }
        budget.update(ticket, holding: 1 << 20)
        #expect(losers.all.isEmpty)
    }

    @Test("when most of much has been let go, it is worth giving back; of little, or of a part, it is not")
    func givingBack() {
        let budget = PreambleBudget(limit: 1 << 30)
        let small = budget.enter(holding: 1 << 20) {}
        #expect(!budget.leave(small))
        let tickets = (0..<40).map { _ in budget.enter(holding: 1 << 20) {} }
        let worth = tickets.map { budget.leave($0) }
        // At half of 40 MiB, at half of that, and when the last 8 MiB are gone.
        #expect(worth.filter { $0 }.count == 3)
        #expect(worth.firstIndex(of: true) == 20)
        #expect(budget.total == 0)
    }

    @Test("a hundred thousand come and go: the list of who came first does not grow")
    func churn() {
        let losers = Losers()
        let budget = PreambleBudget(limit: 1 << 30)
        let stays = budget.enter(holding: 1) { losers.add("first") }
        for _ in 0..<100_000 { _ = budget.leave(budget.enter(holding: 1) {}) }
        #expect(budget.orderCount < 1_000)
        _ = budget.leave(stays)
        #expect(budget.orderCount < 1_000 && budget.total == 0)
    }
}
