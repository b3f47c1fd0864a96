import ArgumentParser
import CaptureFiles
import Decryption
import Dissection
import Libc
import Reports
import Runs

struct ExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Writes the bodies and messages in capture files to files.",
        discussion: """
            Each body, WebSocket message and side of raw TCP gets a file of its own, named after the conversation, its place there and its \
            side: 0003-0012-server.json. Content codings (gzip, deflate, brotli, zstd) and permessage-deflate are undone. A file of which something is \
            missing has -incomplete in its name. No name or path comes from the capture.

              unmask extract talk.pcapng --to parts
              unmask extract talk.pcapng --conversation 3 --to parts
              unmask extract talk.pcapng --path '/images/*' --from server --to parts
            """)

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The folder to write to: a new or an empty one.", valueName: "folder"), completion: .directory)
    var to: String

    @Flag(help: "Write into a folder that has files; files of the same names are replaced.")
    var force = false

    @OptionGroup
    var input: ReportOptions

    @OptionGroup(title: "Keys")
    var keys: KeyOptions

    func validate() throws {
        try checkInputs(files, of: "extract")
        try checkPath(to, of: "--to", what: "folder")
    }

    func run() throws {
        Interruption.watch(hasLogs: false)
        // Nothing is made where there is nothing to read.
        guard !files.allSatisfy({ CaptureReader.cannotOpen($0) }) else {
            for path in files { tellUnreadable(path) }
            throw ExitCode(2)
        }
        let keys = try keys.open(input.reading.memory)
        let folder: ContentFolder
        do {
            folder = try ContentFolder(path: to, replaces: force)
        } catch {
            writeLine("unmask: \(error)")
            throw ExitCode(1)
        }
        throw ExitCode(extract(to: folder, keys))
    }

    private func tellUnreadable(_ path: String) {
        do {
            _ = try CaptureInput(path: path, firstPacketNumber: 1, stop: Interruption.stop)
        } catch {
            writeLine("unmask: \(error)")
        }
    }

    /// Reads all inputs; returns the exit status.
    private func extract(to folder: ContentFolder, _ keys: CaptureKeys) -> Int32 {
        let (reading, plan) = (input.reading, input.hidden)
        let stage = input.stage(over: files, keys, hiding: plan)
        var contents = SelectedEvents(ContentFiles(folder), reading.selection, picking: stage, hiding: plan)
        var table = ExtractedTable()
        // A file's row is shown as soon as the file is there.
        var settings = reading.settings()
        settings.pause = 1
        var loop = InputLoop(files, settings, keys: keys)
        loop.read(into: &contents) { contents in
            table.show(&contents.report)
            return contents.report.problem == nil
        }
        table.show(&contents.report)
        _ = contents.tellLosses { writeLine($0) }
        var status = loop.outcome.status
        if let problem = contents.report.problem {
            contents.report.removeUnfinished()
            table.end(in: to)
            folder.removeIfNew()
            writeLine("unmask: \(problem)")
            return 1
        }
        if table.files == 0, contents.report.leftOutFiles == 0 { writeLine("unmask: no bodies, messages or raw data to write") }
        table.end(in: to)
        folder.removeIfNew()
        if contents.report.leftOutFiles > 0 {
            let noun = contents.report.leftOutFiles == 1 ? "file was" : "files were"
            writeLine("unmask: \(contents.report.leftOutFiles) \(noun) not written, because folders have their names")
            status = max(status, 1)
        }
        if contents.report.sealed > 0 {
            let noun = contents.report.sealed == 1 ? "conversation has" : "conversations have"
            writeLine("unmask: \(contents.report.sealed) \(noun) TLS that is not decrypted; nothing of it was written")
        }
        if loop.tellMissing() { status = max(status, 1) }
        return Interruption.stop.isStopped ? 130 : status
    }
}

/// The table of what was written, printed row by row.
private struct ExtractedTable {
    private(set) var files: UInt64 = 0
    private var incomplete: UInt64 = 0

    mutating func show(_ contents: inout ContentFiles) {
        for problem in contents.takeLeftOut() { writeLine("unmask: \(problem)") }
        for row in contents.takeRows() {
            if files == 0 { printText("FILE                                     BYTES  WHAT IT IS") }
            files += 1
            if !row.isComplete { incomplete += 1 }
            let size = String(row.bytes)
            let name = row.name + String(repeating: " ", count: max(1, 46 - row.name.utf8.count - size.utf8.count))
            printText("\(name)\(size)  \(row.source.visible)")
        }
    }

    func end(in folder: String) {
        guard files > 0 else { return }
        let left = incomplete > 0 ? ", \(incomplete) incomplete" : ""
        printText("\n\(files) \(files == 1 ? "file" : "files") in \(folder.visible)\(left)")
    }
}
