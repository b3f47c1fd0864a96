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

    /// Turns some of `input[from..<to]` into bytes of `output` behind `position`.
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
                return unsafe inflate(stream, Z_NO_FLUSH)
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

/// libzstd's streaming decompression over one frame after another (RFC 8878). Windows up to 128 MiB are accepted.
@safe final class Unzstd {
    private let stream: OpaquePointer

    init?() {
        guard let created = unsafe ZSTD_createDStream() else { return nil }
        unsafe stream = created
    }

    deinit {
        unsafe ZSTD_freeDStream(stream)
    }

    func step(_ input: [UInt8], from: Int, to: Int, output: inout [UInt8], at position: Int) -> DecompressionStep {
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
        var problem: String?
        if ZSTD_isError(status) != 0 {
            problem = unsafe "the zstd data is damaged (\(String(cString: ZSTD_getErrorName(status))))"
        }
        return DecompressionStep(consumed: consumed, produced: produced, atBoundary: status == 0, problem: problem)
    }
}
