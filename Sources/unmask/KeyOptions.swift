import ArgumentParser
import CertificateAuthority
import Decryption
import Runs

/// Keys of TLS sessions: of every command that reads captures.
struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Decrypt TLS with the secrets in this file, which has the format of SSLKEYLOGFILE. Repeatable. (default: the file that the \
            environment variable SSLKEYLOGFILE names, if there is one) See docs/keys.md.
            """, valueName: "file"),
        completion: .file())
    var keys: [String] = []

    func validate() throws { for path in keys { try checkPath(path, of: "--keys") } }

    /// The files that are read, which no output may overwrite.
    var files: [String] { paths.given + (paths.fromEnvironment.map { [$0] } ?? []) }

    /// The files that are meant.
    private var paths: (given: [String], fromEnvironment: String?) {
        if !keys.isEmpty { return (keys, nil) }
        let named = AuthorityFolder.environment("SSLKEYLOGFILE")
        return ([], named?.isEmpty == false ? named : nil)
    }

    /// Reads the keys.
    ///
    /// - Parameters:
    ///   - memory: for everything; a sixteenth is for secrets.
    ///   - grows: whether packets are read as they come, and their keys may come after them.
    /// - Throws: `ExitCode` where a file cannot be read, which the user was told.
    func open(_ memory: MemorySize, grows: Bool = false) throws -> CaptureKeys {
        let secrets = KeyLogSecrets(limit: memory.bytes / 16)
        let (given, fromEnvironment) = paths
        for path in given where !grows || path != given.last {
            try attempt(path) { () throws(KeyLogFile.Failure) in try read(path, into: secrets) }
        }
        if grows, let path = given.last {
            return CaptureKeys(try attempt(path) { () throws(KeyLogFile.Failure) in try growing(path, secrets) })
        }
        // A variable that is set for other programs need not lead anywhere.
        if let fromEnvironment {
            if grows, let log = try? growing(fromEnvironment, secrets) { return CaptureKeys(log) }
            if !grows { try? read(fromEnvironment, into: secrets) }
        }
        return CaptureKeys(secrets, stop: Interruption.stop)
    }

    /// Ends the program where a file that was named cannot be read.
    private func attempt<Value>(_ path: String, _ body: () throws(KeyLogFile.Failure) -> Value) throws -> Value {
        do throws(KeyLogFile.Failure) {
            return try body()
        } catch {
            writeLine("unmask: \(path): the keys cannot be read: \(error)")
            throw ExitCode(2)
        }
    }

    private func growing(_ path: String, _ secrets: KeyLogSecrets) throws(KeyLogFile.Failure) -> GrowingKeyLog {
        try GrowingKeyLog(path: path, known: secrets) { writeLine("unmask: \(path): no more keys are read: \($0)") }
    }

    private func read(_ path: String, into secrets: KeyLogSecrets) throws(KeyLogFile.Failure) {
        let before = secrets.counts
        var file = try KeyLogFile(path: path)
        try file.read(into: secrets, waits: true)
        secrets.finish()
        let counts = secrets.counts
        let damaged = counts.damaged - before.damaged
        if damaged > 0 { writeLine("unmask: \(path): \(damaged) \(damaged == 1 ? "line is" : "lines are") not of a key log") }
        if counts.secrets == before.secrets, !keys.isEmpty { writeLine("unmask: \(path): no new secrets") }
    }
}
