/// The memory of a ring: so many bytes, and nothing about which of them are in use, which its owner knows.
///
/// Not an array, because an array keeps its length and who else holds it beside its bytes, and has to look at both for each change. A
/// capture goes from one connection to the next, so that this look waits for memory each time; writing does not. Every access is checked
/// against the capacity, which is kept here, and stops the program outside of it, as one of an array does.
///
/// The bytes are a part of the object that owns them, and are reached through it only: its method keeps the object alive until the closure
/// has returned. No pointer is kept beside it, because Swift ends an object's life at its last use, and the pointer would outlive it.
///
/// A copy shares the bytes.
@safe struct RingMemory {
    private typealias Bytes = ManagedBuffer<Void, UInt8>

    private var bytes: Bytes?
    /// Bytes that it has room for.
    private(set) var capacity = 0

    init() {}

    subscript(position: Int) -> UInt8 {
        guard let bytes else { return 0 }
        precondition(position >= 0 && position < capacity)
        return unsafe bytes.withUnsafeMutablePointerToElements { unsafe $0[position] }
    }

    /// Copies a run to a place where it has room.
    @inline(__always)
    func write(_ run: RawSpan, at position: Int) {
        precondition(position >= 0 && run.byteCount <= capacity && position <= capacity - run.byteCount)
        guard let bytes else { return }
        unsafe bytes.withUnsafeMutablePointerToElements { target in
            unsafe run.withUnsafeBytes { source in
                guard let start = source.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(target + position).copyMemory(from: start, byteCount: source.count)
            }
        }
    }

    /// Another ring of `capacity` bytes, which begins with the `count` bytes that lie in this one from `position` on, around its end.
    func unrolled(from position: Int, count: Int, into capacity: Int) -> RingMemory {
        precondition(count >= 0 && count <= self.capacity && count <= capacity && position >= 0 && position <= self.capacity)
        var larger = RingMemory()
        let target = Bytes.create(minimumCapacity: capacity) { _ in }
        if let bytes {
            let head = min(count, self.capacity - position)
            unsafe bytes.withUnsafeMutablePointerToElements { from in
                unsafe target.withUnsafeMutablePointerToElements { to in
                    unsafe to.update(from: from + position, count: head)
                    unsafe (to + head).update(from: from, count: count - head)
                }
            }
        }
        larger.bytes = target
        larger.capacity = capacity
        return larger
    }
}
