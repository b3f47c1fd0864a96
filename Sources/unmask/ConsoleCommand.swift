import ArgumentParser
import CaptureFiles
import Dissection
import Libc
import Reports
import Runs
import Sessions
import WebConsole

struct ConsoleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Shows the conversations in capture files, logs and session files in a browser.",
        discussion: """
            Prints the URL of a page that only this machine can open, and only with the token in it. A session file that --save wrote is \
            opened as it is; anything else is read into a temporary one, which only this user can open and which goes with the run. Ctrl-C ends it.

              unmask console talk.pcapng
              unmask console chat.unmask
              unmask proxy --console ws://localhost:9000
            """)

    @Argument(help: ArgumentHelp("Capture files, logs or session files, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(
        name: [.customLong("listen"), .customLong("port"), .customShort("p")],
        help: ArgumentHelp("Where to listen: PORT of 127.0.0.1, or HOST:PORT; any port unless one is named.", valueName: "port"))
    var address = ConsoleAddress()

    @OptionGroup
    var names: ConsoleNameOptions

    @Flag(help: "Read every WebSocket frame as well.")
    var frames = false

    @Option(
        name: .customLong("payload-limit"), help: "The most bytes to keep of one payload, up to 16777216. (default: 1048576)")
    var payloadLimit: Int?

    @OptionGroup(title: "Reading")
    var reading: ConversationOptions

    @OptionGroup(title: "Redaction")
    var redaction: RedactionOptions

    @OptionGroup(title: "Payloads")
    var payloads: PayloadOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        try checkInputs(files, of: "console")
        if let payloadLimit, !(0...MemoryShares.longestPayload(in: reading.memory)).contains(payloadLimit) {
            throw ValidationError("--payload-limit takes a number of bytes from 0 to a sixteenth of --memory, and at most 16777216.")
        }
    }

    func run() throws {
        Interruption.watch(isOrderly: true)
        do {
            throw ExitCode(try isStoreItself ? serve(files[0]) : read())
        } catch let error as ExitCode {
            throw error
        } catch let error as CaptureFileError {
            writeLine("unmask: \(error)")
            throw ExitCode(error.kind == .unreadable ? 2 : 1)
        } catch {
            writeLine("unmask: \(error)")
            throw ExitCode(1)
        }
    }

    /// Whether a session file is shown as it is, rather than read.
    private var isStoreItself: Bool {
        files.count == 1 && SessionReader.isSession(files[0]) && reading.selection == nil && redaction.plan(payloads) == nil
    }

    private func serve(_ path: String) throws -> Int32 {
        let console = try RunConsole(names.place(at: address), inputs: [path], isLive: false, saved: path)
        defer { console.shutDown() }
        var origin = ConsoleStore.Origin(tool: toolName, inputs: [path])
        origin.saved = path
        console.begin(try ConsoleStore(path: path, isOwn: false, origin: origin))
        waitForStop()
        return 0
    }

    /// Reads the inputs into a temporary session, which is shown from the first record on.
    private func read() throws -> Int32 {
        let keys = try keys.open(reading.memory, grows: files.contains("-") && StandardInput.mayGoOn)
        let console = try RunConsole(names.place(at: address), inputs: files, isLive: false)
        defer { console.shutDown() }
        guard let session = console.temporary else { return 1 }
        var form = SessionSettings(payload: .full(limit: payloadLimit ?? 1 << 20))
        (form.showsFrames, form.conversations, form.payloads) = (frames, reading.selection, payloads.formats)
        var request = RunOutputs.Request(.files, shown: form)
        request.place = .nowhere
        var log = RunOutputs.LogFile(.session, path: session.path, form: form)
        log.isTemporary = true
        request.logs = [log]
        (request.inputs, request.redaction, request.drain) = (files, redaction.plan(payloads), .everyRecord)
        (request.stop, request.hurry) = (Interruption.stop, Interruption.hurry)
        console.follow(&request)
        request.tell = { [trouble = console.trouble] line in
            trouble.take(line)
            writeLine(line)
        }
        let outputs = try RunOutputs(request)
        try console.begin()
        var line = outputs.plan.makeLine()
        let problems = ToldLines()
        var settings = reading.settings(payloadDemand: line.payloadDemand)
        settings.tell = { line in
            problems.add(line)
            writeLine(line)
        }
        let pass = FilePass(
            files, settings, keys: keys, progress: Progress(isWanted: isatty(STDERR_FILENO) == 1),
            tellLoss: { line in
                problems.add(line)
                writeLine(line)
            })
        let status = pass.read(into: &line, nil)
        // Where nothing could be opened, there is nothing to look at.
        if status == 2 { return status }
        console.finish(problem: problems.last)
        waitForStop()
        _ = outputs.finish()
        return status == 130 ? 0 : status
    }

    private func waitForStop() {
        while !Interruption.stop.isStopped {
            var moment = timespec(tv_sec: 0, tv_nsec: 100_000_000)
            nanosleep(&moment, nil)
        }
    }
}
