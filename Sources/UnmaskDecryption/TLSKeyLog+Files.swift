import CaptureFiles
import Decryption
public import UnmaskConversations

extension TLSKeyLog {
    /// Reads key log files (RFC 9850): what programs write where `SSLKEYLOGFILE` is set. Secrets that a capture brings itself (pcapng) are used
    /// as well, so that an empty list is enough for such captures.
    ///
    /// ```swift
    /// var options = ReadingOptions()
    /// options.keyLog = try TLSKeyLog(paths: [keys])
    /// ```
    ///
    /// - Parameter paths: files that are read to their end now.
    /// - Throws: ``UnmaskConversations/CaptureError`` where one cannot be read, or is not a key log.
    public init(paths: [String] = []) throws(CaptureError) {
        let secrets = KeyLogSecrets()
        for path in paths {
            do throws(KeyLogFile.Failure) {
                var file = try KeyLogFile(path: path)
                try file.read(into: secrets)
                secrets.finish()
            } catch {
                switch error {
                case .system: throw CaptureError(.unreadable, input: path, "\(path): cannot read the key log: \(error)")
                case .unfit: throw CaptureError(.notAKeyLog, input: path, "\(path): \(error)")
                }
            }
        }
        self.init { CaptureKeys(secrets, stop: StopFlag()) }
    }
}

extension CaptureKeys: CaptureKeySource {}
