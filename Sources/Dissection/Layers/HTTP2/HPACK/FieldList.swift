/// The fields of one header block, as HPACK gave them (RFC 7541, section 3.2).
///
/// One buffer for all of them, which is used again for the next block.
struct FieldList {
    struct Field {
        var name: Range<Int>
        var value: Range<Int>
        /// It refers to an entry of the dynamic table that was made before the capture, or in bytes that were lost: its name, or all of it,
        /// is not known.
        var isUnknown = false
    }

    /// Names and values, one after another.
    private(set) var bytes: [UInt8] = []
    private(set) var fields: [Field] = []
    /// Fields that are left out, to stay within the limit.
    private(set) var omitted: UInt64 = 0
    /// What all of them count, those that are left out included (RFC 9113, section 6.5.2).
    private(set) var size: UInt64 = 0

    /// Fields that are not known.
    var unknown: Int { fields.count { $0.isUnknown } }

    /// Begins anew, with the buffers as they are.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        fields.removeAll(keepingCapacity: fields.capacity <= 1_024)
        omitted = 0
        size = 0
    }

    /// Adds a field. One that does not fit into `limit` bytes together with those before it is counted only; each costs 32 bytes more than
    /// its text, as in the table (RFC 7541, section 4.1).
    mutating func add(_ entry: HPACKEntry, limit: Int) {
        size &+= UInt64(entry.size)
        guard bytes.count + 32 * fields.count + entry.size <= limit else {
            omitted += 1
            return
        }
        let start = bytes.count
        bytes += entry.name
        let border = bytes.count
        bytes += entry.value
        fields.append(Field(name: start..<border, value: border..<bytes.count, isUnknown: entry.isUnknown))
    }

    /// Counts a field that is left out.
    mutating func omit(_ entry: HPACKEntry) {
        size &+= UInt64(entry.size)
        omitted += 1
    }
}
