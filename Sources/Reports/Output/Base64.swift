// Base64 with padding (RFC 4648, section 4).

private let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

extension OutputBuffer {
    mutating func append(base64 bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve((bytes.count + 2) / 3 * 4)
        let letters = alphabet.utf8Start
        var target = next
        var position = 0
        @inline(__always)
        func store(_ group: UInt32) {
            let first = UInt32(letters[Int(group >> 18 & 63)]) | UInt32(letters[Int(group >> 12 & 63)]) << 8
            let second = UInt32(letters[Int(group >> 6 & 63)]) << 16 | UInt32(letters[Int(group & 63)]) << 24
            target.storeBytes(of: (first | second).littleEndian, as: UInt32.self)
            target += 4
        }
        @inline(__always)
        func byte(_ offset: Int) -> UInt32 { UInt32(start.load(fromByteOffset: position + offset, as: UInt8.self)) }
        while bytes.count - position >= 3 {
            store(byte(0) << 16 | byte(1) << 8 | byte(2))
            position += 3
        }
        switch bytes.count - position {
        case 2:
            store(byte(0) << 16 | byte(1) << 8)
            (target - 1).storeBytes(of: 0x3d, as: UInt8.self)
        case 1:
            store(byte(0) << 16)
            (target - 1).storeBytes(of: 0x3d, as: UInt8.self)
            (target - 2).storeBytes(of: 0x3d, as: UInt8.self)
        default: break
        }
        advance(by: target - next)
    }
}
