import Dissection
import Synchronization

/// A key log that somebody writes to while packets are read: where a secret is not known, what was appended is read first. The file may
/// be there later than its reader.
package final class GrowingKeyLog: TLSSecrets {
    /// What was read so far, and what other sources add.
    package let known: KeyLogSecrets
    private let path: String
    private let file: Mutex<KeyLogFile?>

    package init(path: String, known: KeyLogSecrets) {
        self.path = path
        self.known = known
        file = Mutex(nil)
        _ = readOn()
    }

    package var grows: Bool { true }

    package var isEmpty: Bool { false }

    package func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        known.secret(label, of: random) ?? (readOn() ? known.secret(label, of: random) : nil)
    }

    package func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]] { known.otherSecrets(label, of: random) }

    /// Reads what was appended; false where nothing was.
    private func readOn() -> Bool {
        file.withLock { file in
            if file == nil { file = try? KeyLogFile(path: path) }
            return ((try? file?.read(into: known)) ?? 0) > 0
        }
    }
}
