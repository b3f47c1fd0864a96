import CWideBase64

/// Base64 with padding, the alphabet with `+` and `/` (RFC 4648, section 4).
package enum Base64 {
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { room, count in
            count = unsafe bytes.withUnsafeBytes { unsafe encode($0, into: UnsafeMutableRawBufferPointer(room)) }
        }
    }

    /// Writes the letters of bytes into a room that has four for each three of them that were begun; returns how many they are.
    ///
    /// Every load is before `count`, and every store in the four letters of three bytes that were read: the loops' conditions say so. The
    /// pairs are all of the numbers of twelve bits.
    @unsafe
    package static func encode(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        unsafe letterPairs.withUnsafeBufferPointer { unsafe encode(bytes, with: $0, into: room) }
    }

    @unsafe
    private static func encode(
        _ bytes: UnsafeRawBufferPointer, with pairs: UnsafeBufferPointer<UInt16>, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        guard let start = bytes.baseAddress, let first = room.baseAddress, let pairs = pairs.baseAddress else { return 0 }
        let count = bytes.count
        var position = isWide ? Int(unsafe unmask_base64_wide(start, count, first)) : 0
        var target = unsafe first + position / 3 * 4
        // Six bytes are eight letters; the word that is read for them has two bytes more.
        while count - position >= 8 {
            let word = unsafe UInt64(bigEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
            unsafe target.storeBytes(of: pairs[Int(word >> 52)], as: UInt16.self)
            unsafe target.storeBytes(of: pairs[Int(word >> 40 & 0xFFF)], toByteOffset: 2, as: UInt16.self)
            unsafe target.storeBytes(of: pairs[Int(word >> 28 & 0xFFF)], toByteOffset: 4, as: UInt16.self)
            unsafe target.storeBytes(of: pairs[Int(word >> 16 & 0xFFF)], toByteOffset: 6, as: UInt16.self)
            unsafe target += 8
            position += 6
        }
        while position < count {
            let rest = min(3, count - position)
            var group = 0
            for offset in 0..<rest {
                group |= Int(unsafe start.load(fromByteOffset: position + offset, as: UInt8.self)) << (16 - offset * 8)
            }
            unsafe target.storeBytes(of: pairs[group >> 12], as: UInt16.self)
            unsafe target.storeBytes(of: pairs[group & 0xFFF], toByteOffset: 2, as: UInt16.self)
            // What no byte was there for is filled up.
            for place in (rest + 1)..<4 { unsafe target.storeBytes(of: 0x3d, toByteOffset: place, as: UInt8.self) }
            unsafe target += 4
            position += 3
        }
        return unsafe target - first
    }

    /// Whether `text` is what `bytes` are encoded as.
    package static func isEncoding(_ text: RawSpan, of bytes: RawSpan) -> Bool {
        guard text.byteCount == (bytes.byteCount + 2) / 3 * 4 else { return false }
        for position in stride(from: 0, to: bytes.byteCount, by: 3) {
            let count = min(3, bytes.byteCount - position)
            var bits: UInt32 = 0
            for index in position..<position + count { bits = bits << 8 | UInt32(bytes[index]) }
            guard let group = group(text, at: position / 3 * 4), group.padding == 3 - count, group.bits == bits << UInt32(8 * (3 - count))
            else { return false }
        }
        return true
    }

    /// How many bytes `text` stands for; nil where it is no base64: wrong length, wrong byte, wrong padding, or bits
    /// set that belong to no byte (section 3.5).
    package static func decodedCount(_ text: RawSpan) -> Int? {
        let count = text.byteCount
        guard count % 4 == 0 else { return nil }
        var last: (bits: UInt32, padding: Int) = (0, 0)
        for position in stride(from: 0, to: count, by: 4) {
            guard last.padding == 0, let group = group(text, at: position) else { return nil }
            last = group
        }
        return last.bits & (1 << UInt32(8 * last.padding) - 1) == 0 ? count / 4 * 3 - last.padding : nil
    }

    /// What `text` stands for; nil where it is no base64. Bits that belong to no byte do not count.
    package static func decode(_ text: RawSpan) -> [UInt8]? {
        let (bytes, problem) = decode(text, isJoined: false)
        return problem == nil ? bytes : nil
    }

    /// What several texts in base64 stand for that were joined, each of which may have padding at its end; and where they cease to be base64.
    package static func decodeJoined(_ text: RawSpan) -> (bytes: [UInt8], problem: Int?) { decode(text, isJoined: true) }

    private static func decode(_ text: RawSpan, isJoined: Bool) -> (bytes: [UInt8], problem: Int?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.byteCount / 4 * 3)
        var (position, padding) = (0, 0)
        while text.byteCount - position >= 4, padding == 0 || isJoined, let group = group(text, at: position) {
            padding = group.padding
            bytes.append(UInt8(truncatingIfNeeded: group.bits >> 16))
            if padding < 2 { bytes.append(UInt8(truncatingIfNeeded: group.bits >> 8)) }
            if padding < 1 { bytes.append(UInt8(truncatingIfNeeded: group.bits)) }
            position += 4
        }
        return (bytes, position < text.byteCount ? position : nil)
    }

    /// The 24 bits of four digits, of which up to two at the end may be padding; nil where they are something else.
    @inline(__always)
    private static func group(_ text: RawSpan, at position: Int) -> (bits: UInt32, padding: Int)? {
        var padding = 0
        if text[position + 3] == UInt8(ascii: "=") { padding = text[position + 2] == UInt8(ascii: "=") ? 2 : 1 }
        var bits: UInt32 = 0
        for index in position..<position + 4 - padding {
            guard let value = value(text[index]) else { return nil }
            bits = bits << 6 | UInt32(value)
        }
        return (bits << UInt32(6 * padding), padding)
    }

    @inline(__always)
    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

private let isWide = unmask_base64_is_wide() != 0

/// The two letters of each number of twelve bits, in the order of memory: 8 KiB, which stay in the cache.
private let letterPairs: [UInt16] = {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return (0..<4_096).map { (UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8).littleEndian }
}()
