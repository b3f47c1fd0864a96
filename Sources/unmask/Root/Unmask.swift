import ArgumentParser
import Interception
import Libc
import Query
import Reports

/// What the program calls itself in its output.
let toolName = "unmask \(Unmask.version)"

@main
struct Unmask: ParsableCommand {
    static let version = "0.2.0"

    static let configuration = CommandConfiguration(
        commandName: "unmask",
        abstract: "Shows what an app and its server really said to each other over TCP, TLS, HTTP and WebSocket.",
        discussion: """
            Exit status: 0 when everything was read, 1 when an input is damaged, cut or no capture (what could be read is \
            printed) or output could not be written, 2 for wrong use, 130 when interrupted.
            """,
        version: version,
        subcommands: [
            ReadCommand.self, ListCommand.self, ConsoleCommand.self, CaptureCommand.self, ProxyCommand.self, RunCommand.self,
            ExtractCommand.self,
            CheckCommand.self, StatsCommand.self, DiffCommand.self, CACommand.self,
            DemoCommand.self, FindingsCommand.self, ExplainCommand.self, SchemaCommand.self, ProfileCommand.self, ClearCommand.self,
        ])

    /// Runs the command; wrong use ends with 2, as everywhere, and not with the 64 of sysexits.
    static func main() {
        // What a program that we start is to find as we found it.
        _ = (GivenSignals.ignored, GivenSignals.blocked)
        // A reader that went away shows as an error of write, and ends the program quietly.
        signal(SIGPIPE, SIG_IGN)
        // So does a limit on the size of files.
        signal(SIGXFSZ, SIG_IGN)
        // First of all: what is opened from here on was not given.
        _ = GivenDescriptors.all
        openStandardDescriptors()
        let arguments = ConsoleArguments.joined(CACommand.inOrder(Array(CommandLine.arguments.dropFirst())))
        if arguments == ["help", "fields"] {
            printText(FilterPage.help)
            endProcess(0)
        }
        if let help = ShortHelp.asked(in: arguments, width: TerminalSize.width ?? 80) {
            printText(help)
            endProcess(0)
        }
        if let message = UnknownOption.unknownHelp(in: arguments) ?? UnknownOption.unknownCommand(in: arguments) {
            writeText(visible(message), to: STDERR_FILENO)
            endProcess(2)
        }
        do {
            var command = try parseAsRoot(try ProfileArguments.expand(arguments))
            try command.run()
            endProcess(0)
        } catch let error as ProfileError {
            error.tell()
            endProcess(2)
        } catch let code as ExitCode {
            endProcess(code.rawValue)
        } catch {
            let status = exitCode(for: error)
            let isHelp = status == .success
            let message = (isHelp ? nil : UnknownOption.message(in: arguments)) ?? fullMessage(for: error)
            guard isHelp else {
                if !message.isEmpty { writeText(visible(message), to: STDERR_FILENO) }
                endProcess(2)
            }
            if !message.isEmpty { printText(message) }
            endProcess(0)
        }
    }

    /// Where the shell closed a standard descriptor (`>&-`), the next file or connection would get its number, and with it what is meant for
    /// standard output or standard error. Writing to a standard output that is closed fails, as it would without this.
    private static func openStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free.
            _ = open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// The parser's words, which repeat arguments: whatever stands in those stays in one line and does nothing to the terminal, and the user and
    /// password of a URL are not repeated.
    private static func visible(_ message: String) -> String {
        var message = message
        for argument in CommandLine.arguments.dropFirst() {
            // The parser takes the value of --option=value apart.
            let value = argument.firstIndex(of: "=").map { String(argument[argument.index(after: $0)...]) }
            for text in [argument, value ?? ""] {
                let shown = (text.contains("://") ? URLParts.shown(text) : text).visible
                if text != shown { message = message.replacing(text, with: shown) }
            }
        }
        return message.visibleLines
    }
}

/// Writes a line for a person, on standard error unless told. What stands in it may come from anywhere. On standard error, where
/// nobody may read either, it is given up after a moment.
func writeLine(_ line: String, to descriptor: Int32 = STDERR_FILENO) {
    writeText(line.visible, to: descriptor)
}

/// Writes a long text of ours, whose lines end as they do, on standard output. Ends the program where that cannot be done: `print` keeps no error but
/// the last.
func printText(_ text: String) {
    if writeText(text.hasSuffix("\n") ? String(text.dropLast()) : text, to: STDOUT_FILENO) { return }
    writeLine("unmask: standard output: \(String(cString: strerror(errno)))")
    endProcess(1)
}

/// Writes text of ours, one line or several, as it is.
///
/// - Returns: Whether it is written, or nobody reads it any more; otherwise `errno` says why not.
@discardableResult
func writeText(_ text: String, to descriptor: Int32) -> Bool {
    var rest = Array(text.utf8)[...]
    rest.append(0x0A)
    while !rest.isEmpty {
        var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if descriptor == STDERR_FILENO, poll(&ready, 1, 100) == 0 { return false }
        let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return errno == EPIPE }
        rest = rest.dropFirst(count)
    }
    return true
}

/// Ends the program, with 1 where standard output could not take the last of it; a name of its own because a command has an `exit` too.
func endProcess(_ status: Int32) -> Never {
    let isPrinted = fflush(nil) == 0 || errno == EPIPE
    // A network disk may say only now that it is full.
    let isStored = close(STDOUT_FILENO) == 0 || errno == EBADF || errno == EINTR
    if !isPrinted || !isStored { writeLine("unmask: standard output: \(String(cString: strerror(errno)))") }
    exit(status == 0 && !(isPrinted && isStored) ? 1 : status)
}
