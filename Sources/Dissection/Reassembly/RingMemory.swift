/// The memory of a ring: so many bytes, and nothing about which of them are in use, which its owner knows.
///
/// Not an array, because an array keeps its length and who else holds it beside its bytes, and has to look at both for each change. A
/// capture goes from one connection to the next, so that this look waits for memory each time; writing does not. Every access is checked
/// against the capacity, which stands here, and stops the program outside of it, as one of an array does.
///
/// A copy shares the bytes.
@safe struct RingMemory {
    /// Gives the bytes back when nobody holds them any more.
    @safe private final class Allocation {
        let bytes: UnsafeMutableRawPointer

        init(_ count: Int) { unsafe bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 16) }

        deinit { unsafe bytes.deallocate() }
    }

    private var allocation: Allocation?
    private var bytes: UnsafeMutableRawPointer?
    /// Bytes that it has room for.
    private(set) var capacity = 0

    init() {}

    /// Memory for `capacity` bytes.
    private init(capacity: Int) {
        let allocation = Allocation(capacity)
        self.allocation = allocation
        unsafe bytes = allocation.bytes
        self.capacity = capacity
    }

    subscript(position: Int) -> UInt8 {
        guard let bytes = unsafe bytes else { return 0 }
        precondition(position >= 0 && position < capacity)
        return unsafe bytes.load(fromByteOffset: position, as: UInt8.self)
    }

    /// Copies a run to a place where it has room.
    @inline(__always)
    func write(_ run: RawSpan, at position: Int) {
        precondition(position >= 0 && run.byteCount <= capacity && position <= capacity - run.byteCount)
        guard let bytes = unsafe bytes else { return }
        unsafe run.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe (bytes + position).copyMemory(from: start, byteCount: source.count) }
        }
    }

    /// Makes room for `capacity` bytes. The first `count` stay.
    mutating func grow(to capacity: Int, keeping count: Int) {
        let larger = RingMemory(capacity: capacity)
        precondition(count >= 0 && count <= self.capacity && count <= capacity)
        if let from = unsafe bytes, let to = unsafe larger.bytes { unsafe to.copyMemory(from: from, byteCount: count) }
        self = larger
    }
}
