import Dissection

/// Bytes being put together: one growing piece of memory that is reused for everything an output writes.
///
/// Appending checks the room each time, so no caller can run over the end; the memory only grows and is kept.
struct OutputBuffer: ~Copyable {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 4_096) {
        self.capacity = max(64, capacity)
        base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { base.deallocate() }

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
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        moved.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = moved
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
        if count > 0 { base.copyMemory(from: base + dropped, byteCount: count) }
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
