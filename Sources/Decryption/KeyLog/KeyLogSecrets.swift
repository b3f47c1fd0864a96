import Dissection
import Synchronization

/// The secrets of a TLS key log (RFC 9850), read as its bytes come: a file at once, a file that grows, the contents of Decryption Secrets
/// Blocks one after the other.
///
/// Bounded: over the limit the sessions that were logged first are given up. Behind a lock, because conversations of several threads may
/// share one.
package final class KeyLogSecrets: TLSSecrets {
    /// What became of the lines.
    package struct Counts: Equatable, Sendable {
        /// Secrets that were new.
        package var secrets: UInt64 = 0
        /// Lines of a kind that is not needed here, such as the premaster secrets that NSS wrote once.
        package var unused: UInt64 = 0
        /// Lines that are not of a key log, or were cut.
        package var damaged: UInt64 = 0
        /// Sessions that were given up, and secrets of a session that has too many.
        package var givenUp: UInt64 = 0

        package init(secrets: UInt64 = 0, unused: UInt64 = 0, damaged: UInt64 = 0, givenUp: UInt64 = 0) {
            self.secrets = secrets
            self.unused = unused
            self.damaged = damaged
            self.givenUp = givenUp
        }
    }

    private let table: Mutex<KeyLogTable>

    /// - Parameter limit: bytes that are held at most, about; a session of TLS 1.3 takes some 700.
    package init(limit: Int = 64 << 20) { table = Mutex(KeyLogTable(limit: limit)) }

    package var counts: Counts { table.withLock { $0.counts } }

    /// Bytes that secrets and what they are found by take, about.
    package var heldBytes: Int { table.withLock { $0.heldBytes } }

    /// Sessions of which a secret is known.
    package var sessionCount: Int { table.withLock { $0.sessionCount } }

    package var grows: Bool { false }

    package var isEmpty: Bool { sessionCount == 0 }

    package func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? { table.withLock { $0.secret(label, of: random) } }

    package func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]] {
        table.withLock { $0.otherSecrets(label, of: random) }
    }

    /// Takes the next bytes of a log. A line counts once its end has come.
    package func receive(_ bytes: RawSpan) { table.withLock { $0.receive(bytes) } }

    /// Learns that the log is at its end, or another one begins: a last line without an end counts.
    package func finish() { table.withLock { $0.finish() } }
}
