// Base64 with padding (RFC 4648, section 4).

import CWideBase64

private let alphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

private let isWide = unmask_base64_is_wide() != 0

/// The two letters of each number of twelve bits, in the order of memory: 8 KiB, which stay in the cache.
private let letterPairs: [UInt16] = (0..<4_096).map { number in
    let letters = alphabet.utf8Start
    return (UInt16(letters[number >> 6]) | UInt16(letters[number & 63]) << 8).littleEndian
}

extension OutputBuffer {
    mutating func append(base64 bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        reserve((bytes.count + 2) / 3 * 4)
        letterPairs.withUnsafeBufferPointer { pairs in
            guard let pairs = pairs.baseAddress else { return }
            var position = isWide ? unmask_base64_wide(start, bytes.count, next) : 0
            var target = next + position / 3 * 4
            // Six bytes are eight letters; the word that is read for them has two bytes more.
            while bytes.count - position >= 8 {
                let word = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                target.storeBytes(of: pairs[Int(word >> 52)], as: UInt16.self)
                target.storeBytes(of: pairs[Int(word >> 40 & 0xFFF)], toByteOffset: 2, as: UInt16.self)
                target.storeBytes(of: pairs[Int(word >> 28 & 0xFFF)], toByteOffset: 4, as: UInt16.self)
                target.storeBytes(of: pairs[Int(word >> 16 & 0xFFF)], toByteOffset: 6, as: UInt16.self)
                target += 8
                position += 6
            }
            while position < bytes.count {
                let rest = min(3, bytes.count - position)
                var group = 0
                for offset in 0..<rest { group |= Int(start.load(fromByteOffset: position + offset, as: UInt8.self)) << (16 - offset * 8) }
                target.storeBytes(of: pairs[group >> 12], as: UInt16.self)
                target.storeBytes(of: pairs[group & 0xFFF], toByteOffset: 2, as: UInt16.self)
                // What no byte was there for is filled up.
                for place in (rest + 1)..<4 { target.storeBytes(of: 0x3d, toByteOffset: place, as: UInt8.self) }
                target += 4
                position += 3
            }
            advance(by: target - next)
        }
    }
}
