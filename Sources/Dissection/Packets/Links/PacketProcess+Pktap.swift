extension PacketProcess {
    /// The process that the header of a packet of LINKTYPE_PKTAP names: `pth_pid` and `pth_comm` of `struct pktap_header` (bsd/net/pktap.h of
    /// XNU), little-endian.
    ///
    ///     0        4           8         12           36      40               44     48      52        56             76
    ///     | length | type_next | dlt     | ifname[24] | flags | protocol_family | pre  | post  | pid     | comm[17], pad | …
    ///
    /// Nil where the header is shorter than that, or names none.
    init?(pktap bytes: RawSpan) {
        guard bytes.byteCount >= 76, bytes.bigEndianUInt32(at: 0).byteSwapped >= 76 else { return nil }
        self.init(identifier: bytes.bigEndianUInt32(at: 52).byteSwapped, name: bytes.extracting(56..<73))
    }
}
