import CaptureFiles
import Libc
import Synchronization

/// Ctrl-C, SIGTERM and SIGHUP: the first one ends the reading, so that the totals are printed; the second ends the program. Where there are
/// logs, SIGHUP asks for them to be opened anew, as it does of other programs that write logs.
enum Interruption {
    /// Raised by the signal.
    static let stop = StopFlag()
    /// Raised by the second signal, where the first one only asks for an orderly end.
    static let hurry = StopFlag()

    /// How often SIGHUP came, where it does not end the run.
    private static let hangUps = Atomic<Int>(0)

    /// How often logs were opened anew for it.
    private static let reopenings = Atomic<Int>(0)

    /// Whether logs have to be opened anew; it counts as done.
    static var wantsLogsReopened: Bool {
        let wanted = hangUps.load(ordering: .relaxed)
        return wanted != reopenings.exchange(wanted, ordering: .relaxed)
    }

    /// Somebody asks for the logs to be opened anew; for handlers of signals.
    static func askForLogs() { hangUps.add(1, ordering: .relaxed) }

    /// Takes over the signals.
    ///
    /// - Parameters:
    ///   - isOrderly: whether the second signal raises `hurry`, and only the third ends the program.
    ///   - hasLogs: whether SIGHUP is about logs. Otherwise a terminal that is closed ends the run.
    static func watch(isOrderly: Bool = false, hasLogs: Bool = false) {
        // Made before the first signal can ask for it.
        _ = (stop.isStopped, hurry.isStopped, hangUps.load(ordering: .relaxed))
        var watched = sigset_t()
        sigemptyset(&watched)
        if hasLogs {
            sigaddset(&watched, SIGHUP)
            var action = sigaction()
            action.handler = { _ in Interruption.askForLogs() }
            sigaction(SIGHUP, &action, nil)
        }
        for number in hasLogs || GivenSignals.ignored.contains(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP] {
            sigaddset(&watched, number)
            var action = sigaction()
            if isOrderly {
                action.handler = { number in
                    if Interruption.hurry.isStopped { signal(number, SIG_DFL) }
                    if Interruption.stop.isStopped { Interruption.hurry.stop() }
                    Interruption.stop.stop()
                }
            } else {
                action.handler = { _ in Interruption.stop.stop() }
                // One shot; and system calls that wait are interrupted rather than begun anew.
                action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            }
            sigaction(number, &action, nil)
        }
        // A parent may have had them blocked in the thread that started this program, and that is inherited.
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    }
}
