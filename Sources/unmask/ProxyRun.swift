import CaptureFiles
import Interception
import Libc
import NIOCore
import Reports
import Runs

/// One run of `unmask proxy`, from binding to the totals.
struct ProxyRun {
    let settings: ProxySettings
    let wish: RunWish
    let output: OutputOptions
    let console: ConsoleOptions

    /// A path of the server's URL has no effect, and the user may think that it has.
    private func tellIgnoredPaths() {
        for entrance in settings.entrances {
            guard case .reverse(let upstream) = entrance.mode, !upstream.ignoredPath.isEmpty else { continue }
            let path = output.redaction.plan(output.payloads)?.left(of: upstream.ignoredPath) ?? upstream.ignoredPath
            writeLine("unmask: \(upstream): the path \(path) is ignored; the request target of the client is relayed as it is")
        }
    }

    /// Gives the exit status.
    func run() -> Int32 {
        Interruption.watch(isOrderly: true, hasLogs: !output.logs.isEmpty)
        tellIgnoredPaths()
        do {
            try StandardOutputFile.lock()
            defer { StandardOutputFile.release() }
            var wish = wish
            wish.console = try console.open(for: settings.entrances.map(\.mode.lineDescription), saving: output.logs)
            let live = try LiveProxy(settings, wish, output) { Interruption.stop.stop() }
            tell(live.proxy.entrances)
            warnAboutReach(live.proxy.entrances)
            while !Interruption.stop.isStopped {
                waitAMoment()
                live.reopenLogsIfAsked()
            }
            let isComplete = live.end { open in
                guard settings.patience.grace.nanoseconds > 0 else { return }
                writeLine(
                    "unmask: \(open) \(open == 1 ? "conversation is" : "conversations are") open; Ctrl-C again ends \(open == 1 ? "it" : "them") now"
                )
            }
            return isComplete ? 0 : 1
        } catch {
            if let error = error as? OutputFileError, error.isInterrupted { return 130 }
            writeLine("unmask: \(error)")
            return 1
        }
    }

    /// One line, however many addresses there are.
    private func tell(_ entrances: [Proxy.Entrance]) {
        let places = entrances.map { "\($0.address) (\($0.mode.lineDescription))" }
        writeLine("unmask: listening on \(places.joined(separator: ", "))")
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
