import Libc
import NIOCore

/// How many event loops are worth having.
enum Processors {
    /// Processors that this process may run on: fewer than the machine has where it was pinned to some (taskset(1)).
    static var usable: Int {
        #if os(Linux)
        if let allowed = allowedByKernel { return max(1, min(allowed, System.coreCount)) }
        #endif
        return System.coreCount
    }

    #if os(Linux)
    /// `Cpus_allowed` of proc_pid_status(5): groups of hexadecimal digits, a bit for each processor.
    private static var allowedByKernel: Int? {
        guard let file = fopen("/proc/self/status", "re") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, CInt(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            guard text.hasPrefix("Cpus_allowed:") else { continue }
            let count = text.dropFirst(13).reduce(0) { $0 + ($1.hexDigitValue?.nonzeroBitCount ?? 0) }
            return count > 0 ? count : nil
        }
        return nil
    }
    #endif
}
