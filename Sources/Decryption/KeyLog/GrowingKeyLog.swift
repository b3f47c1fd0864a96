import Dissection
import Libc
import Synchronization

/// A key log that somebody writes to while packets are read: where a secret is not known, what was appended is read first. The file may
/// be there later than its reader.
package final class GrowingKeyLog: TLSSecrets {
    /// What was read so far, and what other sources add.
    package let known: KeyLogSecrets
    private let path: String
    private let file = Mutex<KeyLogFile?>(nil)
    /// Nothing is read of the file any more, which is not a key log.
    private let isUnfit = Atomic(false)
    /// Another one, which is asked where this one has no secret.
    private let beside: GrowingKeyLog?
    private let report: @Sendable (KeyLogFile.Failure) -> Void

    /// Bytes that are read on at most while a connection waits for a secret.
    private static let mostAtOnce = 16 << 20

    /// - Parameters:
    ///   - beside: another log, asked where this one has no secret.
    ///   - report: takes, once, why nothing more is read.
    /// - Throws: where the file is there and cannot be read, or is not a key log. One that is not there may be made later.
    package init(
        path: String, known: KeyLogSecrets, beside: GrowingKeyLog? = nil,
        report: @escaping @Sendable (KeyLogFile.Failure) -> Void = { _ in }
    ) throws(KeyLogFile.Failure) {
        self.path = path
        self.known = known
        self.beside = beside
        self.report = report
        do throws(KeyLogFile.Failure) {
            _ = try readOn(limit: .max)
        } catch {
            if case .system(_, ENOENT) = error { return }
            throw error
        }
    }

    package var grows: Bool { true }

    package var isEmpty: Bool { false }

    package func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        known.secret(label, of: random) ?? (hasMore() ? known.secret(label, of: random) : nil) ?? beside?.secret(label, of: random)
    }

    package func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]] { known.otherSecrets(label, of: random) }

    /// Reads what was appended; false where nothing was.
    private func hasMore() -> Bool {
        guard !isUnfit.load(ordering: .relaxed) else { return false }
        do throws(KeyLogFile.Failure) {
            return try readOn(limit: Self.mostAtOnce) > 0
        } catch {
            // A file that cannot be opened now may be there, or readable, later.
            if case .unfit = error, !isUnfit.exchange(true, ordering: .relaxed) { report(error) }
            return false
        }
    }

    private func readOn(limit: Int) throws(KeyLogFile.Failure) -> Int {
        let outcome: Result<Int, KeyLogFile.Failure> = file.withLock { file in
            do throws(KeyLogFile.Failure) {
                if file == nil { file = try KeyLogFile(path: path) }
                return .success(try file?.read(into: known, limit: limit) ?? 0)
            } catch {
                return .failure(error)
            }
        }
        return try outcome.get()
    }
}
