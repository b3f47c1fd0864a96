extension TLSMemory {
    /// Counts the open session of a leg for as long as the leg is there; a leg without TLS takes nothing.
    ///
    /// - Returns: false where there is no room for it.
    func take(for leg: Leg) -> Bool {
        guard leg.tls != nil, leg.tlsShare == nil else { return true }
        leg.tlsShare = take()
        return leg.tlsShare != nil
    }
}
