import Decryption
import Interception
import Libc
import Runs

/// The file that a watched program writes the keys of its TLS sessions to: one of the run's own, and the one that SSLKEYLOGFILE names already, to which
/// nothing is added and from which nothing is taken that a reader of the user's waits for.
struct WatchedKeyLog {
    /// That of the run.
    let path: String
    /// That of the user, where the variable names one.
    let given: String?
    /// Those that are read.
    private let readable: [String]
    /// NODE_OPTIONS has a file for the keys of Node already, which is not read.
    let isNodes: Bool
    /// The script that keeps Node from warning of what was not its user's wish.
    let nodeScript: String

    /// Makes it, for its owner alone to read; the user of sudo, if there is one, since the program may become that user again.
    ///
    /// - Throws: `RunFolder.Failure`.
    init(in folder: borrowing RunFolder, variable: (String) -> String?) throws {
        isNodes = variable("NODE_OPTIONS")?.contains("--tls-keylog") == true
        if isNodes { writeLine("unmask: NODE_OPTIONS has --tls-keylog already: the keys of Node go to that file, and are not read") }
        nodeScript = try folder.write("quiet.cjs", Array(Self.script.utf8))
        given = variable("SSLKEYLOGFILE").flatMap { $0.isEmpty ? nil : $0 }
        path = try folder.write("keys.log", [], isPrivate: true)
        readable = [path] + [given].compactMap { $0 }.filter(Self.isReadable)
        if let (user, group) = Self.owner(variable) { chown(path, user, group) }
        // What root starts may become another user, and a Python that may not write its keys ends. Others add lines, and read none.
        if geteuid() == 0 { chmod(path, 0o622) }
    }

    /// The user of sudo and their group; nil without sudo or without root.
    private static func owner(_ variable: (String) -> String?) -> (user: uid_t, group: gid_t)? {
        guard geteuid() == 0, let user = variable("SUDO_UID").flatMap({ uid_t($0) }),
            let group = variable("SUDO_GID").flatMap({ gid_t($0) })
        else { return nil }
        return (user, group)
    }

    /// The user's may be made later, and is not read where it hands what is written to one reader alone.
    private static func isReadable(_ given: String) -> Bool {
        guard KeyLogFile.isForOneReader(given) else { return true }
        writeLine("unmask: SSLKEYLOGFILE names \(given), which is not a regular file: what the program writes there is not read")
        return false
    }

    /// The lines that are added to them from now on.
    func tails() -> [KeyLogTail] { readable.map { KeyLogTail(path: $0) } }

    /// Keys that are read as the program writes them.
    ///
    /// - Parameter limit: bytes that they may take.
    func keys(limit: Int) -> CaptureKeys {
        let secrets = KeyLogSecrets(limit: limit)
        var log: GrowingKeyLog?
        for path in readable.reversed() {
            do throws(KeyLogFile.Failure) {
                log = try GrowingKeyLog(path: path, known: secrets, beside: log) {
                    writeLine("unmask: \(path): no more keys are read: \($0)")
                }
            } catch {
                writeLine("unmask: \(path): the keys cannot be read: \(error)")
            }
        }
        return log.map { CaptureKeys($0) } ?? CaptureKeys(secrets, stop: Interruption.stop)
    }

    private static let script = """
        // Keeps Node from warning of the key log that `unmask run --watch` has it write.
        'use strict';
        const warn = process.emitWarning;
        process.emitWarning = function (warning, ...more) {
          if (!String(warning).startsWith('Using --tls-keylog makes TLS connections insecure')) return warn.call(this, warning, ...more);
        };

        """
}
