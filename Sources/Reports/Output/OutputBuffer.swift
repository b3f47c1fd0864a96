import Dissection
import Libc

/// Bytes being put together: one growing piece of memory that is reused for everything an output writes.
///
/// Appending checks the room each time, so no caller can run over the end. The memory grows where it lies if the C library
/// can do that, so that a payload of many MiB is not there twice for a moment; what such a one took is given back when it
/// has been written.
///
/// It is safe although it holds a pointer: the memory is its own, is `capacity` bytes long from `init` to `deinit`, its first `count`
/// bytes have been written, and everything lent out (`bytes`, `stretch`) cannot outlive the borrow that it came from.
@safe
struct OutputBuffer: ByteWriter, ~Copyable {
    private var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0
    /// Where the payload of the record lies that was appended last, with its key; nil since the buffer was cut, unless one was appended.
    var payloadRange: Range<Int>?
    /// Memory that is kept when the buffer is emptied.
    private static let lasting = 1 << 20

    init(capacity: Int = 4_096) {
        self.capacity = max(64, capacity)
        unsafe base = OutputBuffer.memory(nil, self.capacity)
    }

    deinit { unsafe free(base) }

    /// Memory of another size with what was in the old one. Where there is none, this ends the program, as each allocation does.
    private static func memory(_ old: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer {
        unsafe realloc(old, size) ?? .allocate(byteCount: size, alignment: 16)
    }

    /// What has been appended.
    var bytes: RawSpan {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(RawSpan(_unsafeStart: base, byteCount: count), borrowing: self) }
    }

    /// Room for at least that many bytes more, to be written in a piece: what was written there counts from `advance(by:)` on.
    @inline(__always)
    @_lifetime(&self)
    mutating func stretch(atLeast room: Int) -> OutputStretch {
        reserve(room)
        // The memory stays where it is as long as the stretch is there, because nothing else can change the buffer meanwhile.
        return unsafe _overrideLifetime(OutputStretch(from: base + count, to: base + capacity), mutating: &self)
    }

    /// Makes room for that many more bytes.
    @inline(__always)
    mutating func reserve(_ added: Int) {
        if capacity - count < added { grow(added) }
    }

    @inline(never)
    private mutating func grow(_ added: Int) {
        let larger = max(capacity * 2, count + added)
        unsafe base = OutputBuffer.memory(base, larger)
        capacity = larger
    }

    /// Takes the bytes that were written into a stretch as appended.
    @inline(__always)
    mutating func advance(by written: Int) {
        precondition(written >= 0 && written <= capacity - count)
        count += written
    }

    /// Drops what was appended after `count`.
    @inline(__always)
    mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count = count
        payloadRange = nil
    }

    /// Makes an object of the keys that were appended from `start` on, each with a comma before it.
    mutating func closeObject(from start: Int) {
        precondition(start >= 0 && start <= count)
        if start == count { append(0x7b) } else { unsafe base.storeBytes(of: 0x7b, toByteOffset: start, as: UInt8.self) }
        append(0x7d)
    }

    /// Drops the first `dropped` bytes.
    mutating func dropFirst(_ dropped: Int) {
        precondition(dropped >= 0 && dropped <= count)
        count -= dropped
        // Both places are inside the `count` bytes from before.
        if count > 0 { return unsafe base.copyMemory(from: base + dropped, byteCount: count) }
        guard capacity > OutputBuffer.lasting else { return }
        capacity = OutputBuffer.lasting
        unsafe base = OutputBuffer.memory(base, capacity)
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        // There is room for it now, as in the three below.
        unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString, from start: Int) {
        let length = text.utf8CodeUnitCount - start
        precondition(start >= 0 && length >= 0)
        reserve(length)
        unsafe (base + count).copyMemory(from: text.utf8Start + start, byteCount: length)
        count += length
    }

    @inline(__always)
    mutating func append<Word: BitwiseCopyable>(first length: Int, of word: Word) {
        precondition(length >= 0 && length <= MemoryLayout<Word>.size)
        reserve(MemoryLayout<Word>.size)
        unsafe base.storeBytes(of: word, toByteOffset: count, as: Word.self)
        count += length
    }

    mutating func append(_ bytes: RawSpan) {
        let length = bytes.byteCount
        reserve(length)
        let target = unsafe base + count
        unsafe bytes.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe target.copyMemory(from: start, byteCount: length)
        }
        count += length
    }

    mutating func append(spaces count: Int) {
        var rest = count
        while rest > 0 {
            append(first: min(16, rest), of: SIMD16<UInt8>(repeating: 0x20))
            rest -= 16
        }
    }

    /// Room for at least that many bytes more, all there is, until the buffer is used otherwise; what was written at its beginning counts
    /// from `advance(by:)` on. That nothing is written elsewhere is for the caller to show.
    @unsafe
    @inline(__always)
    mutating func room(atLeast room: Int) -> UnsafeMutableRawBufferPointer {
        reserve(room)
        return unsafe UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
    }

    /// Appends what is in another buffer.
    mutating func append(_ other: borrowing OutputBuffer) { append(other.bytes) }

    mutating func append(base64 bytes: RawSpan) {
        let room = unsafe room(atLeast: (bytes.byteCount + 2) / 3 * 4)
        advance(by: unsafe bytes.withUnsafeBytes { unsafe Base64.encode($0, into: room) })
    }

    mutating func append(utf8 text: String) {
        text.withBytes { append($0) }
    }
}
