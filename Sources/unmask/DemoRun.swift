import CaptureFiles
import Demonstration
import Interception
import Libc
import NIOCore
import NIOPosix
import Reports
import Runs
import Synchronization

/// One run of `unmask demo`: servers, proxy and client in one process, and a word before each part.
struct DemoRun {
    let pace: Pace
    let write: String?
    let output: OutputOptions
    let console: ConsoleOptions

    /// Nobody reads standard output any more.
    private let readerGone = StopFlag()

    init(pace: Pace, write: String?, output: OutputOptions, console: ConsoleOptions) {
        self.pace = pace
        self.write = write
        self.output = output
        self.console = console
    }

    /// What a part may take, in moments of `waitAMoment`.
    private static let longestPart = 3_000

    private struct Interrupted: Error {}

    private struct Overdue: Error, CustomStringConvertible {
        var description: String { "the chat takes far too long" }
    }

    /// Gives the exit status.
    func run() -> Int32 {
        Interruption.watch(isOrderly: true, hasLogs: !output.logs.isEmpty)
        do {
            // Shared threads, which nobody stops: a chat that is interrupted may still be on them when the program ends.
            let isWritten = try play(on: .singleton)
            // A reader that goes away has seen enough.
            return isWritten || readerGone.isStopped ? 0 : 1
        } catch is Interrupted {
            return readerGone.isStopped ? 0 : 130
        } catch {
            if let error = error as? OutputFileError, error.isInterrupted { return 130 }
            writeLine("unmask: \(error)")
            return 1
        }
    }

    /// - Returns: Whether all of it is written; otherwise it was said what is missing.
    private func play(on group: MultiThreadedEventLoopGroup) throws -> Bool {
        let shares = output.reading.shares(ofProxy: true)
        var wish = RunWish(source: .proxy(isLossy: false), follows: true, write: write, drain: .whenFull)
        wish.console = try console.open(for: ["the demo"], saving: output.logs)
        defer { wish.console?.shutDown() }
        let outputs = try output.open(wish, shares)
        do {
            let isRecorded = try play(on: group, outputs, beside: wish.console, within: shares)
            if let console = wish.console {
                console.finish(problem: isRecorded ? nil : "some records could not be written")
                RunConsole.lingerAfterDemo()
                console.shutDown()
                outputs.settleSessions()
            }
            return outputs.finish() && isRecorded
        } catch {
            _ = outputs.finish()
            throw error
        }
    }

    /// - Returns: Whether everything was recorded.
    private func play(
        on group: MultiThreadedEventLoopGroup, _ outputs: RunOutputs, beside console: RunConsole?, within shares: MemoryShares
    ) throws -> Bool {
        let (plainServer, secureServer, proxy, trust): (ChatServer, ChatServer, Proxy, ScratchTrust)
        do {
            trust = try ScratchTrust()
            // The proxy reads it while it is made; from then on nothing is left behind, whatever ends this program.
            defer { trust.remove() }
            plainServer = try ChatServer(on: group, tls: nil, pace: pace)
            secureServer = try ChatServer(on: group, tls: trust.server, pace: pace)
            proxy = try makeProxy(for: plainServer, trust, outputs, console, within: shares)
        }
        let ports = proxy.entrances.map { $0.address.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
        let client = ChatClient(on: group, pace: pace)
        do {
            let words = DemoWords(isBold: output.format == .text && output.usesColor)
            defer {
                plainServer.close()
                secureServer.close()
            }
            try show(words.plain(serverPort: plainServer.port, proxyPort: ports[0]), on: proxy) {
                try await client.run(.cutEmoji, over: .plain(port: ports[0]))
            }
            let route = ChatRoute.tunnel(proxyPort: ports[1], serverPort: secureServer.port, tls: trust.client)
            try show(words.secure(serverPort: secureServer.port, proxyPort: ports[1]), on: proxy) {
                try await client.run(.farewell, over: route)
            }
            let isRecorded = end(proxy)
            say(words.next)
            return isRecorded
        } catch {
            _ = end(proxy)
            throw error
        }
    }

    private func makeProxy(
        for server: ChatServer, _ trust: ScratchTrust, _ outputs: RunOutputs, _ console: RunConsole?, within shares: MemoryShares
    ) throws -> Proxy {
        let anyPort = ListenAddress.tcp(host: ListenAddress.defaultHost, port: 0)
        let upstream = try UpstreamURL("ws://localhost:\(server.port)")
        var settings = ProxySettings(entrances: [
            .init(mode: .reverse(upstream), address: anyPort), .init(mode: .http, address: anyPort),
        ])
        settings.threads = 1
        if let address = console?.address { settings.closedAddresses.append(address) }
        settings.tls.authorityFolder = trust.proxyFolder
        settings.tls.upstreamAuthorities = [trust.serverAuthorityPath]
        return try Proxy(settings: settings, tell: { writeLine("unmask: \($0)") }) { entrances in
            try output.makeRecorder(for: entrances, outputs: outputs, within: shares, trouble: console?.trouble) { [readerGone] in
                readerGone.stop()
            }
        }
    }

    /// Runs a part to its end, until all of it is printed.
    ///
    /// - Throws: `Interrupted`, `Overdue`, and what the part throws.
    private func show(_ words: String, on proxy: Proxy, _ part: @escaping @Sendable () async throws -> Void) throws {
        proxy.recorder.catchUp()
        guard !isOver else { throw Interrupted() }
        say(words)
        let outcome = Outcome()
        let task = Task { outcome.set(await Result(catching: part)) }
        var moments = 0
        while !outcome.isThere || proxy.openConversations > 0 {
            moments += 1
            guard !isOver, moments < Self.longestPart else {
                // The proxy first, so that it is the one who ended the conversation.
                proxy.endConversations()
                task.cancel()
                throw isOver ? Interrupted() : Overdue()
            }
            waitAMoment()
        }
        proxy.recorder.catchUp()
        try outcome.get()
    }

    private var isOver: Bool { Interruption.stop.isStopped || readerGone.isStopped }

    /// Stops the proxy and has the totals printed.
    ///
    /// - Returns: Whether everything was recorded.
    private func end(_ proxy: Proxy) -> Bool {
        say("")
        proxy.stopAccepting()
        proxy.endConversations()
        let ending = proxy.recorder.finish()
        proxy.shutDown()
        return ending == .complete
    }

    /// Waits 10 ms, less if a signal comes.
    private func waitAMoment() {
        var moment = timespec(tv_sec: 0, tv_nsec: 10_000_000)
        nanosleep(&moment, nil)
    }

    /// Tells the user something: among the conversations where those are text, else on standard error.
    private func say(_ text: String) {
        writeText(text, to: output.format == .text ? STDOUT_FILENO : STDERR_FILENO)
    }

    /// What a task came to, for a thread that looks now and then.
    private final class Outcome: Sendable {
        private let result = Mutex<Result<Void, any Error>?>(nil)

        func set(_ new: Result<Void, any Error>) { result.withLock { $0 = new } }
        func get() throws { try result.withLock { $0 }?.get() }
        var isThere: Bool { result.withLock { $0 != nil } }
    }
}

extension Result where Success == Void, Failure == any Error {
    fileprivate init(catching body: @Sendable () async throws -> Void) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
