import Dissection

/// Makes the marks that stand where secrets were: `⟨redacted:1f3a02⟩`.
///
/// The digits are a keyed hash of the secret (SipHash-2-4), so that the same secret has the same mark in a run, and nobody without the key can try out
/// what a mark stands for.
struct RedactionMark: Sendable {
    /// The key of a run.
    struct Salt: Hashable, Sendable {
        var low: UInt64
        var high: UInt64
    }

    private let salt: Salt

    static let opening = Array("⟨redacted:".utf8)
    static let closing = Array("⟩".utf8)
    /// Hexadecimal digits of a mark.
    static let digits = 6

    init(_ salt: Salt) { self.salt = salt }

    /// The mark of a secret.
    func mark(of secret: ArraySlice<UInt8>) -> [UInt8] {
        let hash = hash(of: secret)
        var mark = RedactionMark.opening
        for place in 0..<RedactionMark.digits {
            mark.append(hexDigit(hash >> UInt64(60 - 4 * place)))
        }
        return mark + RedactionMark.closing
    }

    /// The same mark for a line of a head that has no colon, and should not get one: `⟨redacted-1f3a02⟩`.
    static func withoutColon(_ mark: [UInt8]) -> [UInt8] {
        guard isMark(mark[...]) else { return mark }
        var mark = mark
        mark[opening.count - 1] = 0x2d
        return mark
    }

    /// Whether bytes are a mark already: of another run, in a log that is read again.
    static func isMark(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count >= opening.count + closing.count + 4, bytes.count <= opening.count + closing.count + 16 else { return false }
        guard bytes.starts(with: opening.dropLast()), bytes.suffix(closing.count).elementsEqual(closing) else { return false }
        let sign = bytes[bytes.startIndex + opening.count - 1]
        guard sign == 0x3a || sign == 0x2d else { return false }
        return bytes.dropFirst(opening.count).dropLast(closing.count).allSatisfy { $0.hexValue != nil }
    }

    /// SipHash-2-4 (Aumasson and Bernstein, 2012).
    private func hash(of bytes: ArraySlice<UInt8>) -> UInt64 {
        var state = SipState(salt)
        var word: UInt64 = 0
        var filled: UInt64 = 0
        for byte in bytes {
            word |= UInt64(byte) << (filled * 8)
            filled += 1
            guard filled == 8 else { continue }
            state.take(word)
            (word, filled) = (0, 0)
        }
        state.take(word | UInt64(truncatingIfNeeded: bytes.count) << 56)
        return state.finish()
    }
}

private struct SipState {
    private var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64)

    init(_ salt: RedactionMark.Salt) {
        a = salt.low ^ 0x736f_6d65_7073_6575
        b = salt.high ^ 0x646f_7261_6e64_6f6d
        c = salt.low ^ 0x6c79_6765_6e65_7261
        d = salt.high ^ 0x7465_6462_7974_6573
    }

    private mutating func mix() {
        a &+= b
        b = b << 13 | b >> 51
        b ^= a
        a = a << 32 | a >> 32
        c &+= d
        d = d << 16 | d >> 48
        d ^= c
        a &+= d
        d = d << 21 | d >> 43
        d ^= a
        c &+= b
        b = b << 17 | b >> 47
        b ^= c
        c = c << 32 | c >> 32
    }

    mutating func take(_ word: UInt64) {
        d ^= word
        mix()
        mix()
        a ^= word
    }

    mutating func finish() -> UInt64 {
        c ^= 0xff
        for _ in 0..<4 { mix() }
        return a ^ b ^ c ^ d
    }
}
