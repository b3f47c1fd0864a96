/// How long the people and programs of the chat take, so that one can read along.
package struct Pace: Sendable {
    /// Before somebody says something new.
    let thought: Duration
    /// Before a program answers: what a network and a server would take.
    let answer: Duration

    /// The whole chat in about seven seconds.
    package static let readable = Pace(thought: .milliseconds(450), answer: .milliseconds(24))
    /// No pauses.
    package static let fast = Pace(thought: .zero, answer: .zero)

    /// Waits like somebody who thinks. Throws when the task is cancelled.
    func think() async throws { try await pause(thought) }

    /// Waits like a program that works. Throws when the task is cancelled.
    func work() async throws { try await pause(answer) }

    private func pause(_ duration: Duration) async throws {
        if duration == .zero { try Task.checkCancellation() } else { try await Task.sleep(for: duration) }
    }
}
