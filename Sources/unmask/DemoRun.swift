import CaptureFiles
import Demonstration
import Interception
import NIOCore
import NIOPosix
import Reports
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One run of `unmask demo`: servers, proxy and client in one process, and a word before each part.
struct DemoRun {
    let pace: Pace
    let write: String?
    let output: OutputOptions

    /// Nobody reads standard output any more.
    private let readerGone = StopFlag()

    init(pace: Pace, write: String?, output: OutputOptions) {
        self.pace = pace
        self.write = write
        self.output = output
    }

    /// What a part may take, in moments of `waitAMoment`.
    private static let longestPart = 3_000

    /// Gives the exit status.
    func run() -> Int32 {
        Interruption.watch(isOrderly: true)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        do {
            try play(on: group)
        } catch is Interrupted {
            return readerGone.isStopped ? 0 : 130
        } catch {
            writeLine("unmask: \(error)")
            return 1
        }
        return 0
    }

    private func play(on group: MultiThreadedEventLoopGroup) throws {
        let trust = try ScratchTrust()
        // The proxy reads it while it is made; then it is gone, whatever ends this program.
        let (plainServer, secureServer, proxy, recorder): (ChatServer, ChatServer, Proxy, Recorder)
        do {
            defer { trust.remove() }
            plainServer = try ChatServer(on: group, tls: nil, pace: pace)
            secureServer = try ChatServer(on: group, tls: trust.server, pace: pace)
            (proxy, recorder) = try makeProxy(for: plainServer, trust)
        }
        let ports = proxy.entrances.map { $0.address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
        let client = ChatClient(on: group, pace: pace)
        do {
            recorder.catchUp()
            say(DemoWords.plain(serverPort: plainServer.port, proxyPort: ports[0]))
            try wait(for: proxy, recorder) { try await client.run(.cutEmoji, over: .plain(port: ports[0])) }
            say(DemoWords.secure(serverPort: secureServer.port, proxyPort: ports[1]))
            let route = ChatRoute.tunnel(proxyPort: ports[1], serverPort: secureServer.port, tls: trust.client)
            try wait(for: proxy, recorder) { try await client.run(.farewell, over: route) }
            say("")
        } catch {
            proxy.shutDown()
            _ = recorder.finish()
            throw error
        }
        proxy.shutDown()
        guard recorder.finish() == .complete else { return }
        if !readerGone.isStopped { say(DemoWords.next) }
    }

    private func makeProxy(for server: ChatServer, _ trust: ScratchTrust) throws -> (Proxy, Recorder) {
        let anyPort = ListenAddress.tcp(host: ListenAddress.defaultHost, port: 0)
        let upstream = try UpstreamURL("ws://localhost:\(server.port)")
        var settings = ProxySettings(entrances: [
            .init(mode: .reverse(upstream), address: anyPort), .init(mode: .http, address: anyPort),
        ])
        settings.threads = 1
        settings.tls.authorityFolder = trust.proxyFolder
        settings.tls.upstreamAuthorities = [trust.serverAuthorityPath]
        let recorders = Mutex<Recorder?>(nil)
        let proxy: Proxy
        do {
            proxy = try Proxy(settings: settings, tell: { writeLine("unmask: \($0)") }) { entrances in
                let recorder = try output.makeRecorder(for: entrances, blocks: false, write: write) { [readerGone] in readerGone.stop() }
                recorders.withLock { $0 = recorder }
                return recorder
            }
        } catch {
            _ = recorders.withLock { $0?.finish() }
            throw error
        }
        guard let recorder = recorders.withLock({ $0 }) else { throw Interrupted() }
        return (proxy, recorder)
    }

    /// Runs a part to its end, until all of it is printed.
    private func wait(for proxy: Proxy, _ recorder: Recorder, _ part: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Outcome()
        let task = Task {
            do {
                try await part()
                outcome.result.withLock { $0 = .success(()) }
            } catch {
                outcome.result.withLock { $0 = .failure(error) }
            }
        }
        var moments = 0
        while !outcome.isThere || proxy.openConversations > 0 {
            if Interruption.stop.isStopped || readerGone.isStopped {
                proxy.shutDown()
                task.cancel()
                throw Interrupted()
            }
            moments += 1
            guard moments < Self.longestPart else {
                task.cancel()
                throw Overdue()
            }
            waitAMoment()
        }
        try outcome.result.withLock { try $0?.get() }
        recorder.catchUp()
    }

    /// Waits 10 ms, less if a signal comes.
    private func waitAMoment() {
        var moment = timespec(tv_sec: 0, tv_nsec: 10_000_000)
        nanosleep(&moment, nil)
    }

    /// Tells the user something: beside the conversations where those are text, else on standard error.
    private func say(_ text: String) {
        writeLine(text, to: output.format == .text ? STDOUT_FILENO : STDERR_FILENO)
    }

    private final class Outcome: Sendable {
        let result = Mutex<Result<Void, any Error>?>(nil)
        var isThere: Bool { result.withLock { $0 != nil } }
    }

    private struct Interrupted: Error {}

    private struct Overdue: Error, CustomStringConvertible {
        var description: String { "the chat takes far too long" }
    }
}
