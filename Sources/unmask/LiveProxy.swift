import CaptureFiles
import Interception
import Libc
import Reports
import Runs
import Synchronization

/// A proxy that runs, and its outputs: what `unmask proxy` and `unmask run` have in common.
final class LiveProxy {
    let proxy: Proxy
    private let output: OutputOptions
    private let files: RunOutputs
    private let console: RunConsole?

    /// Binds the addresses, then opens the outputs: a second proxy that cannot listen empties no file.
    ///
    /// - Parameter readerGone: called when nobody reads any more what is shown.
    /// - Throws: What keeps it from running.
    init(
        _ settings: ProxySettings, _ wish: RunWish, _ output: OutputOptions, readerGone: @escaping @Sendable () -> Void
    ) throws {
        let recorders = Mutex<Recorder?>(nil)
        console = wish.console
        var settings = settings
        // No client reaches the console through the proxy.
        if let address = console?.address { settings.closedAddresses.append(address) }
        // What is said of conversations on standard error has the marks of the other outputs.
        let hidden = HiddenWords()
        let shares = output.reading.shares(ofProxy: true)
        var opened: RunOutputs?
        do {
            proxy = try Proxy(settings: settings, tell: { writeLine("unmask: \(hidden.left(of: $0))") }) { entrances in
                let files = try output.open(wish, shares)
                opened = files
                hidden.begin(files.plan.redaction)
                let recorder = try output.makeRecorder(
                    for: entrances, outputs: files, within: shares, trouble: wish.console?.trouble, readerGone: readerGone)
                recorders.withLock { $0 = recorder }
                return recorder
            }
        } catch {
            _ = recorders.withLock { $0?.finish() }
            console?.shutDown()
            throw error
        }
        self.output = output
        // It was asked for its recorder, or it would not be there.
        files = try opened ?? output.open(wish, shares)
    }

    /// Opens logs anew that were moved away, where a signal has asked for it. To be called now and then.
    func reopenLogsIfAsked() {
        guard Interruption.wantsLogsReopened else { return }
        let moves = files.reopenLogs()
        guard !moves.isEmpty else { return }
        proxy.recorder.move(moves)
        proxy.recorder.catchUp()
    }

    /// Accepts nobody any more, lets what is open end within the grace, writes the rest and the totals, and gives everything back.
    ///
    /// - Parameters:
    ///   - clientsAreGone: nobody is left who would connect, so that what has begun can be waited for.
    ///   - begin: called with the number of open conversations, where there are any and they get time.
    ///   - linger: called when all is recorded, while the web console still shows it.
    /// - Returns: Whether all of it is written; otherwise it was said what is missing.
    func end(clientsAreGone: Bool = false, grace begin: (Int) -> Void = { _ in }, linger: () -> Void = {}) -> Bool {
        if clientsAreGone { proxy.acceptWhoIsThere() }
        proxy.stopAccepting()
        let open = proxy.openConversations
        if open > 0 { begin(open) }
        proxy.waitForConversations(and: clientsAreGone) { Interruption.hurry.isStopped }
        proxy.endConversations()
        let ending = proxy.recorder.finish()
        if let console {
            console.finish(problem: ending == .complete ? nil : "some records could not be written")
            linger()
            console.shutDown()
            files.settleSessions()
        }
        // Where the recorder still writes, the files are not for us to close.
        let isStored = ending == .gaveUp ? false : files.finish()
        let hasKeys = proxy.finishKeyLog()
        proxy.shutDown()
        if ending == .gaveUp { writeLine("unmask: writing takes too long; the last records are lost") }
        return ending == .complete && isStored && hasKeys
    }
}

/// Hides secrets in lines on standard error, once the outputs are there whose marks they have.
private final class HiddenWords: Sendable {
    private let plan = Mutex<RedactionPlan?>(nil)

    func begin(_ plan: RedactionPlan?) { self.plan.withLock { $0 = plan } }

    func left(of line: String) -> String { plan.withLock { $0 }?.left(of: line) ?? line }
}
