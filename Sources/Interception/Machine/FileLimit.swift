import Libc

/// How many files this process may have open: two for each conversation.
package enum FileLimit {
    #if canImport(Glibc)
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let resource = RLIMIT_NOFILE
    #endif

    /// As many as the system allows.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    /// Runs the body with another limit, for a program that it starts: that one inherits the limit of the moment.
    package static func lowered<Result>(to count: Int, _ body: () throws -> Result) rethrows -> Result {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, count < Int(clamping: limit.rlim_cur) else { return try body() }
        let before = limit.rlim_cur
        limit.rlim_cur = rlim_t(count)
        setrlimit(resource, &limit)
        defer {
            limit.rlim_cur = before
            setrlimit(resource, &limit)
        }
        return try body()
    }

    /// What the user can do where there are too few.
    static let advice = "raise the limit (ulimit -Hn, or LimitNOFILE= of a systemd service)"

    /// Whether one more could be opened now.
    static var hasRoom: Bool {
        let descriptor = open("/", O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0 || (errno != EMFILE && errno != ENFILE)
    }

    /// As many as there may be now.
    package static var current: Int {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? Int(clamping: limit.rlim_cur) : .max
    }
}
