// The inside of JSON strings (RFC 8259, section 7).

/// Finds the bytes of a word that cannot stand in a JSON string as they are: the quote, the backslash, controls, DEL
/// and everything that is not ASCII. The top bit of each such byte is set, and no other.
@inline(__always)
private func specials(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let low = ones &* 0x7f
    // Without their top bits no byte can carry into the next: a sum has its top bit set unless the byte is the one asked for.
    let ascii = word & low
    let isOther = ((ascii ^ ones &* 0x22) &+ low) & ((ascii ^ ones &* 0x5c) &+ low) & ((ascii ^ low) &+ low)
    let isPrintable = ascii &+ ones &* 0x60
    return (~(isOther & isPrintable) | word) & ~low
}

/// The length of a letter of two or three bytes, for most of those that need no second look; four bytes are read.
@inline(__always)
private func letterLength(at source: UnsafeRawPointer, before end: UnsafeRawPointer) -> Int? {
    guard end - source >= 4 else { return nil }
    let word = UInt32(littleEndian: source.loadUnaligned(as: UInt32.self))
    switch word & 0xff {
    case 0xc3...0xdf: return word & 0xc000 == 0x8000 ? 2 : nil
    case 0xe1...0xec, 0xee...0xef: return word & 0xc0_c000 == 0x80_8000 ? 3 : nil
    default: return nil
    }
}

extension OutputBuffer {
    /// Appends bytes as the inside of a JSON string, if they are valid UTF-8 (RFC 3629); otherwise nothing.
    ///
    /// Escaped are what JSON demands, DEL and the C1 controls, so that a log shown on a terminal stays harmless.
    ///
    /// - Parameter isCut: More bytes follow that are not here; then an unfinished character at the end is left out.
    /// - Returns: Whether the bytes are valid.
    @inline(never)
    mutating func appendJSON(utf8 bytes: UnsafeRawBufferPointer, isCut: Bool = false) -> Bool {
        guard var source = bytes.baseAddress else { return true }
        let mark = count
        let end = source + bytes.count
        // Room for what is left, for what eight bytes become at most with one store beyond it, and for the longest escape.
        let slack = 64
        reserve(bytes.count + bytes.count / 4 + slack)
        var target = next
        var limit = base + capacity - slack
        while source < end {
            if limit - target < end - source {
                advance(by: target - next)
                reserve((end - source) * 2 + 64)
                target = next
                limit = base + capacity - slack
            }
            if bytes.count >= 8 {
                var rest = min(8, end - source)
                let missing = UInt64(8 - rest) * 8
                // At the end the last eight bytes, of which those that were taken before are shifted out.
                let from = missing == 0 ? source : end - 8
                var word = UInt64(littleEndian: from.loadUnaligned(as: UInt64.self)) >> missing
                // Binary content is often valid UTF-8 because most of it is zeros.
                if word == 0, missing == 0 {
                    repeat {
                        storeZeros(at: target)
                        target += 48
                        source += 8
                    } while end - source >= 8 && target <= limit && source.loadUnaligned(as: UInt64.self) == 0
                    continue
                }
                target.storeBytes(of: word.littleEndian, as: UInt64.self)
                var found = specials(in: word) & (UInt64.max >> missing)
                // Quotes and backslashes are frequent: each moves what follows it in the word one byte on.
                while found != 0 {
                    let plain = found.trailingZeroBitCount & ~7
                    word >>= UInt64(plain)
                    found >>= UInt64(plain)
                    target += plain / 8
                    source += plain / 8
                    rest -= plain / 8
                    let byte = UInt8(truncatingIfNeeded: word)
                    guard byte == 0x22 || byte == 0x5c else { break }
                    target.storeBytes(of: 0x5c, as: UInt8.self)
                    target.storeBytes(of: word.littleEndian, toByteOffset: 1, as: UInt64.self)
                    target += 2
                    source += 1
                    rest -= 1
                    word >>= 8
                    found >>= 8
                }
                if found == 0 {
                    target += rest
                    source += rest
                    // Where nothing had to be escaped, the next words are mostly like it.
                    while end - source >= 8, target <= limit {
                        let word = UInt64(littleEndian: source.loadUnaligned(as: UInt64.self))
                        guard specials(in: word) == 0 else { break }
                        target.storeBytes(of: word.littleEndian, as: UInt64.self)
                        target += 8
                        source += 8
                    }
                    continue
                }
            }
            let byte = source.load(as: UInt8.self)
            if byte == 0x22 || byte == 0x5c {
                target.storeBytes(of: 0x5c, as: UInt8.self)
                target.storeBytes(of: byte, toByteOffset: 1, as: UInt8.self)
                target += 2
                source += 1
            } else if byte >= 0x20, byte < 0x7f {
                target.storeBytes(of: byte, as: UInt8.self)
                target += 1
                source += 1
            } else if let length = letterLength(at: source, before: end) {
                // Four bytes are stored, the next step stores over those that are not part of the letter.
                target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
                target += length
                source += length
            } else {
                let sequence = UTF8Sequence(at: source, before: end)
                switch sequence.kind {
                case .whole where sequence.scalar < 0x20 || 0x7f..<0xa0 ~= sequence.scalar:
                    target += storeEscape(sequence.scalar, at: target)
                    source += sequence.length
                case .whole:
                    target.copyMemory(from: source, byteCount: sequence.length)
                    target += sequence.length
                    source += sequence.length
                case .unfinished where isCut:
                    source = end
                case .unfinished, .invalid:
                    truncate(to: mark)
                    return false
                }
            }
        }
        advance(by: target - next)
        return true
    }

    /// Appends bytes as the inside of a JSON string, each read as one character of Latin-1.
    mutating func appendJSON(latin1 bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            reserve(8)
            if byte == 0x22 || byte == 0x5c {
                append(0x5c)
                append(byte)
            } else if byte < 0x20 || 0x7f..<0xa0 ~= byte {
                advance(by: storeEscape(UInt32(byte), at: next))
            } else if byte < 0x80 {
                append(byte)
            } else {
                append(0xc0 | byte >> 6)
                append(0x80 | byte & 0x3f)
            }
        }
    }

    /// Stores the escapes of eight zeros, for which there have to be 48 bytes of room.
    @inline(__always)
    private func storeZeros(at target: UnsafeMutableRawPointer) {
        // `\u0000\u0000\u00`, `00\u0000\u0000\u`, `0000\u0000\u0000`, in the order of memory.
        let first = SIMD2<UInt64>(0x755c_3030_3030_755c, 0x3030_755c_3030_3030)
        let second = SIMD2<UInt64>(0x3030_3030_755c_3030, 0x755c_3030_3030_755c)
        let third = SIMD2<UInt64>(0x3030_755c_3030_3030, 0x3030_3030_755c_3030)
        target.storeBytes(of: first, as: SIMD2<UInt64>.self)
        target.storeBytes(of: second, toByteOffset: 16, as: SIMD2<UInt64>.self)
        target.storeBytes(of: third, toByteOffset: 32, as: SIMD2<UInt64>.self)
    }

    /// Stores the escape of a control character, for which there have to be six bytes of room; returns its length.
    private func storeEscape(_ scalar: UInt32, at target: UnsafeMutableRawPointer) -> Int {
        let short: UInt8? =
            switch scalar {
            case 0x08: 0x62
            case 0x09: 0x74
            case 0x0a: 0x6e
            case 0x0c: 0x66
            case 0x0d: 0x72
            default: nil
            }
        target.storeBytes(of: 0x5c, as: UInt8.self)
        if let short {
            target.storeBytes(of: short, toByteOffset: 1, as: UInt8.self)
            return 2
        }
        let digits: StaticString = "0123456789abcdef"
        target.storeBytes(of: 0x75, toByteOffset: 1, as: UInt8.self)
        target.storeBytes(of: 0x30, toByteOffset: 2, as: UInt8.self)
        target.storeBytes(of: 0x30, toByteOffset: 3, as: UInt8.self)
        target.storeBytes(of: digits.utf8Start[Int(scalar >> 4 & 15)], toByteOffset: 4, as: UInt8.self)
        target.storeBytes(of: digits.utf8Start[Int(scalar & 15)], toByteOffset: 5, as: UInt8.self)
        return 6
    }
}
