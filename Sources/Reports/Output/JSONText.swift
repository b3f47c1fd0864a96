import Dissection

// The inside of JSON strings (RFC 8259, section 7).

extension OutputBuffer {
    /// Appends bytes as the inside of a JSON string, if they are valid UTF-8 (RFC 3629); otherwise nothing.
    ///
    /// Escaped are what JSON demands, DEL and the C1 controls, so that a log shown on a terminal stays harmless.
    ///
    /// - Parameters:
    ///   - isCut: More bytes follow that are not here; then an unfinished character at the end is left out.
    ///   - isWide: Whether the step is used that not every processor has; it changes the speed alone.
    ///   - mostControls: Bytes with more control characters than these, other than tab, line feed and carriage return, are refused too.
    /// - Returns: Whether the bytes are valid.
    @inline(never)
    mutating func appendJSON(utf8 bytes: RawSpan, isCut: Bool = false, mostControls: Int = .max, isWide: Bool = JSONWide.isThere) -> Bool {
        let mark = count
        var escape = JSONEscape(isCut: isCut, mostControls: mostControls, isWide: isWide)
        while escape.position < bytes.byteCount {
            let rest = bytes.byteCount - escape.position
            // Most text has a quote or two in eight bytes; what has more takes another round.
            let room = rest + rest / 4 + JSONEscape.slack
            let target = unsafe self.room(atLeast: room)
            // A closure that changes a variable of ours would cost an allocation a call.
            let before = escape
            escape = unsafe bytes.withUnsafeBytes { unsafe before.goingOn(in: $0, into: target) }
            if escape.isRefused {
                truncate(to: mark)
                return false
            }
            advance(by: escape.written)
        }
        return true
    }

    /// Appends a few bytes of ASCII as the inside of a JSON string, if none of them is escaped; otherwise nothing. Most strings of a head
    /// are such, and shorter than what goes before the steps of `appendJSON` takes.
    ///
    /// - Returns: Whether they were appended.
    mutating func appendPlain(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount <= 64 else { return false }
        let mark = count
        var position = 0
        while position < bytes.byteCount {
            let length = min(8, bytes.byteCount - position)
            let word = bytes.word(at: position, length)
            if specials(in: word) & (UInt64.max >> UInt64(64 - 8 * length)) != 0 {
                truncate(to: mark)
                return false
            }
            append(first: length, of: word.littleEndian)
            position += length
        }
        return true
    }

    /// Appends bytes as the inside of a JSON string, each read as one character of Latin-1.
    mutating func appendJSON(latin1 bytes: RawSpan) {
        for index in 0..<bytes.byteCount {
            let byte = bytes[index]
            if byte == 0x22 || byte == 0x5c {
                append(0x5c)
                append(byte)
            } else if byte < 0x20 || 0x7f..<0xa0 ~= byte {
                let escape = JSONEscape.control(UInt32(byte))
                append(first: escape.length, of: escape.bytes.littleEndian)
            } else if byte < 0x80 {
                append(byte)
            } else {
                append(0xc0 | byte >> 6)
                append(0x80 | byte & 0x3f)
            }
        }
    }
}

extension RawSpan {
    /// The `length` bytes at a position, at least one and at most eight, the first one lowest; zeros above them.
    @inline(__always)
    fileprivate func word(at position: Int, _ length: Int) -> UInt64 {
        if length == 8 { return UInt64(littleEndian: nativeInteger(at: position, as: UInt64.self)) }
        // The last eight bytes, of which those before them are shifted out.
        if byteCount >= 8 {
            return UInt64(littleEndian: nativeInteger(at: byteCount - 8, as: UInt64.self)) >> UInt64(64 - 8 * length)
        }
        var word: UInt64 = 0
        for index in 0..<length { word |= UInt64(self[position + index]) << UInt64(8 * index) }
        return word
    }
}

/// Escapes UTF-8 in vector steps, as far as there is room.
private struct JSONEscape {
    /// Bytes that were taken.
    private(set) var position = 0
    /// Bytes that the last step wrote.
    private(set) var written = 0
    /// What came is not valid, or has too many controls.
    private(set) var isRefused = false
    private var controls = 0
    private let isCut: Bool
    private let mostControls: Int
    private let isWide: Bool

    /// Room for what a step writes at most: sixteen bytes that all are escaped, and one store beyond them; or eight zeros.
    static let slack = 64

    init(isCut: Bool, mostControls: Int, isWide: Bool) {
        self.isCut = isCut
        self.isWide = isWide
        self.mostControls = mostControls
    }

    /// Goes on at `position` until there is less room than `slack`, of which there has to be that much.
    @unsafe
    @inline(__always)
    func goingOn(in bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> JSONEscape {
        var next = self
        next.written = unsafe next.run(bytes, into: room)
        return next
    }

    /// Returns how much was written.
    ///
    /// Every load lies between `source` and `end`: the condition before it says so. Every store begins at `target`, which is not beyond
    /// `limit` when a step begins, and ends within `slack` of it.
    @unsafe
    private mutating func run(_ bytes: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard let first = bytes.baseAddress, let start = room.baseAddress, room.count >= JSONEscape.slack else { return 0 }
        var source = unsafe first + position
        let end = unsafe first + bytes.count
        var target = unsafe start
        let limit = unsafe start + (room.count - JSONEscape.slack)
        while unsafe source < end, unsafe target <= limit {
            if isWide {
                unsafe JSONWide.take(&source, before: end, &target, before: limit + JSONEscape.slack)
            } else {
                unsafe JSONEscape.takeBlocks(&source, before: end, &target, upTo: limit)
            }
            guard unsafe source < end, unsafe target <= limit else { break }
            if bytes.count >= 8 {
                // At the end the last eight bytes, of which those that were taken before are shifted out.
                var rest = unsafe min(8, end - source)
                let missing = UInt64(8 - rest) * 8
                let from = unsafe missing == 0 ? source : end - 8
                var word = unsafe UInt64(littleEndian: from.loadUnaligned(as: UInt64.self)) >> missing
                // Binary content is often valid UTF-8 because most of it is zeros.
                if word == 0, missing == 0 {
                    unsafe target.storeZeros()
                    unsafe target += 48
                    unsafe source += 8
                    controls += 8
                    if controls > mostControls { return refuse() }
                    continue
                }
                unsafe target.storeBytes(of: word.littleEndian, as: UInt64.self)
                var found = specials(in: word) & (UInt64.max >> missing)
                // Each quote and backslash moves what follows it in the word one byte on.
                while found != 0 {
                    let plain = found.trailingZeroBitCount & ~7
                    word >>= UInt64(plain)
                    found >>= UInt64(plain)
                    unsafe target += plain / 8
                    unsafe source += plain / 8
                    rest -= plain / 8
                    let byte = UInt8(truncatingIfNeeded: word)
                    guard byte == 0x22 || byte == 0x5c else { break }
                    unsafe target.storeBytes(of: 0x5c, as: UInt8.self)
                    unsafe target.storeBytes(of: word.littleEndian, toByteOffset: 1, as: UInt64.self)
                    unsafe target += 2
                    unsafe source += 1
                    rest -= 1
                    word >>= 8
                    found >>= 8
                }
                if found == 0 {
                    unsafe target += rest
                    unsafe source += rest
                    continue
                }
            }
            // One character that may need more than a look.
            while true {
                let byte = unsafe source.load(as: UInt8.self)
                if let length = unsafe letterLength(at: source, before: end) {
                    // Four bytes are stored, the next step stores over those that are not part of the letter.
                    unsafe target.storeBytes(of: source.loadUnaligned(as: UInt32.self), as: UInt32.self)
                    unsafe target += length
                    unsafe source += length
                } else if byte == 0x22 || byte == 0x5c {
                    unsafe target.storeBytes(of: 0x5c, as: UInt8.self)
                    unsafe target.storeBytes(of: byte, toByteOffset: 1, as: UInt8.self)
                    unsafe target += 2
                    unsafe source += 1
                } else if byte >= 0x20, byte < 0x7f {
                    unsafe target.storeBytes(of: byte, as: UInt8.self)
                    unsafe target += 1
                    unsafe source += 1
                } else {
                    let sequence = unsafe sequence(at: source, before: end)
                    switch sequence.kind {
                    case .whole where sequence.scalar < 0x20 || 0x7f..<0xa0 ~= sequence.scalar:
                        let escape = JSONEscape.control(sequence.scalar)
                        unsafe target.storeBytes(of: escape.bytes.littleEndian, as: UInt64.self)
                        unsafe target += escape.length
                        if sequence.scalar < 0x80, !isBlank(sequence.scalar) { controls += 1 }
                        if controls > mostControls { return refuse() }
                    case .whole:
                        unsafe target.copyMemory(from: source, byteCount: sequence.length)
                        unsafe target += sequence.length
                    case .unfinished where isCut:
                        position = bytes.count
                        return unsafe target - start
                    case .unfinished, .invalid: return refuse()
                    }
                    unsafe source += sequence.length
                }
                // Letters that are not ASCII mostly come together.
                guard unsafe source < end, unsafe target <= limit, unsafe source.load(as: UInt8.self) >= 0x80 else { break }
            }
        }
        position = unsafe source - first
        return unsafe target - start
    }

    /// The character at a place. A span of a variable's pointer would keep the variable in the heap.
    @unsafe
    private func sequence(at source: UnsafeRawPointer, before end: UnsafeRawPointer) -> UTF8Sequence {
        unsafe UTF8Sequence(RawSpan(_unsafeStart: source, byteCount: end - source), at: 0)
    }

    private mutating func refuse() -> Int {
        isRefused = true
        return 0
    }

    private func isBlank(_ scalar: UInt32) -> Bool { scalar == 0x09 || scalar == 0x0a || scalar == 0x0d }

    /// Takes sixteen bytes at a time, as long as there are so many and none needs another escape than a backslash before it.
    @unsafe
    @inline(__always)
    private static func takeBlocks(
        _ source: inout UnsafeRawPointer, before end: UnsafeRawPointer, _ target: inout UnsafeMutableRawPointer,
        upTo limit: UnsafeMutableRawPointer
    ) {
        // From each of the sixteen, sixteen are read.
        while unsafe end - source >= 31, unsafe target <= limit {
            let block = unsafe source.loadUnaligned(as: SIMD16<UInt8>.self)
            let (quotes, others) = specials(in: block)
            if isAny(others) { return }
            unsafe target.storeBytes(of: block, as: SIMD16<UInt8>.self)
            if isAny(quotes) {
                var found = bits(quotes)
                // What comes from a quote on is stored once more, after a backslash and one byte further on.
                repeat {
                    let place = found.trailingZeroBitCount
                    found &= found &- 1
                    unsafe target.storeBytes(of: 0x5c, toByteOffset: place, as: UInt8.self)
                    let rest = unsafe source.loadUnaligned(fromByteOffset: place, as: SIMD16<UInt8>.self)
                    unsafe target.storeBytes(of: rest, toByteOffset: place + 1, as: SIMD16<UInt8>.self)
                    unsafe target += 1
                } while found != 0
            }
            unsafe source += 16
            unsafe target += 16
        }
    }

    /// The escape of a control character, in the lowest bytes.
    static func control(_ scalar: UInt32) -> (bytes: UInt64, length: Int) {
        let short: UInt64? =
            switch scalar {
            case 0x08: 0x62
            case 0x09: 0x74
            case 0x0a: 0x6e
            case 0x0c: 0x66
            case 0x0d: 0x72
            default: nil
            }
        if let short { return (0x5c | short << 8, 2) }
        // `\u00` and two digits.
        let digits = UInt64(hexDigit(UInt64(scalar) >> 4)) << 32 | UInt64(hexDigit(UInt64(scalar))) << 40
        return (0x3030_755c | digits, 6)
    }
}

extension UnsafeMutableRawPointer {
    /// Stores the escapes of eight zeros, for which there have to be 48 bytes of room.
    @unsafe
    @inline(__always)
    fileprivate func storeZeros() {
        // `\u0000\u0000\u00`, `00\u0000\u0000\u`, `0000\u0000\u0000`, in the order of memory.
        let first = SIMD2<UInt64>(0x755c_3030_3030_755c, 0x3030_755c_3030_3030)
        let second = SIMD2<UInt64>(0x3030_3030_755c_3030, 0x755c_3030_3030_755c)
        let third = SIMD2<UInt64>(0x3030_755c_3030_3030, 0x3030_3030_755c_3030)
        unsafe storeBytes(of: first, as: SIMD2<UInt64>.self)
        unsafe storeBytes(of: second, toByteOffset: 16, as: SIMD2<UInt64>.self)
        unsafe storeBytes(of: third, toByteOffset: 32, as: SIMD2<UInt64>.self)
    }
}

/// The length of a letter of two or three bytes, for most of those that need no second look; four bytes are read.
@unsafe
@inline(__always)
private func letterLength(at source: UnsafeRawPointer, before end: UnsafeRawPointer) -> Int? {
    guard unsafe end - source >= 4 else { return nil }
    let word = unsafe UInt32(littleEndian: source.loadUnaligned(as: UInt32.self))
    switch word & 0xff {
    case 0xc3...0xdf: return word & 0xc000 == 0x8000 ? 2 : nil
    case 0xe1...0xec, 0xee...0xef: return word & 0xc0_c000 == 0x80_8000 ? 3 : nil
    default: return nil
    }
}
