import Libc
import Reports

/// The line on standard error that says how far the reading of a long file is.
///
///     talk.pcapng  45 %  120 MB of 266 MB  1,204,331 packets  310 MB/s  3 s left
///
/// Comes after the first second, is rewritten five times a second, and goes away at the end.
package struct Progress {
    private let isWanted: Bool
    private var name = ""
    private var size: UInt64?
    private var begun = 0.0
    private var lastShown = 0.0
    private var isShown = false
    private var untilClock = 0

    package init(isWanted: Bool) { self.isWanted = isWanted }

    package mutating func begin(_ path: String, size: UInt64?) {
        guard isWanted else { return }
        clear()
        name = path == "-" ? "standard input" : String(path.split(separator: "/").last ?? Substring(path))
        self.size = size
        begun = Progress.now()
        lastShown = begun + 0.8
    }

    /// Called often; looks at the clock every sixteenth time.
    mutating func show(bytes: UInt64, packets: UInt64) {
        guard isWanted else { return }
        if untilClock > 0 {
            untilClock -= 1
            return
        }
        untilClock = 15
        let now = Progress.now()
        guard now - lastShown > 0.2 else { return }
        lastShown = now
        isShown = true
        let text = "\r\u{1B}[K" + line(bytes: bytes, packets: packets, seconds: now - begun)
        _ = text.utf8CString.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count - 1) }
    }

    func line(bytes: UInt64, packets: UInt64, seconds: Double) -> String {
        let rate = Double(bytes) / max(seconds, 0.001)
        var parts = [name.visible]
        if let size, size > 0 {
            parts.append("\(min(100, bytes * 100 / size)) %")
            parts.append("\(Progress.megabytes(Double(bytes))) of \(Progress.megabytes(Double(size)))")
        } else {
            parts.append(Progress.megabytes(Double(bytes)))
        }
        parts.append("\(Progress.grouped(packets)) \(packets == 1 ? "packet" : "packets")")
        parts.append("\(Progress.megabytes(rate))/s")
        if let size, size > bytes, rate > 0 { parts.append("\(Progress.clock(Double(size - bytes) / rate)) left") }
        return parts.joined(separator: "  ")
    }

    /// Takes the line away, because something else is written to the terminal.
    mutating func clear() {
        guard isShown else { return }
        isShown = false
        _ = write(STDERR_FILENO, "\r\u{1B}[K", 4)
    }

    mutating func end() { clear() }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func megabytes(_ bytes: Double) -> String {
        let tenths = Int((bytes / 100_000).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) MB" : "\(grouped(UInt64(tenths / 10))) MB"
    }

    private static func grouped(_ number: UInt64) -> String {
        var digits = Array(String(number))
        var index = digits.count - 3
        while index > 0 {
            digits.insert(",", at: index)
            index -= 3
        }
        return String(digits)
    }

    private static func clock(_ seconds: Double) -> String {
        // A file may claim any size.
        let whole = Int(min(seconds, 360_000_000).rounded(.up))
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }
}
