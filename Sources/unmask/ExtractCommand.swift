import ArgumentParser
import CaptureFiles
import Dissection
import Libc
import Reports

struct ExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Writes the bodies and messages in capture files to files.",
        discussion: """
            Each body, WebSocket message and side of raw TCP gets a file of its own, named after the conversation, its place there and its \
            side: 0003-0012-server.json. Content codings (gzip, deflate) and permessage-deflate are undone. A file of which something is \
            missing has -incomplete in its name. No name or path comes from the capture.

              unmask extract talk.pcapng --to parts
              unmask extract talk.pcapng --conversation 3 --to parts
            """)

    @Argument(help: ArgumentHelp("Capture files or logs, or - for standard input.", valueName: "file"), completion: .file())
    var files: [String] = []

    @Option(help: ArgumentHelp("The folder to write to: a new or an empty one.", valueName: "folder"), completion: .directory)
    var to: String

    @Flag(help: "Write into a folder that has files; files of the same names are replaced.")
    var force = false

    @OptionGroup
    var reading: ConversationOptions

    func validate() throws {
        if files.isEmpty { throw ValidationError("Name a capture file, or - for standard input.") }
        if files.count(where: { $0 == "-" }) > 1 { throw ValidationError("Standard input can be read once.") }
        for path in files { try checkPath(path, of: "extract") }
        try checkPath(to, of: "--to", what: "folder")
    }

    func run() throws {
        Interruption.watch(hasLogs: false)
        // Nothing is made where there is nothing to read.
        guard !files.allSatisfy({ CaptureReader.cannotOpen($0) }) else {
            for path in files { tellUnreadable(path) }
            throw ExitCode(2)
        }
        let folder: ContentFolder
        do {
            folder = try ContentFolder(path: to, replaces: force)
        } catch {
            writeLine("unmask: \(error)")
            throw ExitCode(1)
        }
        throw ExitCode(extract(to: folder))
    }

    private func tellUnreadable(_ path: String) {
        do {
            _ = try CaptureInput(path: path, firstPacketNumber: 1, stop: Interruption.stop)
        } catch {
            writeLine("unmask: \(error)")
        }
    }

    /// Reads all inputs; returns the exit status.
    private func extract(to folder: ContentFolder) -> Int32 {
        let shares = reading.shares()
        let limits = shares.limits(showing: 0)
        var contents = ContentFiles(folder, conversations: reading.selection)
        var dissector = Dissector(limits: limits, decodeAs: reading.rules, seed: UInt64.random(in: .min ... .max))
        var teller = LogTeller(mostBytes: limits.totalBytes)
        var table = ExtractedTable()
        var status: Int32 = 0
        var next: UInt64 = 1
        for path in files where !Interruption.stop.isStopped && contents.problem == nil {
            do {
                let input = try CaptureInput(
                    path: path, firstPacketNumber: next, stop: Interruption.stop, windowBytes: shares.window,
                    longestLine: reading.longestLine)
                switch consume input {
                case .capture(var reader):
                    status = max(status, readAll(&reader, &dissector, &table, into: &contents))
                    next = reader.nextPacketNumber
                case .log(var log):
                    let source = CaptureSource(kind: .file, name: path, firstPacket: next, tool: toolName)
                    let logStatus = LogInput.read(&log, source, &teller, &dissector, into: &contents) { contents, _, _ in
                        table.show(&contents)
                        return contents.problem == nil
                    }
                    status = max(status, logStatus)
                    next = dissector.totals.packets + 1
                }
            } catch {
                if Interruption.stop.isStopped { break }
                writeLine("unmask: \(error)")
                status = max(status, error.kind == .unreadable ? 2 : 1)
            }
        }
        dissector.finish(sink: &contents)
        table.show(&contents)
        if let problem = contents.problem {
            contents.removeUnfinished()
            table.end(in: to)
            folder.removeIfNew()
            writeLine("unmask: \(problem)")
            return 1
        }
        if table.files == 0, contents.leftOutFiles == 0 { writeLine("unmask: no bodies, messages or raw data to write") }
        table.end(in: to)
        folder.removeIfNew()
        if contents.leftOutFiles > 0 {
            let noun = contents.leftOutFiles == 1 ? "file was" : "files were"
            writeLine("unmask: \(contents.leftOutFiles) \(noun) not written, because folders have their names")
            status = max(status, 1)
        }
        if contents.sealed > 0 {
            let noun = contents.sealed == 1 ? "conversation has" : "conversations have"
            writeLine("unmask: \(contents.sealed) \(noun) TLS that is not decrypted; nothing of it was written")
        }
        if reading.tellMissing(after: dissector.totals.conversations) { status = max(status, 1) }
        return Interruption.stop.isStopped ? 130 : status
    }

    /// Reads one input to its end, or to where it cannot be read any more.
    private func readAll(
        _ reader: inout CaptureReader, _ dissector: inout Dissector, _ table: inout ExtractedTable, into contents: inout ContentFiles
    ) -> Int32 {
        var status: Int32 = 0
        var damage = DamageLines()
        var notes = CaptureNotes()
        defer { damage.finish() }
        while !Interruption.stop.isStopped, contents.problem == nil {
            do throws(CaptureFileError) {
                guard let item = try reader.next() else { break }
                if case .packet(let packet) = item {
                    dissector.receive(packet, sink: &contents)
                } else {
                    notes.take(item, &dissector, sink: &contents)
                }
            } catch {
                damage.tell(error)
                status = 1
                if !error.canGoOn { break }
            }
            table.show(&contents)
        }
        return status
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
