import Dissection
import Libc

/// Bytes being put together: one growing piece of memory that is reused for everything an output writes.
///
/// Appending checks the room each time, so no caller can run over the end. The memory grows where it lies if the C library
/// can do that, so that a payload of many MiB is not there twice for a moment; what such a one took is given back when it
/// has been written.
struct OutputBuffer: ~Copyable {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0
    /// Memory that is kept when the buffer is emptied.
    private static let lasting = 1 << 20

    init(capacity: Int = 4_096) {
        self.capacity = max(64, capacity)
        base = OutputBuffer.memory(nil, self.capacity)
    }

    deinit { free(base) }

    /// Memory of another size with what was in the old one. Where there is none, this ends the program, as each allocation does.
    private static func memory(_ old: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer {
        realloc(old, size) ?? .allocate(byteCount: size, alignment: 16)
    }

    /// What has been appended.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

    /// Where the next byte goes; `reserve` first.
    @inline(__always)
    var next: UnsafeMutableRawPointer { base + count }

    /// Makes room for that many more bytes.
    @inline(__always)
    mutating func reserve(_ added: Int) {
        if capacity - count < added { grow(added) }
    }

    @inline(never)
    private mutating func grow(_ added: Int) {
        let larger = max(capacity * 2, count + added)
        base = OutputBuffer.memory(base, larger)
        capacity = larger
    }

    /// Takes the bytes that were written at `next` as appended; at most as many as were reserved.
    @inline(__always)
    mutating func advance(by written: Int) {
        precondition(written >= 0 && written <= capacity - count)
        count += written
    }

    /// Drops what was appended behind `count`.
    @inline(__always)
    mutating func truncate(to count: Int) {
        precondition(count >= 0 && count <= self.count)
        self.count = count
    }

    /// Drops the first `dropped` bytes.
    mutating func dropFirst(_ dropped: Int) {
        precondition(dropped >= 0 && dropped <= count)
        count -= dropped
        if count > 0 { return base.copyMemory(from: base + dropped, byteCount: count) }
        guard capacity > OutputBuffer.lasting else { return }
        capacity = OutputBuffer.lasting
        base = OutputBuffer.memory(base, capacity)
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
    }

    /// Appends a constant; its length is known to the compiler, which makes the copy a few moves.
    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        next.copyMemory(from: text.utf8Start, byteCount: length)
        count += length
    }

    @inline(__always)
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve(bytes.count)
        next.copyMemory(from: start, byteCount: bytes.count)
        count += bytes.count
    }

    mutating func append(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { append($0) }
    }

    mutating func append(utf8 text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }
}
