import CaptureFiles
import Libc
import Synchronization

/// Signals of a run that has a command: they are the command's, and the run ends when that one does.
///
/// A terminal sends Ctrl-C, Ctrl-\ and its own end to the whole group of processes, and so to the command too; those are left to it. What
/// another process sends to us alone is sent on. Where there are logs, a SIGHUP of that kind is about them, as everywhere.
enum SignalRelay {
    private static let command = Atomic<Int32>(0)
    private static let hasEnded = Atomic<Bool>(false)
    private static let hasLogs = Atomic<Bool>(false)

    /// si_code of what the kernel sends itself, as it does for a terminal (SI_KERNEL of asm-generic/siginfo.h).
    private static let ofKernel: Int32 = 0x80

    /// Takes over the signals, but for those that were ignored when we were started: the command then ignores them too.
    static func watch(hasLogs: Bool) {
        self.hasLogs.store(hasLogs, ordering: .relaxed)
        _ = (Interruption.stop.isStopped, Interruption.hurry.isStopped, Interruption.wantsLogsReopened)
        var watched = sigset_t()
        sigemptyset(&watched)
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD] where !GivenSignals.ignored.contains(number) {
            var action = sigaction()
            action.sa_flags = Int32(SA_SIGINFO)
            action.setDetailedHandler { number, details, _ in
                SignalRelay.take(number, isOfKernel: details?.pointee.si_code == SignalRelay.ofKernel)
            }
            sigaddset(&watched, number)
            sigaction(number, &action, nil)
        }
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
    }

    /// The command runs. What came before it did is told to it now.
    static func begin(_ process: pid_t) {
        command.store(process, ordering: .relaxed)
        if Interruption.stop.isStopped { kill(process, SIGTERM) }
    }

    /// The command has ended: from here on, signals are for us, who have a moment's work left. The first one hurries, the second ends the program.
    static func end() {
        hasEnded.store(true, ordering: .relaxed)
        Interruption.stop.stop()
    }

    /// Called as the signal's handler.
    private static func take(_ number: Int32, isOfKernel: Bool) {
        // It only wakes who waits.
        if number == SIGCHLD { return }
        let process = command.load(ordering: .relaxed)
        if hasEnded.load(ordering: .relaxed) {
            if Interruption.hurry.isStopped { signal(number, SIG_DFL) }
            Interruption.hurry.stop()
        } else if process == 0 {
            if Interruption.stop.isStopped { signal(number, SIG_DFL) }
            Interruption.stop.stop()
        } else if isOfKernel {
            return
        } else if number == SIGHUP, hasLogs.load(ordering: .relaxed) {
            Interruption.askForLogs()
        } else {
            kill(process, number)
        }
    }
}
