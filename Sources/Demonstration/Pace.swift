/// How long the people and programs of the chat take, so that one can read along.
package struct Pace: Sendable {
    /// Before the app connects, for what was said about it to be read.
    let prelude: Duration
    /// Before somebody says something new.
    let thought: Duration
    /// Before a program answers: what a network and a server would take.
    let answer: Duration

    /// The whole demonstration in about seven seconds.
    package static let readable = Pace(prelude: .seconds(1), thought: .milliseconds(640), answer: .milliseconds(24))
    /// No pauses.
    package static let fast = Pace(prelude: .zero, thought: .zero, answer: .zero)

    /// Waits before the app connects. Throws when the task is cancelled.
    func wait() async throws { try await pause(prelude) }

    /// Waits like somebody who thinks. Throws when the task is cancelled.
    func think() async throws { try await pause(thought) }

    /// Waits like a program that works. Throws when the task is cancelled.
    func work() async throws { try await pause(answer) }

    private func pause(_ duration: Duration) async throws {
        if duration == .zero { try Task.checkCancellation() } else { try await Task.sleep(for: duration) }
    }
}
