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
    /// The entries of the table that they refer to, by their indexes; the first of them.
    private var unknownEntries: [Int] = []

    private static let mostNamed = 8

    /// Notes which entry of the table the last field refers to, where it is not known.
    mutating func note(entry index: Int) {
        guard fields.last?.isUnknown == true, unknownEntries.count < FieldList.mostNamed else { return }
        unknownEntries.append(index)
    }

    /// `62, 65 and 3 more`.
    var unknownWords: [UInt8] {
        let rest = unknown - unknownEntries.count
        let named = unknownEntries.map { String($0) }.joined(separator: ", ")
        return Array((rest > 0 ? "\(named) and \(rest) more" : named).utf8)
    }

    /// Begins anew, with the buffers as they are.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
        fields.removeAll(keepingCapacity: fields.capacity <= 1_024)
        unknownEntries.removeAll(keepingCapacity: true)
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
        let boundary = bytes.count
        bytes += entry.value
        fields.append(Field(name: start..<boundary, value: boundary..<bytes.count, isUnknown: entry.isUnknown))
    }

    /// Counts a field that is left out.
    mutating func omit(_ entry: HPACKEntry) {
        size &+= UInt64(entry.size)
        omitted += 1
    }
}
