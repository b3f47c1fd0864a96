#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that a capture is written to, or standard output.
///
/// A new file is readable by its owner alone: captures hold what people said, and secrets.
public struct CaptureFileOutput: ~Copyable {
    private let descriptor: Int32
    private let closesDescriptor: Bool
    private let name: String
    private var written: UInt64 = 0

    /// Creates the file at `path`, emptying one that is there; `-` is standard output.
    public init(path: String) throws(CaptureFileError) {
        name = path == "-" ? "standard output" : path
        closesDescriptor = path != "-"
        descriptor = path == "-" ? STDOUT_FILENO : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        if descriptor < 0 {
            throw CaptureFileError(
                kind: .unreadable, input: name, offset: 0, problem: "cannot create: \(InputFailure(code: errno).text)")
        }
    }

    deinit {
        if closesDescriptor && descriptor >= 0 { close(descriptor) }
    }

    /// Writes all of `bytes`; it is with the operating system when this returns.
    public mutating func write(_ bytes: [UInt8]) throws(CaptureFileError) {
        var position = 0
        while position < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { source in
                unsafe systemWrite(descriptor, source.baseAddress.map { unsafe $0 + position }, source.count - position)
            }
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw CaptureFileError(
                    kind: .unreadable, input: name, offset: written,
                    problem: "cannot write: \(InputFailure(code: errno).text)")
            }
            position += count
            written += UInt64(count)
        }
    }
}

/// The system's `write`, under a name that does not collide with methods.
private func systemWrite(_ descriptor: Int32, _ source: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, source, count)
}
