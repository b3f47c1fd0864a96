import Libc

extension CaptureReader {
    /// Whether a file can be read a second time, while it is read.
    package static func canLookAhead(in path: String) -> Bool {
        var status = stat()
        guard path != "-", unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG
    }

    /// Reads a pcapng file for its Decryption Secrets Blocks alone (draft-ietf-opsawg-pcapng, section 4.7), which may stand after the packets whose
    /// secrets they have. What is damaged is left out without a word, for whoever reads the packets hears of it.
    ///
    /// - Parameter take: takes the secrets, which are lent for the call.
    package static func readSecrets(of path: String, stop: StopFlag? = nil, take: (borrowing CaptureSecrets) -> Void) {
        guard var reader = try? CaptureReader(path: path, stop: stop), reader.hasBlocks else { return }
        while true {
            do throws(CaptureFileError) {
                guard let item = try reader.next() else { return }
                if case .secrets(let secrets) = item { take(secrets) }
            } catch {
                if !error.canGoOn { return }
            }
        }
    }
}
