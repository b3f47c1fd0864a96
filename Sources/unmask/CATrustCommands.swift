import ArgumentParser
import CertificateAuthority
import Libc

/// Which of this machine's places are meant, and whether to touch them.
struct CAScopeOptions: ParsableArguments {
    @Flag(name: .customLong("system-only"), help: "Only the system's trust store, or the keychain on macOS.")
    var isSystemOnly = false

    @Flag(name: .customLong("nss-only"), help: "Only the databases of Chromium and Firefox.")
    var isNSSOnly = false

    @Flag(name: .customLong("dry-run"), help: "Print the commands and run none of them.")
    var isDryRun = false

    func validate() throws {
        if isSystemOnly && isNSSOnly { throw ValidationError("--system-only and --nss-only exclude each other.") }
    }

    var scope: TrustPlan.Scope { isSystemOnly ? .system : isNSSOnly ? .nss : [.system, .nss] }

    /// Carries a plan out, or prints it.
    ///
    /// - Parameter isInstall: where every place is skipped, nothing trusts the authority.
    /// - Returns: the exit status: 1 where something that had to be done was not.
    func carryOut(_ plan: TrustPlan, isInstall: Bool = false) -> Int32 {
        var status: Int32 = 0
        var isUseless = isInstall && !isDryRun
        for place in plan.places {
            if isDryRun {
                printCommands(of: place)
                continue
            }
            let outcome = place.carryOut()
            if case .skipped = outcome {} else { isUseless = false }
            switch outcome {
            case .done: print("done     \(place.name)\(place.note.isEmpty ? "" : ": " + place.note)")
            case .skipped(let reason): print("skipped  \(place.name): \(reason)")
            case .needsRoot(let line):
                print("not done \(place.name): it takes the rights of root; type\n  \(line)")
                status = 1
            case .failed(let reason):
                print("failed   \(place.name): \(reason)")
                status = 1
            }
        }
        guard isUseless else { return status }
        writeLine("unmask: the certificate was not installed anywhere; `unmask ca export` writes it to a file for other programs")
        return 1
    }

    private func printCommands(of place: TrustPlace) {
        print("# \(place.name)")
        switch place.work {
        case .run(let commands): for command in commands { print(command.line) }
        case .needsRoot(let commands): for command in commands { print("sudo " + command.line) }
        case .skip(let reason): print("# skipped: \(reason)")
        }
    }
}

struct CAInstallCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "install",
        abstract: "Makes this machine's programs trust the local CA.",
        discussion: """
            Enters it in the system's trust store (Linux, as root) or in the login keychain (macOS), and in the databases of \
            Chromium and Firefox where certutil is installed. Says of each place what was done, or why not. What is not done \
            for lack of rights ends with status 1 and the line to type.
            """)

    @OptionGroup
    var scope: CAScopeOptions

    @OptionGroup
    var option: CAFolderOption

    func run() throws {
        let (folder, certificate) = try withAuthority { () throws(AuthorityError) in
            let folder = try option.folder()
            return (folder, try LocalAuthority.loadOrCreate(in: folder).certificate)
        }
        if let user = AuthorityFolder.environment("SUDO_USER"), !user.isEmpty, option.path == nil, getuid() == 0 {
            writeLine(
                "unmask: this is root's authority, in \(folder.path); for that of \(user) run this without sudo, or name its --ca-folder")
        }
        let status = scope.carryOut(
            TrustPlan(.install, certificate: certificate, path: folder.certificatePath, scope: scope.scope), isInstall: true)
        throw ExitCode(status)
    }
}

struct CARemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Removes the local CA from this machine's programs, and deletes it.",
        discussion: """
            Other devices that were told to trust it keep doing so until they are told otherwise; without its key that means \
            nothing.
            """)

    @Flag(name: .customLong("yes"), help: "Delete without asking.")
    var isSure = false

    @Flag(name: .customLong("keep-authority"), help: "Only undo what ca install did; the certificate and its key stay.")
    var keepsAuthority = false

    @OptionGroup
    var scope: CAScopeOptions

    @OptionGroup
    var option: CAFolderOption

    func validate() throws {
        if scope.isSystemOnly || scope.isNSSOnly, !keepsAuthority {
            throw ValidationError("--system-only and --nss-only take --keep-authority: what is deleted has to be out of every place.")
        }
    }

    func run() throws {
        let folder = try withAuthority { () throws(AuthorityError) in try option.folder() }
        var certificate: AuthorityCertificate?
        do {
            certificate = try AuthorityCertificate.read(from: folder)
        } catch  where error.kind == .missing {
            writeLine("unmask: \(folder.pairPath): there is no local CA, so there is nothing to remove")
            throw ExitCode(1)
        } catch {
            // What cannot be read can still be deleted.
            writeLine("unmask: \(error)")
            writeLine("unmask: without its certificate it is not known where the CA was installed; see docs/certificates.md")
            if keepsAuthority { throw ExitCode(1) }
        }
        if !keepsAuthority, !isSure, !scope.isDryRun { try confirm(certificate?.name ?? folder.pairPath) }
        if let certificate {
            let plan = TrustPlan(.remove, certificate: certificate, path: folder.certificatePath, scope: scope.scope)
            if scope.carryOut(plan) != 0 {
                if !keepsAuthority { writeLine("unmask: the CA itself stays until the places above are clear; then run this again") }
                throw ExitCode(1)
            }
        }
        if keepsAuthority { return }
        if scope.isDryRun {
            print("# the authority\n" + ShellWord.line(["rm", "-f", folder.keyPath, folder.certificatePath]))
            return
        }
        for path in try withAuthority({ () throws(AuthorityError) in try LocalAuthority.delete(in: folder) }) { print("deleted  \(path)") }
    }

    /// Asks on the terminal; anything but yes ends it.
    private func confirm(_ name: String) throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("There is no terminal to ask on; --yes deletes the CA without asking.")
        }
        print("Delete \(name), and its key with it? A new one has to be trusted anew by every device. Type yes: ", terminator: "")
        fflush(nil)
        guard readLine()?.lowercased() == "yes" else {
            writeLine("unmask: nothing was changed")
            throw ExitCode(1)
        }
    }
}
