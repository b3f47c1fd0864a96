/// What text is composed into: a buffer that grows, or a stretch of one.
protocol ByteWriter: ~Copyable, ~Escapable {
    mutating func append(_ byte: UInt8)
    /// Appends a constant from a place in it on; its length is known to the compiler, which makes the copy a few moves.
    mutating func append(_ text: StaticString, from start: Int)
    /// Appends the first bytes of a word, in the order of memory. There has to be room for all of it, which is written over by what
    /// comes next.
    mutating func append<Word: BitwiseCopyable>(first length: Int, of word: Word)
}

extension ByteWriter where Self: ~Copyable & ~Escapable {
    @inline(__always)
    mutating func append(_ text: StaticString) { append(text, from: 0) }
}

/// Room in an `OutputBuffer` that is written from its beginning on.
///
/// Its ends stay in registers while a record's numbers and keys are composed; a buffer's are in memory, and would be read and written for
/// each. Everything that is written is checked against the end. It is safe although it holds pointers: it is made for memory that is lent to
/// it alone, and cannot outlive the loan.
@safe
struct OutputStretch: ByteWriter, ~Copyable, ~Escapable {
    private let start: UnsafeMutableRawPointer
    private var next: UnsafeMutableRawPointer
    private let end: UnsafeMutableRawPointer

    /// - Parameters:
    ///   - start: the first byte of memory that nothing else uses as long as the stretch is there.
    ///   - end: the end of it.
    @inline(__always)
    @_lifetime(immortal)
    @unsafe
    init(from start: UnsafeMutableRawPointer, to end: UnsafeMutableRawPointer) {
        unsafe self.start = start
        unsafe next = start
        unsafe self.end = end
    }

    /// Bytes that were written.
    var count: Int {
        @inline(__always)
        get { unsafe next - start }
    }

    /// Ends the program where so many bytes have no room: whoever took the stretch has miscounted.
    @inline(__always)
    private func demand(_ length: Int) { unsafe precondition(length >= 0 && end - next >= length) }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        demand(1)
        // There is room for it, as in the two below.
        unsafe next.storeBytes(of: byte, as: UInt8.self)
        unsafe next += 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString, from start: Int) {
        let length = text.utf8CodeUnitCount - start
        precondition(start >= 0 && length >= 0)
        demand(length)
        unsafe next.copyMemory(from: text.utf8Start + start, byteCount: length)
        unsafe next += length
    }

    @inline(__always)
    mutating func append<Word: BitwiseCopyable>(first length: Int, of word: Word) {
        precondition(length >= 0 && length <= MemoryLayout<Word>.size)
        demand(MemoryLayout<Word>.size)
        unsafe next.storeBytes(of: word, as: Word.self)
        unsafe next += length
    }
}
