import CaptureFiles
import Dissection
import Interception
import Reports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One run of `unmask proxy`, from binding to the totals.
struct ProxyRun {
    let settings: ProxySettings
    let write: String?
    let blocks: Bool
    let output: OutputOptions

    /// Gives the exit status.
    func run() -> Int32 {
        Interruption.watch()
        do {
            let recorder = Recorder()
            let proxy = try Proxy(settings: settings, recorder: recorder)
            for entrance in proxy.entrances { tell(entrance) }
            while !Interruption.stop.isStopped { waitAMoment() }
            proxy.stopAccepting()
            proxy.waitForConversations { false }
            proxy.shutDown()
            return 0
        } catch {
            writeLine("unmask: \(error)")
            return 1
        }
    }

    private func tell(_ entrance: Proxy.Entrance) {
        writeLine("unmask: listening on \(entrance.address) (\(entrance.mode.lineDescription))")
    }
}

/// Waits until a signal comes, or a moment has passed.
private func waitAMoment() {
    var moment = timespec(tv_sec: 0, tv_nsec: 100_000_000)
    nanosleep(&moment, nil)
}

extension ModeSpec {
    /// For the line that tells where the proxy listens.
    var lineDescription: String { if case .reverse(let upstream) = self { "reverse \(upstream)" } else { name } }
}
