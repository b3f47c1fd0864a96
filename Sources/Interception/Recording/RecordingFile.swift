import Reports

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file that a recording goes to, written in whole blocks.
struct RecordingFile: ~Copyable {
    private let descriptor: Int32
    private let closesDescriptor: Bool
    /// Why nothing can be written; none while all is well.
    var error: OutputError?

    /// Creates the file at `path`, emptying one that is there; only its owner may read it, since it holds what people said.
    ///
    /// - Throws: An `OutputError` that says why it cannot be created.
    init(path: String) throws(OutputError) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        closesDescriptor = true
        if descriptor < 0 { throw .failed(errno: errno) }
    }

    /// Writes to an open descriptor, which the caller owns.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        closesDescriptor = false
    }

    deinit {
        if closesDescriptor, descriptor >= 0 { close(descriptor) }
    }

    /// Writes blocks, and leaves in the buffer what could not be written.
    mutating func write(_ blocks: inout [UInt8]) {
        guard !blocks.isEmpty else { return }
        let outcome = blocks.withUnsafeBytes { writeWhole($0, to: descriptor, wholePrefix: RecordingFile.wholeBlocks) }
        error = outcome.error
        if outcome.kept == blocks.count {
            // After a rush its memory is given back.
            blocks.removeAll(keepingCapacity: blocks.capacity <= 1 << 20)
        } else {
            blocks.removeFirst(outcome.kept)
        }
    }

    /// How many bytes from the beginning make whole blocks, each of which has its length in its second word.
    private static func wholeBlocks(_ bytes: UnsafeRawBufferPointer) -> Int {
        var position = 0
        while position + 12 <= bytes.count {
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position + 4, as: UInt32.self)))
            guard length >= 12, length <= bytes.count - position else { break }
            position += length
        }
        return position
    }
}
