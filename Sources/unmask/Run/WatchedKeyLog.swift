import Decryption
import Interception
import Libc
import Runs

/// The file that a watched program writes the keys of its TLS sessions to: the one that SSLKEYLOGFILE names already, or one of the run's own.
struct WatchedKeyLog {
    let path: String
    /// The variable names it already.
    let isGiven: Bool
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
        if let given = variable("SSLKEYLOGFILE"), !given.isEmpty {
            (path, isGiven) = (given, true)
            Self.make(given, variable)
            return
        }
        (path, isGiven) = (try folder.write("keys.log", [], isPrivate: true), false)
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

    /// Makes the file that the user has named, where it is not there: libunmask-keys.so writes only to one that is there when the program begins.
    private static func make(_ path: String, _ variable: (String) -> String?) {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            if errno != EEXIST {
                writeLine("unmask: SSLKEYLOGFILE names \(path), which cannot be made: \(String(cString: strerror(errno)))")
            }
            return
        }
        defer { close(file) }
        if let (user, group) = owner(variable) { fchown(file, user, group) }
    }

    /// Keys that are read as the program writes them.
    ///
    /// - Parameter limit: bytes that they may take.
    func keys(limit: Int) -> CaptureKeys {
        let secrets = KeyLogSecrets(limit: limit)
        let path = path
        guard
            let log = try? GrowingKeyLog(path: path, known: secrets, report: { writeLine("unmask: \(path): no more keys are read: \($0)") })
        else {
            writeLine("unmask: \(path): the keys cannot be read")
            return CaptureKeys(secrets, stop: Interruption.stop)
        }
        return CaptureKeys(log)
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
