import Synchronization
import WebConsole

/// Hands what is reported of the session file to the page that shows it. Lines come from any thread.
final class SessionTrouble: Sendable {
    private let path: String
    private let store = Mutex<ConsoleStore?>(nil)

    /// - Parameter path: the session file, as lines name it.
    init(path: String) { self.path = path }

    /// Of lines that name no file, as it is the only log (`OutputTrouble`).
    private static let beginnings = ["the log cannot be written: ", "the log is written again; "]

    /// The page that is shown.
    func report(to store: ConsoleStore) { self.store.withLock { $0 = store } }

    /// Takes a line that the user reads on standard error.
    func take(_ line: String) {
        let prefix = "unmask: "
        let words = line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line
        guard words.contains(path) || Self.beginnings.contains(where: words.hasPrefix) else { return }
        store.withLock { $0 }?.note(problem: words)
    }
}
