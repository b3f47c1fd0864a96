import Dissection

/// One quick pass over a text that says of most texts that `SecretScan` would find nothing in them.
///
/// It knows no context: that the letters of a secret name stand anywhere, a sign that a secret may follow, or as many letters as base64 has and that
/// stand for text, is enough for the whole look. Names are found by five of their letters, or by their last two to four; what a name does not count (`_`, `-`, spaces) does not
/// count here. A test holds the two against each other.
enum SecretGlance {
    /// What a byte is: the number of its letter from 1 on, or one of these; with bits.
    private static let skipped: UInt8 = 0
    private static let digit: UInt8 = 27
    /// Ends a name.
    private static let end: UInt8 = 28
    private static let kind: UInt8 = 0x1f
    /// A letter of base64, or of a token.
    private static let encoded: UInt8 = 0x80
    /// What is next to it counts.
    private static let special: UInt8 = 0x40
    /// A secret may follow it, or the bytes are of a binary format.
    private static let sign: UInt8 = 0x20

    /// Letters of base64 that are too few for a secret; fewer than a token of Slack has as well.
    private static let mostEncoded = 14
    /// Letters of base64 that are read.
    private static let mostDecoded = 64

    private static let kinds: [UInt8] = (0...255 as ClosedRange<UInt8>).map { byte in
        switch byte {
        case 0x41...0x5a: byte - 0x40 | encoded
        case 0x61...0x7a: byte - 0x60 | encoded
        case 0x30...0x39: digit | encoded
        case 0x5f, 0x2b: skipped | encoded
        case 0x2d: skipped | encoded | special
        case 0x2f: end | encoded | special
        case 0x0a: end | special
        // `%`, `<`, `=`, `>`, `\`, and what text has not.
        case 0x25, 0x3c, 0x3d, 0x3e, 0x5c: sign
        case 0..<0x20 where BinarySecrets.isOfBinary(byte): sign
        case 0x40: skipped | special
        // Controls, and `"#&'(,:;?{`
        case 0x09..<0x20, 0x22, 0x23, 0x26, 0x27, 0x28, 0x2c, 0x3a, 0x3b, 0x3f, 0x7b: end
        case _: skipped
        }
    }

    /// Five letters of each name that has so many, and of the words before credentials.
    private static let fives = [
        "passw", "passp", "passc", "token", "autho", "authe", "authk", "cooki", "sessi", "signa", "cardn", "ccnum", "beare", "oauth",
        "xauth",
        "mfaco", "secre", "apike", "esske", "ateke", "ionke", "crede", "ingke", "ionst", "nskey", "terke", "untke", "basic", "negot",
        // `xmpp-sasl` and `initial-response`.
        "psasl", "lresp",
    ]
    /// The shorter ones: the names end with them.
    private static let shorts = ["pw", "pwd", "jwt", "sid", "sig", "pin", "otp", "cvv", "cvc", "pass", "auth", "totp", "nkey"]
    /// `eyj` and `ntlm`, as `letters` has them; as numbers, since they are asked for at each letter.
    private static let (webToken, ntlm): (UInt32, UInt32) = (5 << 10 | 25 << 5 | 10, 14 << 15 | 20 << 10 | 12 << 5 | 13)

    private static func letters(_ word: String) -> UInt32 { word.utf8.reduce(0) { $0 << 5 | UInt32($1 & 0x1f) } }

    private static func place(_ letters: UInt32) -> Int { Int((letters &* 0x9e37_79b1) >> 16) }

    /// By a hash of five letters, whether these may be of a name.
    private static let mayBeName: [UInt64] = {
        var bits = [UInt64](repeating: 0, count: 1_024)
        for word in fives {
            let place = place(letters(word))
            bits[place / 64] |= 1 << UInt64(place % 64)
        }
        return bits
    }()

    private static let shortNames = shorts.map { (letters: letters($0), mask: UInt32(1) << UInt32(5 * $0.utf8.count) - 1) }

    /// By the last two letters, whether these may end a name.
    private static let mayEndName: [UInt64] = {
        var bits = [UInt64](repeating: 0, count: 16)
        for short in shortNames {
            let place = Int(short.letters & 0x3ff)
            bits[place / 64] |= 1 << UInt64(place % 64)
        }
        return bits
    }()

    /// Whether nothing is hidden in a text that is whole, by the defaults and as `SecretScan.Setting.text`.
    static func isClean(_ text: RawSpan) -> Bool {
        let (kinds, mayBeName, mayEndName, webToken, ntlm) = (kinds, mayBeName, mayEndName, webToken, ntlm)
        // Such as a command that begins a line.
        guard !text.isEmpty, !isCapital(text[0]), text[0] < 0x80 else { return text.isEmpty }
        var last: UInt32 = 0
        var encodedCount = 0
        var (hasAt, hasSlashes) = (false, false)
        for index in 0..<text.byteCount {
            let found = kinds[Int(text[index])]
            encodedCount = found & encoded != 0 ? encodedCount + 1 : 0
            if encodedCount == mostEncoded + 1, mayBeSecret(text, from: index - mostEncoded) { return false }
            let number = found & kind
            // Not skipped, and not beyond the letters.
            if number &- 1 < 26 {
                last = (last << 5 | UInt32(number)) & 0x1ff_ffff
                let place = place(last)
                if mayBeName[place / 64] >> UInt64(place % 64) & 1 == 1 { return false }
                if last & 0x7fff == webToken || last & 0xf_ffff == ntlm { return false }
                continue
            }
            if found & (sign | special) != 0 {
                if found & sign != 0 { return false }
                let next = index + 1 < text.byteCount ? text[index + 1] : 0
                switch text[index] {
                case 0x2d where next == 0x2d: return false
                case 0x2f where next == 0x2f: hasSlashes = true
                case 0x40: hasAt = true
                case 0x0a where isCapital(next): return false
                case _: break
                }
                if hasAt, hasSlashes { return false }
            }
            guard number != skipped, last != 0 else { continue }
            let end = Int(last & 0x3ff)
            if mayEndName[end / 64] >> UInt64(end % 64) & 1 == 1, endsName(last) { return false }
            last = 0
        }
        return true
    }

    /// Whether letters of base64 from a byte on may be a token, or stand for text. Of most that are put together at random the first few stand for bytes
    /// that no text has.
    private static func mayBeSecret(_ text: RawSpan, from start: Int) -> Bool {
        if SecretWords.mayBegin(text[start], text[start + 1], text[start + 2]) { return true }
        // `ya29.`: what stands before a dot is another word.
        if start > 1, text[start - 1] == 0x2e, text[start - 2] == 0x39 { return true }
        var end = start
        while end < text.byteCount, text[end].base64Digit != nil {
            // Another word may begin after it.
            if text[end] == 0x2b || text[end] == 0x2f { return true }
            end += 1
        }
        var decoding = EncodedText()
        for index in start..<min(end, start + mostDecoded) {
            guard let digit = text[index].base64Digit, decoding.take(digit) else { return false }
        }
        return decoding.isText
    }

    private static func isCapital(_ byte: UInt8) -> Bool { 0x41...0x5a ~= byte }

    private static func endsName(_ last: UInt32) -> Bool { shortNames.contains { last & $0.mask == $0.letters } }
}
