import ArgumentParser
import CertificateAuthority
import Libc

struct CACommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ca",
        abstract: "Makes and shows the local CA, the certificate authority that the proxy signs its certificates with.",
        discussion: """
            A client that is to be watched over TLS has to trust this CA. It is made once, on this machine; its key \
            never leaves it.

              unmask ca                               shows it, and makes it first
              unmask ca install                       lets this machine trust it
              curl --cacert "$(unmask ca path)" …     lets one program trust it
            """,
        subcommands: [
            CAShowCommand.self, CAPathCommand.self, CAExportCommand.self, CAInstallCommand.self, CARemoveCommand.self,
        ],
        defaultSubcommand: CAShowCommand.self)

    /// The arguments of the program with the folder of the CA after the subcommand, where the parser looks for it: `ca --ca-folder F path` is
    /// `ca path --ca-folder F`.
    static func inOrder(_ arguments: [String]) -> [String] {
        guard arguments.count > 2, arguments[0] == "ca", arguments[1].hasPrefix("--ca-folder") else { return arguments }
        let end = arguments[1] == "--ca-folder" ? 3 : 2
        guard arguments.count > end, configuration.subcommands.contains(where: { $0.configuration.commandName == arguments[end] }) else {
            return arguments
        }
        return ["ca", arguments[end]] + arguments[1..<end] + arguments[(end + 1)...]
    }
}

/// Which authority is meant.
struct CAFolderOption: ParsableArguments {
    @Option(
        name: .customLong("ca-folder"),
        help: ArgumentHelp("Folder of the local CA. (default: $XDG_DATA_HOME/unmask, else ~/.local/share/unmask)", valueName: "folder"),
        completion: .directory)
    var path: String?

    func validate() throws {
        try checkPath(path, of: "--ca-folder", what: "folder")
    }

    /// The folder, with an absolute path: what is printed may be used from anywhere.
    func folder() throws(AuthorityError) -> AuthorityFolder {
        guard let path else { return try AuthorityFolder.standard() }
        guard !path.hasPrefix("/"), let current = getcwd(nil, 0) else { return AuthorityFolder(path: path) }
        defer { free(current) }
        return AuthorityFolder(path: String(cString: current) + "/" + path)
    }
}

/// Runs what may fail for the sake of the authority; the error goes to standard error and the exit status is 1.
func withAuthority<Result>(_ body: () throws(AuthorityError) -> Result) throws -> Result {
    do {
        return try body()
    } catch {
        writeLine("unmask: \(error)")
        throw ExitCode(1)
    }
}

struct CAShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Makes the CA if there is none, and shows it.")

    @OptionGroup
    var option: CAFolderOption

    func run() throws {
        let (folder, certificate) = try withAuthority { () throws(AuthorityError) in
            let folder = try option.folder()
            return (folder, try LocalAuthority.loadOrCreate(in: folder).certificate)
        }
        let file = ShellWord.quoted(folder.certificatePath)
        print(
            """
            \(certificate.name)
              SHA-256      \(certificate.fingerprint)
              valid        \(CalendarDay.text(certificate.notValidBefore)) to \(CalendarDay.text(certificate.notValidAfter))
              certificate  \(folder.certificatePath)
              private key  \(folder.keyPath) (never share it)

            Over TLS the proxy can show what a client says only if the client trusts this authority:
              this machine's programs   unmask ca install
              curl                      curl --cacert \(file) …
              Node                      NODE_EXTRA_CA_CERTS=\(file) node …
              a phone, through the proxy: open http://unmask.test/
            docs/certificates.md tells of iOS, Android, Java and others. unmask ca remove takes it all back.
            """)
    }
}

struct CAPathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path", abstract: "Prints the path of the CA certificate, and nothing else.")

    @OptionGroup
    var option: CAFolderOption

    func run() throws {
        let folder = try withAuthority { () throws(AuthorityError) in
            let folder = try option.folder()
            _ = try LocalAuthority.loadOrCreate(in: folder)
            return folder
        }
        print(folder.certificatePath)
    }
}
