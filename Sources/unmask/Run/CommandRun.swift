import CaptureFiles
import CertificateAuthority
import Interception
import Libc
import Reports
import Runs

/// One run of `unmask run`: a proxy, a command that goes through it, and the end of both.
struct CommandRun {
    /// Without ways in and without an authority; those are made here.
    var settings: ProxySettings
    let wish: RunWish
    let output: OutputOptions
    let console: ConsoleOptions
    /// The program and its arguments.
    let words: [String]
    let hasOwnNetwork: Bool

    /// Gives the exit status.
    mutating func run() -> Int32 {
        RunBeginning.run(words, hasLogs: !output.logs.isEmpty) { program, folder, files in
            try run(program, try authority(), in: folder, files: files)
        }
    }

    /// One that nobody else has, unless the user names one.
    private func authority() throws -> LocalAuthority {
        if let folder = settings.tls.authorityFolder { return try .loadOrCreate(in: AuthorityFolder(path: folder)) }
        return try .temporary()
    }

    /// The CA is of this run, so that `unmask ca` is of no use.
    private static func trustAdvice(hasOwnNetwork: Bool) -> String {
        hasOwnNetwork
            ? "Add the CA of this run, which SSL_CERT_FILE names, to the program's own list of CAs"
            : "Run it with sudo unmask run --all, which replaces the system's list of CAs for it"
    }

    private mutating func run(_ program: String, _ authority: LocalAuthority, in folder: borrowing RunFolder, files: Int) throws -> Int32 {
        let variable = { AuthorityFolder.environment($0) }
        let trust = try TrustFiles(authority.certificate, in: folder, variable: variable)
        if !trust.hasSystem { writeLine("unmask: the system's list of CAs was not found; the program trusts the CA of this run alone") }
        settings.tls.authority = authority
        if settings.tls.authorityFolder == nil { settings.tls.trustAdvice = Self.trustAdvice(hasOwnNetwork: hasOwnNetwork) }
        if !settings.tls.isInsecure, let given = trust.given { settings.tls.upstreamAuthorities.append(given) }
        let network = hasOwnNetwork ? try OwnNetwork(in: folder) : nil
        if let network {
            settings.entrances = network.entrances
            settings.connected = { network.connection(to: $0) }
            if trust.hasSystem, !network.trust(trust.everything) {
                writeLine("unmask: the system's list of CAs could not be replaced; programs that ask it refuse the proxy's certificates")
            }
        } else {
            let anyPort = ListenAddress.tcp(host: ListenAddress.defaultHost, port: 0)
            settings.entrances = [.init(mode: .http, address: anyPort), .init(mode: .socks5, address: anyPort)]
            tellGivenProxy(variable)
        }
        // The command goes on where nobody reads what is shown.
        var wish = wish
        wish.console = try console.open(for: [words[0]], saving: output.logs)
        let live = try LiveProxy(settings, wish, output) {}
        do {
            let ports = hasOwnNetwork ? nil : RunVariables.Ports(live.proxy.entrances)
            let preload = try ports.map { try folder.write("node.cjs", Array(NodePreload.script(port: $0.http).utf8)) }
            // The user's own options may have passwords.
            let wget = try ports.map { try folder.write("wgetrc", WgetFile.bytes($0, trust, variable: variable), isPrivate: true) }
            let environment = RunVariables(ports, trust, preload: preload, wget: wget, variable: variable).environment()
            let arguments = arguments(ports, pin: authority.leafKey.pin, folder: folder.path)
            let start: @Sendable () throws -> CommandProcess = {
                try CommandProcess.start(program, arguments, environment: environment, files: files)
            }
            let command = try network?.start(start) ?? start()
            folder.isUsed(by: command.identifier)
            SignalRelay.begin(command.identifier)
            let status = wait(for: command, live)
            SignalRelay.end()
            let hasConsole = wish.console != nil
            _ = live.end(clientsAreGone: true, linger: { if hasConsole { RunConsole.linger(after: name) } })
            if live.proxy.recorder.begunConversations == 0 { tellNothingCame() }
            return status
        } catch {
            Interruption.stop.stop()
            _ = live.end()
            throw error
        }
    }

    /// A program that follows no proxy setting goes by the proxy in silence, and so does one that makes no connection.
    private func tellNothingCame() {
        if hasOwnNetwork { return writeLine("unmask: \(name) made no TCP connection") }
        #if os(Linux)
        let advice = "`sudo unmask run --all` takes every TCP connection of a program"
        #else
        let advice = "set the proxy in its own settings"
        #endif
        writeLine("unmask: nothing came through the proxy: \(name) made no connection, or does not follow proxy settings; \(advice)")
    }

    private var name: String { words[0].split(separator: "/").last.map(String.init) ?? words[0] }

    private func wait(for command: CommandProcess, _ live: LiveProxy) -> Int32 {
        while true {
            if let status = command.status() { return status }
            // SIGCHLD ends it early.
            var moment = timespec(tv_sec: 0, tv_nsec: 100_000_000)
            nanosleep(&moment, nil)
            live.reopenLogsIfAsked()
        }
    }

    /// The command's words, and options for a browser.
    private func arguments(_ ports: RunVariables.Ports?, pin: String, folder: String) -> [[CChar]] {
        var arguments = CommandProcess.givenWords(last: words.count)
        guard BrowserFlags.isForCommand(words[0]) else { return arguments }
        arguments.insert(contentsOf: BrowserFlags.flags(ports, pin: pin, folder: folder).map { Array($0.utf8CString) }, at: 1)
        return arguments
    }

    /// A proxy that the environment names is not gone through: what the command would have reached by it alone is out of reach.
    private func tellGivenProxy(_ variable: (String) -> String?) {
        guard settings.via == nil else { return }
        let names = RunVariables.proxyVariables.flatMap { [$0, $0.uppercased()] }
        guard let name = names.first(where: { variable($0).map { !$0.isEmpty } ?? false }), let value = variable(name) else { return }
        let place = RunVariables.place(ofProxy: value).map { " to \($0)" } ?? ""
        writeLine("unmask: \(name) is set\(place), and servers are reached directly; --via URL reaches them through that proxy")
    }
}
