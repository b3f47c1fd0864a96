import ArgumentParser
import CertificateAuthority
import Decryption
import Dissection

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
            do throws(KeyLogFile.Failure) {
                try read(path, into: secrets)
            } catch {
                writeLine("unmask: \(path): the keys cannot be read: \(error)")
                throw ExitCode(2)
            }
        }
        if grows, let path = given.last ?? fromEnvironment {
            return CaptureKeys(GrowingKeyLog(path: path, known: secrets))
        }
        // A variable that is set for other programs need not lead anywhere.
        if let fromEnvironment { try? read(fromEnvironment, into: secrets) }
        return CaptureKeys(secrets)
    }

    private func read(_ path: String, into secrets: KeyLogSecrets) throws(KeyLogFile.Failure) {
        let before = secrets.counts
        var file = try KeyLogFile(path: path)
        try file.read(into: secrets)
        secrets.finish()
        let counts = secrets.counts
        let damaged = counts.damaged - before.damaged
        if damaged > 0 { writeLine("unmask: \(path): \(damaged) \(damaged == 1 ? "line is" : "lines are") not of a key log") }
        if counts.secrets == before.secrets, !keys.isEmpty { writeLine("unmask: \(path): no secret that is not known already") }
    }
}

/// The keys of a run.
struct CaptureKeys {
    private let known: KeyLogSecrets
    /// The layers that there are, with the keys for them.
    let layers: LayerTable

    init(_ secrets: KeyLogSecrets) {
        known = secrets
        layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: RecordCiphers()))
    }

    init(_ secrets: GrowingKeyLog) {
        known = secrets.known
        layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: RecordCiphers()))
    }

    /// Bytes of memory that they take.
    var heldBytes: Int { known.heldBytes }

    /// Takes the keys that a capture brings for packets that follow them.
    func receive(_ bytes: RawSpan) { known.receive(block: bytes) }
}
