// Base64 with padding (RFC 4648, section 4).

import CWideBase64

private let isWide = unmask_base64_is_wide() != 0

/// The two letters of each number of twelve bits, in the order of memory: 8 KiB, which stay in the cache.
private let letterPairs: [UInt16] = {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    return (0..<4_096).map { (UInt16(letters[$0 >> 6]) | UInt16(letters[$0 & 63]) << 8).littleEndian }
}()

extension OutputBuffer {
    mutating func append(base64 bytes: RawSpan) {
        let room = unsafe room(atLeast: (bytes.byteCount + 2) / 3 * 4)
        let written = unsafe bytes.withUnsafeBytes { bytes in
            unsafe letterPairs.withUnsafeBufferPointer { unsafe encode(bytes, with: $0, into: room) }
        }
        advance(by: written)
    }
}

/// Writes the letters of bytes, for which there is room; returns how many they are.
///
/// Every load is before `count`, and every store in the four letters of three bytes that were read: the loops' conditions say so. The pairs
/// are all of the numbers of twelve bits.
@unsafe
private func encode(
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
