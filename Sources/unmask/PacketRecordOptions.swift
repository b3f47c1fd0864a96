import ArgumentParser
import CaptureFiles
import Libc
import Reports
import Sessions

/// What becomes of the packets of a capture: of `read` and `capture`.
struct PacketRecordOptions: ParsableArguments {
    @Option(
        name: [.customShort("w"), .customLong("write")],
        help: ArgumentHelp(
            """
            Also write the packets to a pcapng file, as they were captured and with what was found as comments: all of them, or with filters those of \
            the conversations in which something is picked. - for standard output, where nothing else goes then.
            """, valueName: "file"),
        completion: .file())
    var write: String?

    @Flag(help: "-w writes what the conversations carried, as packets that would have carried it, as the recording of a proxy has it.")
    var decrypted = false

    @Flag(name: .customLong("without-secrets"), help: "-w leaves out the TLS keys (Decryption Secrets Blocks) that a capture has.")
    var withoutSecrets = false

    /// What the recording has.
    var parts: PacketRecording { PacketRecording(isDecrypted: decrypted, keepsSecrets: !withoutSecrets) }

    func check(with output: OutputOptions, isList: Bool = false) throws {
        if decrypted, write == nil { throw ValidationError("--decrypted goes with -w.") }
        if withoutSecrets, write == nil { throw ValidationError("--without-secrets goes with -w.") }
        if withoutSecrets, decrypted { throw ValidationError("--decrypted writes no secrets; --without-secrets does not go with it.") }
        if isList, write != nil { throw ValidationError("-w does not go with --list; leave one of them out.") }
        if write == "-", output.format != .text {
            throw ValidationError("-w - takes standard output, where --format \(output.format) goes.")
        }
        if write == "-", isatty(STDOUT_FILENO) == 1 {
            throw ValidationError("-w - writes packets to standard output, which is a terminal here; send them to a program or file.")
        }
        try output.checkLogs(beside: write)
    }

    /// The first of some inputs that has no packets which could be written, so that this is said before a file is emptied. Pipes are not looked at.
    func inputWithoutPackets(_ paths: [String], longestLine: Int) -> String? {
        guard write != nil else { return nil }
        return paths.first { path in
            guard path != "-", FileIdentity(path: path) != nil else { return false }
            if SessionReader.isSession(path) { return true }
            guard
                let input = try? CaptureInput(
                    path: path, firstPacketNumber: 1, stop: Interruption.stop, windowBytes: Self.glance, longestLine: longestLine)
            else { return false }
            switch consume input {
            case .log: return true
            case .capture: return false
            }
        }
    }

    /// Bytes of an input that say what it is.
    private static let glance = 64 << 10
}
