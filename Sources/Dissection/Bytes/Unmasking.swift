/// The masking of WebSocket payloads (RFC 6455, section 5.3), undone while copying.
package enum Unmasking {
    /// Copies `source` to `destination` from `start` on and undoes the mask: 32 bytes a step, then 8, then 1.
    ///
    /// - Parameters:
    ///   - key: the masking key in network order, as `FrameHeader.maskingKey` has it; 0 copies.
    ///   - position: the position of the first byte of `source` in the frame's payload.
    ///   - start: an offset into `destination`; what does not fit behind it is left out.
    @inline(__always)
    package static func copy(
        _ source: RawSpan, key: UInt32, position: UInt64, to destination: inout [UInt8], at start: Int
    ) {
        let count = min(source.byteCount, destination.count - start)
        guard start >= 0, count > 0 else { return }
        // The key turned so that its first byte is the one due at `position`, in the byte order of memory.
        let turn = UInt32(position & 3) * 8
        let turned = turn == 0 ? key : key << turn | key >> (32 - turn)
        let word = UInt32(bigEndian: turned)
        // Raw pointers, because the standard library has no checked vector stores: every offset written stays below
        // `count`, which was held against both buffers above.
        unsafe destination.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { bytes in
                guard let to = target.baseAddress, let from = bytes.baseAddress else { return }
                unsafe xor(from, word, to + start, count)
            }
        }
    }

    @inline(__always)
    private static func xor(_ from: UnsafeRawPointer, _ word: UInt32, _ to: UnsafeMutableRawPointer, _ count: Int) {
        var index = 0
        let wide = SIMD8<UInt32>(repeating: word)
        while index + 32 <= count {
            let block = unsafe from.loadUnaligned(fromByteOffset: index, as: SIMD8<UInt32>.self)
            unsafe to.storeBytes(of: block ^ wide, toByteOffset: index, as: SIMD8<UInt32>.self)
            index += 32
        }
        let double = UInt64(word) << 32 | UInt64(word)
        while index + 8 <= count {
            let block = unsafe from.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            unsafe to.storeBytes(of: block ^ double, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        // 32 and 8 are multiples of the key's length, so the key stands at its first byte again.
        var rest = UInt32(bigEndian: word)
        while index < count {
            rest = rest << 8 | rest >> 24
            let byte = unsafe from.load(fromByteOffset: index, as: UInt8.self)
            unsafe to.storeBytes(of: byte ^ UInt8(truncatingIfNeeded: rest), toByteOffset: index, as: UInt8.self)
            index += 1
        }
    }
}
