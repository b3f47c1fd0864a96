import Libc
import Reports
import Synchronization

/// The width of the terminal that conversations are shown on, which is asked for again when its window changes.
enum TerminalSize {
    /// Where conversations are shown: standard output, unless a command says otherwise before it asks for anything else here.
    static let shown = Atomic<Int32>(STDOUT_FILENO)

    /// The same, to be asked.
    static var descriptor: Int32 { shown.load(ordering: .relaxed) }

    /// The most columns that COLUMNS is believed.
    private static let widestTerminal = 10_000

    /// Columns of the terminal, or what COLUMNS says where it is none; otherwise nothing is cut.
    static var width: Int? {
        if let asked = terminalWidth { return asked }
        return getenv("COLUMNS").flatMap { Int(String(cString: $0)) }.flatMap { $0 > 0 ? min($0, Self.widestTerminal) : nil }
    }

    /// The columns as they are at any moment; nil where that is no terminal, whose width would change.
    static let columns: TerminalColumns? = {
        guard isatty(descriptor) == 1 else { return nil }
        current.columns = width
        var action = sigaction()
        action.handler = { _ in
            if let width = TerminalSize.terminalWidth { TerminalSize.current.columns = width }
        }
        // No call that waits is to notice it.
        action.sa_flags = SA_RESTART
        sigaction(SIGWINCH, &action, nil)
        // A parent may have had it blocked in the thread that started this program, and that is inherited.
        var watched = sigset_t()
        sigemptyset(&watched)
        sigaddset(&watched, SIGWINCH)
        pthread_sigmask(SIG_UNBLOCK, &watched, nil)
        return current
    }()

    private static let current = TerminalColumns(0)

    private static var terminalWidth: Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
