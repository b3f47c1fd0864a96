import Dissection

/// One reused buffer through which the bytes of a capture pass, decompressed on the way where that is needed.
///
/// A record is looked at where it lies in the buffer. The buffer starts at `initialCapacity` and grows only when a
/// record is larger, with the bytes that really arrive and never on the word of a length field.
struct ByteSource: ~Copyable {
    /// Small enough for a core's second-level cache, which the copy out of the kernel then stays in.
    static let initialCapacity = 256 << 10

    /// What errors call the input.
    let name: String
    private(set) var buffer: [UInt8]
    /// Index in `buffer` of the first byte that was not consumed.
    private(set) var start = 0
    private var end = 0
    /// Position in the (decompressed) stream of `buffer[0]`.
    private var bufferOffset: UInt64 = 0
    private var input: InputDescriptor
    private var inputEnded = false
    private var decompressor: Decompressor?
    /// The longest window of a decompressor.
    private let windowBytes: Int
    private var compressed: [UInt8] = []
    private var compressedStart = 0
    private var compressedEnd = 0
    /// Whether the compressed data is complete as far as it was seen.
    private var atBoundary = true
    /// Bytes of the next read at most: after a jump little is read, since the next one may lead elsewhere.
    private var readAhead = Int.max
    /// What stopped the input early; told once the bytes before it are used up.
    private(set) var failure: CaptureFileError?
    /// Bytes taken from the input, compressed ones where it is compressed.
    private(set) var inputBytes: UInt64 = 0

    /// Size of the input where it is known.
    var inputSize: UInt64? { input.size }
    var wasStopped: Bool { input.wasStopped }
    var isCompressed: Bool { decompressor != nil }
    /// Bytes of memory that it takes at the moment.
    var heldBytes: Int { buffer.count + compressed.count + (decompressor?.heldBytes ?? 0) }
    /// Bytes that lie ready.
    var available: Int { end - start }
    /// Position of the next byte in the (decompressed) stream.
    var offset: UInt64 { bufferOffset + UInt64(start) }

    /// - Parameter windowBytes: What a decompressor may keep; 128 MiB unless told.
    init(name: String, input: consuming InputDescriptor, capacity: Int = initialCapacity, windowBytes: Int = 128 << 20) {
        self.name = name
        self.windowBytes = windowBytes
        self.input = input
        self.buffer = [UInt8](repeating: 0, count: max(64, capacity))
        detectCompression()
    }

    /// Makes at least `count` bytes available, if the input has them. Reads no further than one system call that
    /// brings enough, so a live pipe is not waited for longer than needed.
    @inline(__always)
    mutating func ensure(_ count: Int) -> Bool {
        if end - start >= count { return true }
        return fill(count)
    }

    /// Marks `count` available bytes as used. They stay where they are until the next `ensure`.
    @inline(__always)
    mutating func consume(_ count: Int) {
        start = min(end, start + count)
    }

    /// Passes over `count` bytes without keeping them. False when the input ends before.
    mutating func skip(_ count: UInt64) -> Bool {
        var left = count
        while left > UInt64(available) {
            left -= UInt64(available)
            start = end
            guard fill(1) else { return false }
        }
        start += Int(left)
        return true
    }

    /// Whether `seek` and `readAside` are possible: not with compressed data, nor with what comes through a pipe.
    var canSeek: Bool { decompressor == nil && input.canSeek }

    /// Goes to a position in the stream, also back; false where it lies outside or cannot be gone to.
    mutating func seek(to position: UInt64) -> Bool {
        guard canSeek else { return false }
        if position >= bufferOffset, position - bufferOffset <= UInt64(end) {
            start = Int(position - bufferOffset)
            return true
        }
        guard input.seek(to: position) else { return false }
        bufferOffset = position
        start = 0
        end = 0
        inputEnded = false
        readAhead = 4_096
        return true
    }

    /// Up to `count` bytes at a position of the stream, without going there. Empty where that is not possible.
    func readAside(at position: UInt64, count: Int) -> [UInt8] {
        canSeek ? input.readAside(at: position, count: count) : []
    }

    private mutating func fill(_ count: Int) -> Bool {
        if start > 0 {
            if start < end { moveToFront() }
            bufferOffset += UInt64(start)
            end -= start
            start = 0
        }
        while end < count {
            if end == buffer.count { growBuffer(for: count) }
            guard decompressor == nil ? readPlain() : readDecompressed() else { return false }
        }
        return true
    }

    private mutating func moveToFront() {
        // Both ranges lie in the array, `end` being at most its count; the copy allows them to overlap.
        unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        }
    }

    /// Doubles at most, so that memory follows the bytes that came and not the length that was claimed.
    private mutating func growBuffer(for count: Int) {
        let wanted = min(max(count, buffer.count), buffer.count * 2)
        let more = max(wanted - buffer.count, 64)
        buffer.append(contentsOf: repeatElement(0, count: more))
    }

    private mutating func readPlain() -> Bool {
        guard !inputEnded else { return false }
        switch input.read(into: &buffer, at: end, limit: readAhead) {
        case .bytes(let count):
            end += count
            inputBytes += UInt64(count)
            if readAhead < Self.initialCapacity { readAhead *= 2 }
            return true
        case .end:
            inputEnded = true
            return false
        case .failed(let code):
            fail(code)
            return false
        }
    }

    /// One step that brings decompressed bytes, reading compressed ones as needed.
    private mutating func readDecompressed() -> Bool {
        guard let decompressor, failure == nil else { return false }
        while true {
            let step = decompressor.step(
                compressed, from: compressedStart, to: compressedEnd, output: &buffer, at: end)
            compressedStart += step.consumed
            end += step.produced
            if step.consumed > 0 || step.produced > 0 { atBoundary = step.atBoundary }
            if let problem = step.problem {
                failure = CaptureFileError(
                    kind: .damaged, input: name, offset: bufferOffset + UInt64(end), isDecompressed: true, problem: problem,
                    advice: step.advice ?? "what came before it was read")
                return step.produced > 0
            }
            if step.produced > 0 { return true }
            if compressedStart < compressedEnd && step.consumed > 0 { continue }
            guard readCompressed() else {
                if !atBoundary && failure == nil {
                    failure = CaptureFileError(
                        kind: .cutShort, input: name, offset: bufferOffset + UInt64(end), isDecompressed: true,
                        problem: "the \(decompressor.name) data ends early", advice: "what came before it was read")
                }
                return false
            }
        }
    }

    private mutating func readCompressed() -> Bool {
        if compressedStart == compressedEnd {
            compressedStart = 0
            compressedEnd = 0
        }
        guard !inputEnded, compressedEnd < compressed.count else { return false }
        switch input.read(into: &compressed, at: compressedEnd) {
        case .bytes(let count):
            compressedEnd += count
            inputBytes += UInt64(count)
            return true
        case .end:
            inputEnded = true
            return false
        case .failed(let code):
            fail(code)
            return false
        }
    }

    private mutating func fail(_ code: Int32) {
        inputEnded = true
        failure = CaptureFileError(
            kind: .unreadable, input: name, offset: inputBytes, problem: "cannot read: \(InputFailure(code: code).text)")
    }

    /// Looks at the first bytes and puts a decompressor between where they are of gzip or zstd.
    private mutating func detectCompression() {
        _ = ensure(4)
        let first = end >= 2 ? buffer.rawBytes.bigEndianUInt16(at: 0) : 0
        let magic = end >= 4 ? UInt32(littleEndian: buffer.rawBytes.nativeInteger(at: 0, as: UInt32.self)) : 0
        if first == 0x1F8B {
            decompressor = Gunzip().map(Decompressor.gzip)
        } else if magic == 0xFD2F_B528 || magic & 0xFFFF_FFF0 == 0x184D_2A50 {
            // 0x184D2A50 to 0x184D2A5F are skippable frames, which may come first.
            decompressor = Unzstd(windowBytes: windowBytes).map(Decompressor.zstd)
        }
        guard decompressor != nil else { return }
        compressed = buffer
        compressedEnd = end
        end = 0
        atBoundary = false
        buffer = [UInt8](repeating: 0, count: compressed.count)
    }
}
