import Dissection

/// Which names say that what stands behind them is secret: of JSON members, fields of forms and queries, header fields, XML elements.
///
/// A name counts whatever its case, and whatever escapes it is written with (`\u0061`, `%61`); `_`, `-` and spaces in it do not count, so that
/// `access_token`, `accessToken` and `Access-Token` are one. Of `user[password]` and `db.password` the last part counts too.
struct SecretNames: Sendable {
    /// Where a name stands.
    enum Place { case member, query }

    /// A name that is longer, as it is written, is none.
    static let longest = 256

    private static let words: Set<[UInt8]> = words(
        """
        pass pw pwd passwd password token jwt auth authorization proxyauthorization cookie cookie2 setcookie setcookie2 session sid sessid sig \
        signature pin otp totp cvv cvc cvc2 cardnumber ccnumber nkey bearer oauth xauth xsession authentication mfacode
        """)
    /// A name with one of these in it is secret.
    private static let parts = [[UInt8]](
        words(
            """
            password passwd passphrase passcode secret apikey accesskey privatekey subscriptionkey authkey credential sessionid sessionkey \
            signingkey encryptionkey connectionstring functionskey masterkey accountkey
            """))
    /// A name that ends with one of these is secret.
    private static let ends = [[UInt8]](words("token jwt pwd sessid signature authorization"))
    /// In queries only: elsewhere these are names of other things.
    private static let queryWords: Set<[UInt8]> = words("key code samlresponse assertion clientassertion ticket idtokenhint")
    /// Their value is a list of pairs, or a scheme with its credentials.
    private static let headers: Set<[UInt8]> = words("authorization proxyauthorization cookie cookie2 setcookie setcookie2")

    private static func words(_ text: String) -> Set<[UInt8]> { Set(text.split(separator: " ").map { Array($0.utf8) }) }

    /// Whether the name, as it is written, is one of them.
    static func isSecret(_ written: ArraySlice<UInt8>, in place: Place = .member) -> Bool {
        guard !written.isEmpty, written.count <= longest, mayBeSecret(written) else { return false }
        let (name, last) = plain(written)
        if isSecret(name[...], place) { return true }
        return last > 0 && isSecret(name[last...], place)
    }

    /// The letters that a name has to have to be secret, one set for each that needs no other: most names have none of them.
    private static let letterSets: [UInt32] = {
        let names = parts + ends + Array(words) + Array(queryWords)
        let sets = Set(names.map { letters(of: $0[...]) })
        return sets.filter { set in !sets.contains { $0 != set && $0 & set == $0 } }
    }()

    /// Its letters, a bit each, whatever their case.
    private static func letters(of name: ArraySlice<UInt8>) -> UInt32 {
        name.reduce(0) { 0x61...0x7a ~= $1 | 0x20 ? $0 | 1 << UInt32(($1 | 0x20) - 0x61) : $0 }
    }

    /// Whether a name may be one of them by the letters that it has; what is written with escapes may.
    private static func mayBeSecret(_ written: ArraySlice<UInt8>) -> Bool {
        if written.contains(where: { $0 == 0x5c || $0 == 0x25 }) { return true }
        let letters = letters(of: written)
        return letterSets.contains { letters & $0 == $0 }
    }

    /// Whether it is a header field with credentials in a form of their own.
    static func isCredentialHeader(_ written: ArraySlice<UInt8>) -> Bool {
        guard written.count <= longest else { return false }
        return headers.contains(plain(written).name)
    }

    private static func isSecret(_ name: ArraySlice<UInt8>, _ place: Place) -> Bool {
        guard name.count > 1 else { return false }
        let bytes = Array(name)
        if words.contains(bytes) || place == .query && queryWords.contains(bytes) { return true }
        return ends.contains { name.hasSuffix($0) } || parts.contains { name.contains($0) }
    }

    /// The name in lower case without escapes and without what does not count, and where its last part begins.
    static func plain(_ written: ArraySlice<UInt8>) -> (name: [UInt8], last: Int) {
        var name: [UInt8] = []
        var last = 0
        var index = written.startIndex
        while index < written.endIndex {
            let byte: UInt8
            switch written[index] {
            case 0x5c:
                while index < written.endIndex, written[index] == 0x5c { index += 1 }
                guard index < written.endIndex else { return (name, last) }
                if written[index] == 0x75, let value = hex(written, from: index + 1, count: 4) {
                    byte = value < 0x80 ? UInt8(value) : 0x80
                    index += 5
                } else {
                    // A line end or a tab, at which a name begins.
                    byte = [0x6e, 0x72, 0x74].contains(written[index]) ? 0x0a : 0x80
                    index += 1
                }
            case 0x25:
                var digits = index + 1
                while digits + 1 < written.endIndex, written[digits] == 0x32, written[digits + 1] == 0x35 { digits += 2 }
                if let value = hex(written, from: digits, count: 2) {
                    byte = UInt8(value)
                    index = digits + 2
                } else {
                    byte = 0x25
                    index += 1
                }
            case let other:
                byte = other
                index += 1
            }
            switch byte {
            case 0x41...0x5a: name.append(byte | 0x20)
            case 0x61...0x7a, 0x30...0x39: name.append(byte)
            // `.` and `[`
            case 0x2e, 0x5b: last = name.count
            case _ where byte.endsNames:
                name = []
                last = 0
            case _: break
            }
        }
        return (name, last)
    }

    private static func hex(_ text: ArraySlice<UInt8>, from start: Int, count: Int) -> Int? {
        guard start >= text.startIndex, start + count <= text.endIndex else { return nil }
        var value = 0
        for byte in text[start..<start + count] {
            guard let digit = byte.hexValue else { return nil }
            value = value << 4 | Int(digit)
        }
        return value
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ end: [UInt8]) -> Bool { count >= end.count && suffix(end.count).elementsEqual(end) }

    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard count >= part.count else { return false }
        return (startIndex...endIndex - part.count).contains { self[$0..<$0 + part.count].elementsEqual(part) }
    }
}

extension UInt8 {
    /// Stands between names, and is in none.
    fileprivate var endsNames: Bool {
        switch self {
        // Controls, and `?&/;#,=:"'({<>`
        case 0..<0x20, 0x3f, 0x26, 0x2f, 0x3b, 0x23, 0x2c, 0x3d, 0x3a, 0x22, 0x27, 0x28, 0x7b, 0x3c, 0x3e: true
        case _: false
        }
    }

    /// Part of a word or of a name.
    var isOfWord: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x5f, 0x2d, 0x80...: true
        case _: false
        }
    }

    /// A character of a token as credentials have them (RFC 9110, section 11.2), or of a percent-encoded one.
    var isOfToken: Bool {
        switch self {
        // `-._~+/=%`
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f, 0x7e, 0x2b, 0x2f, 0x3d, 0x25: true
        case _: false
        }
    }

    /// A space, a tab or a line end.
    var isSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0d || self == 0x0a }
}
