import Libc

/// What was done about signals when this program was started, for the programs that it starts itself.
enum GivenSignals {
    /// Those that whoever started us wants to do nothing, such as SIGHUP under nohup; those that this was asked about first thing in `main`.
    static let ignored: Set<Int32> = {
        var found: Set<Int32> = []
        for number in Int32(1)...31 {
            var action = sigaction()
            guard sigaction(number, nil, &action) == 0 else { continue }
            if unsafeBitCast(action.handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                found.insert(number)
            }
        }
        return found
    }()

    /// Those that were blocked.
    static let blocked: sigset_t = {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return mask
    }()
}
