#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

// The C libraries have one function under two types in a union, whose name is their own.

extension sigaction {
    /// What is called for the signal, or `SIG_IGN` or `SIG_DFL`.
    public var handler: (@convention(c) (Int32) -> Void)? {
        get {
            #if canImport(Glibc)
            __sigaction_handler.sa_handler
            #elseif canImport(Musl)
            __sa_handler.sa_handler
            #elseif canImport(Darwin)
            __sigaction_u.__sa_handler
            #endif
        }
        set {
            #if canImport(Glibc)
            __sigaction_handler.sa_handler = newValue
            #elseif canImport(Musl)
            __sa_handler.sa_handler = newValue
            #elseif canImport(Darwin)
            __sigaction_u.__sa_handler = newValue
            #endif
        }
    }

    /// What is called for the signal where `SA_SIGINFO` is among the flags.
    public mutating func setDetailedHandler(
        _ handler: @escaping @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
    ) {
        #if canImport(Glibc)
        __sigaction_handler.sa_sigaction = handler
        #elseif canImport(Musl)
        __sa_handler.sa_sigaction = handler
        #elseif canImport(Darwin)
        __sigaction_u.__sa_sigaction = handler
        #endif
    }
}
