import CaptureFiles

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Ctrl-C and SIGTERM: the first one ends the reading, so that the totals are printed; the second ends the program.
enum Interruption {
    /// Raised by the signal.
    static let stop = StopFlag()
    /// Raised by the second signal, where the first one only asks for an orderly end.
    static let hurry = StopFlag()

    /// Takes over both signals.
    ///
    /// - Parameter isOrderly: whether the second signal raises `hurry`, and only the third ends the program.
    static func watch(isOrderly: Bool = false) {
        // Made before the first signal can ask for it.
        _ = (stop.isStopped, hurry.isStopped)
        var watched = sigset_t()
        sigemptyset(&watched)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&watched, number)
            var action = sigaction()
            if isOrderly {
                action.__sigaction_handler.sa_handler = { number in
                    if Interruption.hurry.isStopped { signal(number, SIG_DFL) }
                    if Interruption.stop.isStopped { Interruption.hurry.stop() }
                    Interruption.stop.stop()
                }
            } else {
                action.__sigaction_handler.sa_handler = { _ in Interruption.stop.stop() }
                // One shot; and system calls that wait are interrupted rather than begun anew.
                action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            }
            sigaction(number, &action, nil)
        }
        // A parent may have had them blocked in the thread that started this program, and that is inherited.
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    }
}
