import CZstd

/// Undoes Zstandard (RFC 8878) in steps, with a window of at most 8 MiB, as HTTP has it (RFC 9659).
///
/// The library is given whole units: a frame's header, a block, a checksum; and what a block becomes, which has room in the scratch buffer, is
/// given from there. So how the input is cut into steps changes neither the output nor how much input is taken for it. The pointers inside
/// never leave the class, and each is used within its own allocation, which is why the class is safe to use.
@safe package final class ZstdInflater {
    /// A window of 8 MiB.
    private static let mostWindowLog: Int32 = 23

    private let stream: OpaquePointer?
    private var scratch: UnsafeMutablePointer<UInt8>?
    private var scratchSize = 0
    /// What of the scratch buffer was not given yet.
    private var given = 0
    private var filled = 0
    private var unit = ZstdUnit.header
    /// Bytes of the unit that is not whole.
    private var pending: [UInt8] = []
    /// Of a frame that may be skipped: bytes that are still to come.
    private var skipping = 0
    private var hasEnded = false
    private var streamBytes = 0
    /// The first two bytes of the frame.
    private(set) package var lead: (UInt8, UInt8) = (0, 0)
    private(set) package var leadCount = 0

    package init() {
        unsafe stream = ZSTD_createDStream()
        if let stream = unsafe stream {
            unsafe ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, ZstdInflater.mostWindowLog)
            unsafe streamBytes = ZSTD_sizeof_DStream(stream)
        }
    }

    deinit {
        unsafe ZSTD_freeDStream(stream)
        unsafe scratch?.deallocate()
    }

    /// Bytes that it costs now: the library's state and window, the scratch buffer, and the unit under way.
    package var heldBytes: Int { streamBytes + scratchSize + pending.capacity }

    /// Whether the input so far is a whole number of frames.
    package var isComplete: Bool { hasEnded || leadCount == 0 }

    /// See `ContentInflater.inflate`. After the end of a frame the next one begins.
    package func inflate(_ input: RawSpan, room: Int, into output: inout [UInt8], capacity: Int) -> ContentInflater.Step {
        // The memory that is used below goes with this object.
        defer { extendLifetime(self) }
        var step = ContentInflater.Step()
        while true {
            if given < filled {
                let count = min(filled - given, room - step.produced)
                guard count > 0 else {
                    step.status = .full
                    return step
                }
                let kept = min(count, max(0, capacity - output.count))
                if let scratch = unsafe scratch, kept > 0 {
                    unsafe output.append(contentsOf: UnsafeBufferPointer(start: scratch + given, count: kept))
                }
                given += count
                step.produced += count
                continue
            }
            if unit == .end {
                unit = .header
                hasEnded = true
                step.status = .ended
                return step
            }
            guard step.consumed < input.byteCount else { return step }
            if hasEnded {
                hasEnded = false
                leadCount = 0
            }
            take(input, &step)
            guard case .needsInput = step.status else { return step }
        }
    }

    /// Takes bytes of the unit under way, and reads it once it is whole.
    private func take(_ input: RawSpan, _ step: inout ContentInflater.Step) {
        if unit == .skipped {
            let count = min(skipping, input.byteCount - step.consumed)
            step.consumed += count
            skipping -= count
            if skipping == 0 { unit = .end }
            return
        }
        let wanted = unit.length(of: pending) - pending.count
        let count = min(wanted, input.byteCount - step.consumed)
        pending.append(copying: input.extracting(step.consumed..<step.consumed + count))
        step.consumed += count
        if unit == .header, leadCount < 2 {
            leadCount = min(2, pending.count)
            lead = (pending[0], leadCount == 2 ? pending[1] : 0)
            if leadCount == 2, !ZstdUnit.mayBegin(lead.0, lead.1) {
                pending = []
                step.status = .notCoded
                return
            }
        }
        // What has come may say that more belongs to the unit.
        guard count == wanted, unit.length(of: pending) == pending.count else { return }
        step.status = readUnit()
        pending.removeAll(keepingCapacity: true)
    }

    /// Reads the unit, which is whole.
    private func readUnit() -> ContentInflater.Status {
        switch unit {
        case .header:
            guard let frame = ZstdFrame(pending) else { return .corrupt }
            if let length = frame.skippedLength {
                skipping = length
                unit = length == 0 ? .end : .skipped
                return .needsInput
            }
            let status = feed()
            guard case .needsInput = status else { return status }
            unit = .block(hasChecksum: frame.hasChecksum)
            if scratchSize == 0 {
                unsafe scratch = .allocate(capacity: ZstdUnit.mostBlock)
                scratchSize = ZstdUnit.mostBlock
            }
            return .needsInput
        case .block(let hasChecksum):
            guard ZstdUnit.isValidBlock(pending) else { return .corrupt }
            let status = feed()
            if case .needsInput = status, ZstdUnit.isLastBlock(pending) { unit = hasChecksum ? .checksum : .end }
            return status
        case .checksum:
            unit = .end
            return feed()
        case .skipped, .end: return .needsInput
        }
    }

    /// Gives the unit to the library; what it becomes lies in the scratch buffer.
    private func feed() -> ContentInflater.Status {
        (given, filled) = (0, 0)
        guard let stream = unsafe stream else { return .exceeded }
        // The library reads the unit and writes at most `scratchSize` bytes to the scratch buffer, both of which outlive the call; it keeps no
        // pointer to either.
        var nothing: UInt8 = 0
        let result = unsafe pending.withUnsafeBytes { buffer -> Int in
            var input = unsafe ZSTD_inBuffer(src: buffer.baseAddress, size: buffer.count, pos: 0)
            return unsafe withUnsafeMutablePointer(to: &nothing) { nowhere in
                var output = unsafe ZSTD_outBuffer(dst: scratch ?? nowhere, size: scratchSize, pos: 0)
                var result = unsafe ZSTD_decompressStream(stream, &output, &input)
                while unsafe ZSTD_isError(result) == 0 && input.pos < input.size {
                    let before = unsafe (input.pos, output.pos)
                    unsafe result = ZSTD_decompressStream(stream, &output, &input)
                    // A block that gives more than it may.
                    if unsafe before == (input.pos, output.pos) { return -1 }
                }
                unsafe filled = output.pos
                return result
            }
        }
        unsafe streamBytes = ZSTD_sizeof_DStream(stream)
        guard ZSTD_isError(result) != 0 else { return .needsInput }
        filled = 0
        return ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge ? .exceeded : .corrupt
    }
}
