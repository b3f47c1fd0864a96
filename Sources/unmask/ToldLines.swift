import Synchronization

/// Lines that the user got about inputs, for the page as well.
final class ToldLines: Sendable {
    private let lines = Mutex<(last: String?, count: Int)>((nil, 0))

    func add(_ line: String) {
        lines.withLock { lines in
            lines.last = line.hasPrefix("unmask: ") ? String(line.dropFirst("unmask: ".count)) : line
            lines.count += 1
        }
    }

    /// The last of them; nil where there is none.
    var last: String? { lines.withLock { $0.last } }
}
