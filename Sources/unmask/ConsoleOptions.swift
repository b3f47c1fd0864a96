import ArgumentParser
import Interception
import Reports
import WebConsole

/// Where a web console listens: `PORT` of 127.0.0.1, or `HOST:PORT`; 0 is any port.
struct ConsoleAddress: ExpressibleByArgument, CustomStringConvertible, Sendable {
    var host = ListenAddress.defaultHost
    var port: UInt16 = 0

    init() {}

    init?(argument: String) {
        guard case .tcp(let host, let port)? = try? ListenAddress(argument) else { return nil }
        (self.host, self.port) = (host, port)
    }

    /// - Throws: `ValidationError` that says what is wrong with it.
    init(checking argument: String) throws {
        let address: ListenAddress
        do throws(SpecError) { address = try ListenAddress(argument) } catch { throw ValidationError("--console: \(error)") }
        guard case .tcp(let host, let port) = address else { throw ValidationError("--console \(argument): it listens at a port.") }
        (self.host, self.port) = (host, port)
    }

    /// Whether a word after `--console` is one, or is meant as one and wrong: it ends with a number, as no path or URL does.
    static func isMeant(by word: String) -> Bool {
        if ConsoleAddress(argument: word) != nil { return true }
        guard !word.contains("/"), let number = word.split(separator: ":", omittingEmptySubsequences: false).last else { return false }
        return !number.isEmpty && number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    var description: String { port == 0 ? "any port" : "\(host):\(port)" }
}

/// The names of a web console.
struct ConsoleNameOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Another name by which browsers may reach the web console, such as that of a tunnel's end; with its port where that is another one. \
            Repeatable.
            """, valueName: "name"))
    var consoleHost: [String] = []

    func validate() throws {
        for name in consoleHost where (try? HostPort.parse(name.utf8, defaultPort: 1)) == nil {
            throw ValidationError("--console-host \(name): expected a name or an address, perhaps with :PORT.")
        }
    }

    func place(at address: ConsoleAddress) -> ConsoleServer.Place {
        var place = ConsoleServer.Place()
        (place.host, place.port, place.names) = (address.host, Int(address.port), consoleHost)
        return place
    }
}

/// The web console beside what a command does.
struct ConsoleOptions: ParsableArguments {
    @Option(
        name: .customLong("console"),
        help: ArgumentHelp(
            """
            Also show the conversations in a browser: a web console at this port of 127.0.0.1, or at HOST:PORT, whose URL is printed. Without a \
            port it takes any. See docs/console.md.
            """, valueName: "port"), transform: ConsoleAddress.init(checking:))
    var address: ConsoleAddress?

    @OptionGroup
    var names: ConsoleNameOptions

    func validate() throws {
        if address == nil, !names.consoleHost.isEmpty { throw ValidationError("--console-host goes with --console.") }
    }

    /// Binds the port of the console.
    ///
    /// - Returns: nil where none is wanted.
    func open(for inputs: [String], saving logs: [LogTarget]) throws -> RunConsole? {
        guard let address else { return nil }
        let saved = logs.first { $0.row.name == OutputRow.session.name }?.path
        return try RunConsole(names.place(at: address), inputs: inputs, saved: saved)
    }
}
