import NIOCore
import NIOPosix

#if canImport(Glibc)
import CMalloc
#endif

/// How the C library's allocator treats the memory of buffers that live for a millisecond.
enum Heap {
    /// Free memory at the end of a heap that is kept. A heap belongs to a thread, so that it is paid for once an event loop.
    ///
    /// Buffers of one batch are freed together. With the 128 KiB that glibc keeps unless told, every batch was given back to the
    /// system and fetched again page by page, which took a third of the processor time of a bulk transfer.
    private static let kept: Int32 = 8 << 20
    /// What is larger is mapped on its own, and given back when it is freed.
    private static let mapped: Int32 = 4 << 20

    /// Sets the allocator up for the process; once, before there is traffic.
    static func prepare() {
        #if canImport(Glibc)
        mallopt(M_TRIM_THRESHOLD, kept)
        mallopt(M_MMAP_THRESHOLD, mapped)
        #endif
    }

    /// Gives back what is free in a moment, when the connections that let it go are closed; on a thread that nothing waits for.
    static func giveBackSoon(on loop: any EventLoop) {
        loop.scheduleTask(in: .seconds(1)) { NIOThreadPool.singleton.submit { _ in giveBack() } }
    }

    /// Gives back what is free, in the middle of heaps too, where connections were. Takes milliseconds after many of them.
    static func giveBack() {
        #if canImport(Glibc)
        malloc_trim(0)
        #endif
    }
}
