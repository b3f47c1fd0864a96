import CaptureFiles
import Dissection
import Interception
import Libc
import NIOCore
import Reports
import Synchronization

/// One run of `unmask proxy`, from binding to the totals.
struct ProxyRun {
    let settings: ProxySettings
    let wish: RunOutputs.Wish
    let output: OutputOptions

    /// A path of the server's URL has no effect, and the user may think that it has.
    private func tellIgnoredPaths() {
        for entrance in settings.entrances {
            guard case .reverse(let upstream) = entrance.mode, !upstream.ignoredPath.isEmpty else { continue }
            writeLine(
                "unmask: \(upstream): the path \(upstream.ignoredPath) is ignored; the request target of the client is relayed as it is")
        }
    }

    /// Gives the exit status.
    func run() -> Int32 {
        Interruption.watch(isOrderly: true, hasLogs: !output.logs.isEmpty)
        let recorders = Mutex<Recorder?>(nil)
        var killGuard: KillGuard?
        tellIgnoredPaths()
        do {
            let standardOutput = try StandardOutputFile.take()
            defer { standardOutput?.release() }
            let shares = output.shares(ofProxy: true)
            var files: RunOutputs?
            let proxy = try Proxy(settings: settings, tell: { writeLine("unmask: \($0)") }) { entrances in
                // Only now, when the addresses are ours: a second proxy that cannot listen empties no file.
                let opened = try RunOutputs(output, wish, shares)
                files = opened
                let recorder = try output.makeRecorder(for: entrances, outputs: opened, within: shares) { Interruption.stop.stop() }
                recorders.withLock { $0 = recorder }
                return recorder
            }
            killGuard = KillGuard.start(charges(files, standardOutput))
            for entrance in proxy.entrances { tell(entrance) }
            warnAboutReach(proxy.entrances)
            while !Interruption.stop.isStopped {
                waitAMoment()
                guard Interruption.wantsLogsReopened, let moves = files?.reopenLogs(), !moves.isEmpty else { continue }
                let next = KillGuard.start(charges(files, standardOutput))
                proxy.recorder.move(moves)
                proxy.recorder.catchUp()
                // The files that are left behind are looked after until nothing more is written to them.
                if let old = killGuard.take() { old.dismiss() }
                killGuard = next
            }
            proxy.stopAccepting()
            let open = proxy.openConversations
            if open > 0, settings.patience.grace.nanoseconds > 0 {
                writeLine(
                    "unmask: \(open) \(open == 1 ? "conversation is" : "conversations are") open; Ctrl-C again ends \(open == 1 ? "it" : "them") now"
                )
            }
            proxy.waitForConversations { Interruption.hurry.isStopped }
            proxy.endConversations()
            let ending = recorders.withLock { $0?.finish() }
            // Where the recorder still writes, the files are not for us to close.
            let isStored = ending == .gaveUp ? false : files?.finish() ?? true
            let hasKeys = proxy.finishKeyLog()
            if let killGuard = killGuard.take() { killGuard.dismiss() }
            proxy.shutDown()
            if ending == .gaveUp { writeLine("unmask: writing takes too long; the last records are lost") }
            return ending == .complete && isStored && hasKeys ? 0 : 1
        } catch {
            if let error = error as? OutputFileError, error.isInterrupted { return 130 }
            writeLine("unmask: \(error)")
            _ = recorders.withLock { $0?.finish() }
            if let killGuard = killGuard.take() { killGuard.dismiss() }
            return 1
        }
    }

    /// What a guard has to look after.
    private func charges(_ files: RunOutputs?, _ standardOutput: StandardOutputFile?) -> [KillGuard.Charge] {
        var charges = files?.charges ?? []
        if let start = standardOutput?.start, output.format != .json, !output.stats {
            charges.append(.init(form: output.format == .text ? .lines : .records, descriptor: STDOUT_FILENO, start: start))
        }
        return charges
    }

    private func tell(_ entrance: Proxy.Entrance) {
        writeLine("unmask: listening on \(entrance.address) (\(entrance.mode.lineDescription))")
    }

    /// Whoever listens for others than this machine lets them in.
    private func warnAboutReach(_ bound: [Proxy.Entrance]) {
        for (entrance, bound) in zip(settings.entrances, bound) where !entrance.address.isLoopback {
            let takesPassword = entrance.mode == .http || entrance.mode == .socks5
            let users = takesPassword && settings.credentials != nil ? "everybody who knows the password" : "everybody who can reach it"
            let advice = takesPassword && settings.credentials == nil ? "; --auth user:password asks for a password" : ""
            writeLine("unmask: \(bound.address) can be reached from other machines, and \(users) can use this proxy\(advice)")
        }
    }
}

/// Waits until a signal comes, or a moment has passed.
private func waitAMoment() {
    var moment = timespec(tv_sec: 0, tv_nsec: 100_000_000)
    nanosleep(&moment, nil)
}

extension ModeSpec {
    /// For the line that tells where the proxy listens.
    fileprivate var lineDescription: String { if case .reverse(let upstream) = self { "reverse \(upstream)" } else { name } }
}
