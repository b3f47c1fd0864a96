import CBrotli

/// Undoes brotli (RFC 7932) in steps, with a window of at most 16 MiB: the large windows that are no part of the RFC are not read.
///
/// The library is given one byte at a time, because how far it reads ahead of what it gives depends on how much it is given: so how the input
/// is cut into steps changes neither the output nor how much input is taken for it. The pointers inside never leave the class, and each is
/// used within its own allocation, which is why the class is safe to use.
@safe package final class BrotliInflater {
    private static let scratchSize = 16_384

    private let state: OpaquePointer?
    private let account: UnsafeMutablePointer<Int>
    private let scratch: UnsafeMutablePointer<UInt8>
    /// The last byte has become more than was taken out.
    private var isBusy = false
    private var hasBegun = false
    private var hasEnded = false

    package init() {
        unsafe account = .allocate(capacity: 1)
        unsafe account.initialize(to: 0)
        unsafe scratch = .allocate(capacity: BrotliInflater.scratchSize)
        unsafe state = BrotliDecoderCreateInstance(BrotliInflater.allocate, BrotliInflater.free, account)
    }

    deinit {
        if let state = unsafe state { unsafe BrotliDecoderDestroyInstance(state) }
        unsafe account.deallocate()
        unsafe scratch.deallocate()
    }

    /// Bytes that it costs now: the window, which grows with the content, tables, and the scratch buffer.
    package var heldBytes: Int {
        defer { extendLifetime(self) }
        return unsafe account.pointee + BrotliInflater.scratchSize
    }

    /// Whether the input so far is a whole stream, or none.
    package var isComplete: Bool { hasEnded || !hasBegun }

    /// See `ContentInflater.inflate`. Nothing may follow the end of the stream.
    package func inflate(_ input: RawSpan, room: Int, into output: inout [UInt8], capacity: Int) -> ContentInflater.Step {
        // The memory that is used below goes with this object.
        defer { extendLifetime(self) }
        var step = ContentInflater.Step()
        guard unsafe state != nil else {
            step.status = .exceeded
            return step
        }
        if hasEnded {
            if input.byteCount > 0 { step.status = .corrupt }
            return step
        }
        while isBusy || step.consumed < input.byteCount {
            let space = min(room - step.produced, BrotliInflater.scratchSize)
            let produced = advance(input, &step, space: space)
            if produced > 0 {
                let kept = min(produced, max(0, capacity - output.count))
                unsafe output.append(contentsOf: UnsafeBufferPointer(start: scratch, count: kept))
                step.produced += produced
            }
            guard case .needsInput = step.status else { return step }
            if isBusy, step.produced == room {
                step.status = .full
                return step
            }
        }
        return step
    }

    /// Goes on with what is inside, or with one more byte. Returns the bytes that lie in `scratch`.
    private func advance(_ input: RawSpan, _ step: inout ContentInflater.Step, space: Int) -> Int {
        let start = step.consumed
        let given = isBusy ? 0 : 1
        var (left, room) = (given, space)
        // The library reads `left` bytes of the input and writes at most `room` bytes to the scratch buffer, both of which outlive the call;
        // it keeps no pointer to either.
        let result = unsafe input.withUnsafeBytes { buffer -> BrotliDecoderResult in
            var next = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: start)
            var place: UnsafeMutablePointer<UInt8>? = unsafe scratch
            return unsafe BrotliDecoderDecompressStream(state, &left, &next, &room, &place, nil)
        }
        if given > left { hasBegun = true }
        step.consumed += given - left
        switch result {
        case BROTLI_DECODER_RESULT_SUCCESS:
            isBusy = false
            hasEnded = true
            step.status = .ended
        case BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT, BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT:
            let hasMore = unsafe BrotliDecoderHasMoreOutput(state) != 0
            isBusy = hasMore || result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT
        default:
            isBusy = false
            step.status = .corrupt
        }
        return space - room
    }

    // MARK: - Memory

    // The library has no word for what it holds: so much is counted before each piece, in 16 bytes that keep its alignment.
    private static let allocate: brotli_alloc_func = { account, size in
        guard size <= Int.max - 16 else { return nil }
        let piece = UnsafeMutableRawPointer.allocate(byteCount: size + 16, alignment: 16)
        unsafe piece.storeBytes(of: size + 16, as: Int.self)
        unsafe account?.assumingMemoryBound(to: Int.self).pointee += size + 16
        return unsafe piece.advanced(by: 16)
    }

    private static let free: brotli_free_func = { account, address in
        guard let address = unsafe address else { return }
        let piece = unsafe address.advanced(by: -16)
        unsafe account?.assumingMemoryBound(to: Int.self).pointee -= piece.load(as: Int.self)
        unsafe piece.deallocate()
    }
}
