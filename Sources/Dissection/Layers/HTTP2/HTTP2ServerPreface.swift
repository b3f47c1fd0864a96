/// What a server of HTTP/2 sends first: SETTINGS, for which no client waits (RFC 9113, section 3.4).
package enum HTTP2ServerPreface {
    /// Whether bytes begin with the header of a SETTINGS frame that acknowledges nothing.
    package static func isBegun(by bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= HTTP2FrameHeader.size else { return false }
        let header = HTTP2FrameHeader(bytes, at: 0)
        return header.type == .settings && header.flags == 0 && header.stream == 0 && !header.isReservedBitSet
            && header.length % 6 == 0 && header.length <= HTTP2FrameHeader.usualLength
    }
}
