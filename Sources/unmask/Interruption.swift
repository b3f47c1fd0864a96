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

    /// Takes over both signals.
    static func watch() {
        // Made before the first signal can ask for it.
        _ = stop.isStopped
        var watched = sigset_t()
        sigemptyset(&watched)
        for number in [SIGINT, SIGTERM] {
            sigaddset(&watched, number)
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in Interruption.stop.stop() }
            // One shot; and system calls that wait are interrupted rather than begun anew.
            action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
            sigaction(number, &action, nil)
        }
        // A parent may have had them blocked in the thread that started this program, and that is inherited.
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    }
}
