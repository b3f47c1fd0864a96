import ArgumentParser
import CaptureFiles
import CertificateAuthority
import Dissection
import Libc
import Reports

struct ProfileCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile",
        abstract: "Writes, checks and shows profiles: files of options that hold for a folder.",
        discussion: """
            A file unmask.yml in the working folder holds for read, capture, proxy, run and extract: its keys are their long options. What the \
            command line names wins.

              hide: [heartbeats]
              decode-as: ["tcp.port=9000=websocket"]
              proxy:
                mode: http

            Options that write files or weaken TLS count only where the file is named with --profile.
            """,
        subcommands: [ProfileShowCommand.self, ProfileInitCommand.self])
}

/// Prints what holds.
struct ProfileShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Checks a profile, and prints the options that it adds to each command.")

    @Option(help: ArgumentHelp("The profile; unmask.yml in the working folder unless named.", valueName: "file"), completion: .file())
    var profile: String?

    func run() throws {
        let profile: Profile
        do {
            profile = try Profile(path: self.profile ?? Profile.fileName, isFound: self.profile == nil)
        } catch {
            error.tell()
            throw ExitCode(2)
        }
        var text = "\(profile.path.visible)\n"
        for command in Profile.commands {
            let name = command.configuration.commandName ?? ""
            do {
                let added = try ProfileArguments.arguments(of: profile, for: command)
                text += "  \(name)" + String(repeating: " ", count: max(1, 10 - name.count))
                text += (added.isEmpty ? "nothing" : ShellWord.line(added).visible) + "\n"
            } catch {
                error.tell()
                throw ExitCode(2)
            }
        }
        printText(text)
    }
}

/// Writes a profile from what a capture has.
struct ProfileInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes unmask.yml from what was recognised in captures; without one, an example.")

    @Argument(help: ArgumentHelp("Capture files, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The file to write, or - for standard output.", valueName: "file"), completion: .file())
    var to = Profile.fileName

    @Flag(help: "Replace the file where there is one.")
    var force = false

    func validate() throws {
        for path in files { try checkPath(path, of: "profile init") }
        try checkPath(to, of: "--to")
    }

    func run() throws {
        Interruption.watch(hasLogs: false)
        var survey = PayloadSurvey()
        var dissector = Dissector(limits: Limits(), seed: UInt64.random(in: .min ... .max))
        var status: Int32 = 0
        for path in files {
            do {
                var reader = try CaptureReader(path: path, stop: Interruption.stop)
                while true {
                    guard let item = try reader.next() else { break }
                    if case .packet(let packet) = item { dissector.receive(packet, sink: &survey) }
                }
            } catch {
                writeLine("unmask: \(error)")
                if error.kind == .unreadable { throw ExitCode(2) }
                status = 1
            }
        }
        dissector.finish(sink: &survey)
        let text = ProfileDraft.text(of: survey)
        if to == "-" {
            printText(text)
            throw ExitCode(status)
        }
        try write(text)
        writeLine("unmask: wrote \(to); unmask profile show prints what holds")
        throw ExitCode(status)
    }

    private func write(_ text: String) throws {
        let descriptor = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), 0o644)
        guard descriptor >= 0 else {
            let reason = errno == EEXIST ? "is there; --force replaces it" : String(cString: strerror(errno))
            writeLine("unmask: \(to): \(reason)")
            throw ExitCode(1)
        }
        let isWritten = writeText(String(text.dropLast()), to: descriptor)
        guard close(descriptor) == 0, isWritten else {
            writeLine("unmask: \(to): \(String(cString: strerror(errno)))")
            throw ExitCode(1)
        }
    }
}
