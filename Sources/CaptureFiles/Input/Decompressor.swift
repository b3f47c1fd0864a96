import CZlib
import CZstd

/// What a step of decompression came to.
struct DecompressionStep {
    var consumed: Int
    var produced: Int
    /// A member or frame is complete; the input may end here.
    var atBoundary: Bool
    /// What is wrong with the data, if anything.
    var problem: String?
    /// What can be done about it; nothing where the data is damaged.
    var advice: String?
}

/// Undoes one of the compressions on the fly, with no more memory than the format's window.
enum Decompressor {
    case gzip(Gunzip)
    case zstd(Unzstd)

    var name: String {
        switch self {
        case .gzip: "gzip"
        case .zstd: "zstd"
        }
    }

    /// Bytes of memory that it takes at the moment.
    var heldBytes: Int {
        switch self {
        // zlib's window of 32 KiB and its tables (zlib.h, on memory requirements).
        case .gzip: 48 << 10
        case .zstd(let unzstd): unzstd.heldBytes
        }
    }

    /// Turns some of `input[from..<to]` into bytes of `output` after `position`.
    func step(_ input: [UInt8], from: Int, to: Int, output: inout [UInt8], at position: Int) -> DecompressionStep {
        switch self {
        case .gzip(let gunzip): gunzip.step(input, from: from, to: to, output: &output, at: position)
        case .zstd(let unzstd): unzstd.step(input, from: from, to: to, output: &output, at: position)
        }
    }
}

/// zlib's inflate over one gzip member after another (RFC 1952).
@safe final class Gunzip {
    /// On the heap and never moved: zlib's state points back to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var isBetweenMembers = false
    private var skipsPadding = false

    init?() {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        // 15 bits of window, 16 for the gzip wrapper.
        guard unsafe inflateInit2_(stream, 31, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            unsafe stream.deallocate()
            return nil
        }
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    func step(_ input: [UInt8], from: Int, to: Int, output: inout [UInt8], at position: Int) -> DecompressionStep {
        // The stream that is used below goes with this object.
        defer { extendLifetime(self) }
        if isBetweenMembers {
            guard from < to else { return DecompressionStep(consumed: 0, produced: 0, atBoundary: true) }
            // Tapes and block devices pad with zeros; anything else that is no further member is not ours to guess.
            if input[from] == 0 || skipsPadding {
                skipsPadding = true
                let padding = input[from..<to].prefix { $0 == 0 }.count
                return DecompressionStep(
                    consumed: padding, produced: 0, atBoundary: true,
                    problem: padding == to - from ? nil : "what follows the gzip data is not gzip")
            }
            guard input[from] == 0x1F else {
                return DecompressionStep(
                    consumed: 0, produced: 0, atBoundary: true, problem: "what follows the gzip data is not gzip")
            }
            unsafe inflateReset(stream)
            isBetweenMembers = false
        }
        let outputRoom = output.count - position
        let status = unsafe input.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target in
                // zlib takes a mutable pointer and does not write through it.
                unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: source.baseAddress.map { unsafe $0 + from })
                unsafe stream.pointee.avail_in = UInt32(clamping: to - from)
                unsafe stream.pointee.next_out = target.baseAddress.map { unsafe $0 + position }
                unsafe stream.pointee.avail_out = UInt32(clamping: outputRoom)
                let status = unsafe inflate(stream, Z_NO_FLUSH)
                // Neither is kept beyond the call.
                unsafe stream.pointee.next_in = nil
                unsafe stream.pointee.next_out = nil
                return status
            }
        }
        let consumed = unsafe (to - from) - Int(stream.pointee.avail_in)
        let produced = unsafe outputRoom - Int(stream.pointee.avail_out)
        isBetweenMembers = status == Z_STREAM_END
        var problem: String?
        if status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR {
            let words = unsafe stream.pointee.msg.map { unsafe String(cString: $0) } ?? "zlib error \(status)"
            problem = "the gzip data is damaged (\(words))"
        }
        return DecompressionStep(consumed: consumed, produced: produced, atBoundary: isBetweenMembers, problem: problem)
    }
}

/// libzstd's streaming decompression over one frame after another (RFC 8878).
@safe final class Unzstd {
    private let stream: OpaquePointer
    /// The longest window that is accepted.
    private let windowBytes: Int

    /// - Parameter windowBytes: Bytes that may be kept of what was decompressed. A frame says how many it needs, and one that
    ///   needs more is refused. The format has powers of two; the largest that fits in counts, at least 1 MiB.
    init?(windowBytes: Int) {
        guard let created = unsafe ZSTD_createDStream() else { return nil }
        unsafe stream = created
        let bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax)
        let log = min(max(20, Int.bitWidth - 1 - max(1, windowBytes).leadingZeroBitCount), Int(bounds.upperBound))
        self.windowBytes = 1 << log
        guard unsafe ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, Int32(log))) == 0 else {
            unsafe ZSTD_freeDStream(created)
            return nil
        }
    }

    deinit {
        unsafe ZSTD_freeDStream(stream)
    }

    /// Bytes of memory that it takes at the moment.
    var heldBytes: Int {
        defer { extendLifetime(self) }
        return unsafe Int(clamping: ZSTD_sizeof_DStream(stream))
    }

    func step(_ input: [UInt8], from: Int, to: Int, output: inout [UInt8], at position: Int) -> DecompressionStep {
        // The stream that is used below goes with this object.
        defer { extendLifetime(self) }
        var consumed = 0
        var produced = 0
        let status = unsafe input.withUnsafeBytes { source in
            unsafe output.withUnsafeMutableBytes { target in
                var read = unsafe ZSTD_inBuffer(src: source.baseAddress, size: to, pos: from)
                var written = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: position)
                let status = unsafe ZSTD_decompressStream(stream, &written, &read)
                consumed = unsafe read.pos - from
                produced = unsafe written.pos - position
                return status
            }
        }
        var step = DecompressionStep(consumed: consumed, produced: produced, atBoundary: status == 0)
        if ZSTD_isError(status) != 0 {
            if ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge {
                step.problem = "the zstd data needs a window of more than \(windowBytes >> 20) MiB of memory"
                step.advice = "allow more with --memory, or unpack it first with zstd -d --long=31"
            } else {
                step.problem = unsafe "the zstd data is damaged (\(String(cString: ZSTD_getErrorName(status))))"
            }
        }
        return step
    }
}
