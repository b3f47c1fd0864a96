import Libc
import Reports

/// Wakes one thread. A ring that comes before the wait is not lost.
///
/// Unchecked, because the compiler cannot see what POSIX promises: mutex and condition may be used from every thread as long
/// as they stay where they are, which is why they are allocated; `hasRung` is touched only under the mutex.
final class Bell: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasRung = false

    init() {
        pthread_mutex_init(mutex, nil)
        #if canImport(Darwin)
        pthread_cond_init(condition, nil)
        #else
        let attributes = UnsafeMutablePointer<pthread_condattr_t>.allocate(capacity: 1)
        pthread_condattr_init(attributes)
        pthread_condattr_setclock(attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, attributes)
        pthread_condattr_destroy(attributes)
        attributes.deallocate()
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Wakes who waits, or the next who would.
    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for the next ring, or until so many nanoseconds have passed, without end where none are named.
    ///
    /// - Returns: Whether it rang.
    @discardableResult
    func wait(nanoseconds: Int64? = nil) -> Bool {
        pthread_mutex_lock(mutex)
        defer {
            hasRung = false
            pthread_mutex_unlock(mutex)
        }
        guard let nanoseconds else {
            while !hasRung { pthread_cond_wait(condition, mutex) }
            return true
        }
        let deadline = MonotonicTime.nanoseconds + nanoseconds
        while !hasRung {
            let rest = deadline - MonotonicTime.nanoseconds
            guard rest > 0 else { return false }
            #if canImport(Darwin)
            var span = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
            pthread_cond_timedwait_relative_np(condition, mutex, &span)
            #else
            var moment = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            pthread_cond_timedwait(condition, mutex, &moment)
            #endif
        }
        return true
    }
}
