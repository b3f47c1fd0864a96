/// Attributes of netlink messages (netlink(7)): length and type in the order of the machine, a value, filled up to four bytes. Numbers in the
/// values of netfilter are big-endian.
enum NetlinkAttribute {
    private static let isNested: UInt16 = 0x8000

    static func bytes(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        let length = UInt16(clamping: 4 + value.count)
        return native(length) + native(type) + value + [UInt8](repeating: 0, count: -value.count & 3)
    }

    static func number(_ type: UInt16, _ value: UInt32) -> [UInt8] { bytes(type, native(value.bigEndian)) }

    static func number(_ type: UInt16, _ value: UInt16) -> [UInt8] { bytes(type, native(value.bigEndian)) }

    static func number(_ type: UInt16, _ value: UInt64) -> [UInt8] { bytes(type, native(value.bigEndian)) }

    static func name(_ type: UInt16, _ value: String) -> [UInt8] { bytes(type, Array(value.utf8) + [0]) }

    static func nested(_ type: UInt16, _ parts: [UInt8]...) -> [UInt8] { bytes(type | isNested, parts.flatMap { $0 }) }

    /// A number in the order of the machine.
    static func native<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }
}
