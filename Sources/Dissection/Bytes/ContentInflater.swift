import CZlib

/// Undoes one deflate-based coding in steps: gzip (RFC 1952), zlib (RFC 1950), or deflate as servers send it, with the
/// zlib wrapper or without (RFC 1951).
///
/// How the input is cut into steps changes neither the output nor how much input is taken for it. The pointers inside
/// never leave the class, and each is used within its own allocation, which is why the class is safe to use.
@safe package final class ContentInflater {
    package enum Format {
        case gzip
        /// The zlib wrapper, or none: the first two bytes tell.
        case deflate
    }

    package enum Status {
        /// All input was taken, and all output that it makes was given.
        case needsInput
        /// There is more output than there was room for.
        case full
        /// The coded data ended; input behind it was not taken.
        case ended
        /// The first bytes are not those of the format. Nothing was given; `lead` has what was taken.
        case notCoded
        case corrupt
        /// More came out between two codings than the limit allows.
        case exceeded

        /// The input is not, or no longer, what the coding makes.
        package var hasFailed: Bool {
            switch self {
            case .notCoded, .corrupt: true
            case .needsInput, .full, .ended, .exceeded: false
            }
        }

        /// More can be asked for.
        package var goesOn: Bool {
            switch self {
            case .needsInput, .full, .ended: true
            case .notCoded, .corrupt, .exceeded: false
            }
        }
    }

    package struct Step {
        package var consumed = 0
        package var produced = 0
        package var status = Status.needsInput
    }

    /// Bytes that one of these costs: the window, zlib's state and the scratch buffer.
    package static let cost = 32_768 + 8_192 + scratchSize
    private static let scratchSize = 16_384

    private let format: Format
    // zlib's state points back to its stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch: UnsafeMutablePointer<UInt8>
    private var isRunning = false
    private var hasEnded = false
    /// The first two bytes, which choose the wrapper.
    private(set) package var lead: (UInt8, UInt8) = (0, 0)
    private(set) package var leadCount = 0
    private var leadFed = 0

    package init(_ format: Format) {
        self.format = format
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe scratch = .allocate(capacity: ContentInflater.scratchSize)
    }

    deinit {
        if isRunning { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
        unsafe scratch.deallocate()
    }

    /// Whether the input so far is a whole number of streams.
    package var isComplete: Bool { hasEnded || leadCount == 0 }

    /// Takes input and gives at most `room` bytes, which are appended to `output` until that has `capacity` bytes and
    /// only counted beyond. Behind the end of a stream the next one begins.
    ///
    /// Without room the stream goes on to the next byte of output that it cannot give, and `full` is told when it has
    /// got there: so what is taken does not depend on how the input was cut. At the end of the input, output that is
    /// left inside is given for empty input.
    package func inflate(_ input: RawSpan, room: Int, into output: inout [UInt8], capacity: Int) -> Step {
        // The memory that is used below goes with this object.
        defer { extendLifetime(self) }
        var step = Step()
        if leadCount < 2 || hasEnded {
            guard begin(input, &step) else { return step }
        }
        if leadFed < leadCount {
            let bytes = [lead.0, lead.1]
            var head = Step()
            head.consumed = leadFed
            run(bytes.rawBytes, room: room, into: &output, capacity: capacity, &head)
            leadFed = head.consumed
            step.produced = head.produced
            step.status = head.status
            guard case .needsInput = head.status else { return step }
        }
        run(input, room: room, into: &output, capacity: capacity, &step)
        return step
    }

    private func run(_ input: RawSpan, room: Int, into output: inout [UInt8], capacity: Int, _ step: inout Step) {
        while true {
            let before = step.consumed
            let space = min(room - step.produced, ContentInflater.scratchSize)
            let produced = advance(input, &step, space: space)
            if produced > 0 {
                let kept = min(produced, max(0, capacity - output.count))
                unsafe output.append(contentsOf: UnsafeBufferPointer(start: scratch, count: kept))
                step.produced += produced
            }
            guard case .needsInput = step.status else { return }
            if step.consumed == input.byteCount {
                if produced < space || (produced == 0 && step.consumed == before) { return }
            } else if produced == 0, step.consumed == before {
                step.status = .full
                return
            }
        }
    }

    /// One call of zlib. Returns the bytes that lie in `scratch`.
    private func advance(_ input: RawSpan, _ step: inout Step, space: Int) -> Int {
        let start = step.consumed
        let available = min(input.byteCount - start, Int(Int32.max))
        // zlib reads `available` bytes from the input and writes at most `space` bytes to the scratch buffer, both of
        // which outlive the call; it keeps no pointer to either.
        let result = unsafe input.withUnsafeBytes { buffer -> Int32 in
            let base = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(mutating: base?.advanced(by: start))
            unsafe stream.pointee.avail_in = UInt32(available)
            unsafe stream.pointee.next_out = unsafe scratch
            unsafe stream.pointee.avail_out = UInt32(space)
            let result = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
            unsafe stream.pointee.next_in = nil
            unsafe stream.pointee.next_out = nil
            return result
        }
        step.consumed += available - Int(unsafe stream.pointee.avail_in)
        switch result {
        case Z_OK, Z_BUF_ERROR: step.status = .needsInput
        case Z_STREAM_END:
            hasEnded = true
            step.status = .ended
        // Z_NEED_DICT: a preset dictionary that nobody has; Z_MEM_ERROR; Z_DATA_ERROR.
        default: step.status = .corrupt
        }
        return space - Int(unsafe stream.pointee.avail_out)
    }

    /// Collects the first two bytes of a stream and chooses the wrapper by them. True when the stream runs.
    private func begin(_ input: RawSpan, _ step: inout Step) -> Bool {
        if hasEnded {
            hasEnded = false
            leadCount = 0
            leadFed = 0
        }
        while leadCount < 2 {
            guard step.consumed < input.byteCount else { return false }
            if leadCount == 0 { lead.0 = input[step.consumed] } else { lead.1 = input[step.consumed] }
            leadCount += 1
            step.consumed += 1
        }
        let windowBits: Int32
        switch format {
        case .gzip:
            guard lead == (0x1F, 0x8B) else {
                step.status = .notCoded
                return false
            }
            windowBits = 15 + 16
        case .deflate:
            let isWrapped = lead.0 & 0x0F == 8 && (UInt16(lead.0) << 8 | UInt16(lead.1)) % 31 == 0
            windowBits = isWrapped ? 15 : -15
        }
        let result =
            isRunning
            ? unsafe inflateReset2(stream, windowBits)
            : unsafe inflateInit2_(stream, windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard result == Z_OK else {
            step.status = .corrupt
            return false
        }
        isRunning = true
        return true
    }
}
