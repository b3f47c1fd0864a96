import CPrefetch

/// Asks for memory that is wanted soon. Nothing is read, and any address will do.
package enum Prefetch {
    package static func ask(at address: UInt, bytes: Int) { unsafe unmask_prefetch(UnsafeRawPointer(bitPattern: address), bytes) }
}
