import Libc

/// A thread of its own for work that may wait for a disk, which no event loop may.
enum RecordingThread {
    private final class Work {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that does the work and ends.
    ///
    /// - Returns: 0, or why the system has no thread left (an errno).
    static func start(_ run: @escaping @Sendable () -> Void) -> Int32 {
        let work = Unmanaged.passRetained(Work(run))
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let status = pthread_create(&thread, nil, { RecordingThread.body($0) }, work.toOpaque())
        if status != 0 { work.release() }
        return status
    }

    private static func body(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { return nil }
        // Nobody joins it.
        pthread_detach(pthread_self())
        // Signals are for the thread that waits for them.
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
        Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
}
