import CPrefetch

extension Reader {
    /// Asks for the memory of the layer: its object, of which the most that is common is enough.
    @inline(__always)
    func prefetchLayer() {
        guard let layer else { return }
        unsafe unmask_prefetch(UnsafeRawPointer(Unmanaged.passUnretained(layer).toOpaque()), Self.layerBytesAtOnce)
    }

    private static let layerBytesAtOnce = 640
}
