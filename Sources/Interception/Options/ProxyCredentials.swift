import Dissection

/// A user and a password, for clients of the proxy or for the proxy that comes after it.
package struct ProxyCredentials: Hashable, Sendable {
    /// UTF-8; without a colon where it is for HTTP (RFC 7617, section 2).
    package var user: [UInt8]
    package var password: [UInt8]

    package init(user: String, password: String) {
        self.user = Array(user.utf8)
        self.password = Array(password.utf8)
    }

    /// Reads `USER:PASSWORD`; the password may have colons. RFC 1929 bounds both to 255 bytes.
    /// - Throws: `SpecError`.
    package init(_ text: String) throws(SpecError) {
        guard let colon = text.firstIndex(of: ":") else {
            throw SpecError("a user and a password are written USER:PASSWORD")
        }
        self.init(user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
        guard !user.isEmpty, user.count <= 255, password.count <= 255 else {
            throw SpecError("user and password have at most 255 bytes each, and the user at least one")
        }
    }

    /// The value of `Proxy-Authorization` (RFC 7617, section 2).
    package var basic: [UInt8] { Array("Basic ".utf8) + Base64.encode(user + [UInt8(ascii: ":")] + password) }

    /// Whether the value of a `Proxy-Authorization` field is this user with this password.
    func matches(basic value: some Collection<UInt8>) -> Bool {
        let given = Array(value)
        let expected = basic
        // The scheme's name has no case, and one or more spaces follow it (RFC 9110, section 11.4).
        let scheme = given.prefix(6).map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }
        let token = given.dropFirst(6).drop { $0 == 0x20 }
        return ProxyCredentials.areEqual(Array(token), Array(expected.dropFirst(6))) && scheme == Array("basic ".utf8)
    }

    /// The user in the value of a `Proxy-Authorization` field, for the records: at most 64 characters, and never the password. None where
    /// the value is not `Basic` with a user and a password.
    static func user(inBasic value: some Collection<UInt8>, hiding own: ProxyCredentials?) -> String? {
        let given = Array(value)
        guard given.prefix(6).map(\.lowercased).elementsEqual("basic ".utf8) else { return nil }
        var plain: [UInt8] = []
        var (bits, count): (UInt32, Int) = (0, 0)
        for byte in given.dropFirst(6).drop(while: { $0 == 0x20 }) {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit = byte - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = byte - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0") + 52
            case UInt8(ascii: "+"): digit = 62
            case UInt8(ascii: "/"): digit = 63
            default: return nil
            }
            bits = (bits << 6 | UInt32(digit)) & 0xFF_FFFF
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            let next = UInt8(truncatingIfNeeded: bits >> UInt32(count))
            // What follows is the password.
            if next == UInt8(ascii: ":") { return user(plain, hiding: own) }
            plain.append(next)
        }
        return nil
    }

    /// A user's name as the records show it. One that holds the right password is not shown: a client has put the two into each other's place.
    package static func user(_ bytes: some Collection<UInt8>, hiding own: ProxyCredentials?) -> String {
        let given = Array(bytes)
        if let own, !own.password.isEmpty, own.user != given, given.count >= own.password.count {
            for start in 0...(given.count - own.password.count) where given[start...].starts(with: own.password) { return "***" }
        }
        return String(String(decoding: given, as: UTF8.self).prefix(64))
    }

    /// Whether both parts are the same (RFC 1929).
    func matches(user: [UInt8], password: [UInt8]) -> Bool {
        let isUser = ProxyCredentials.areEqual(user, self.user)
        let isPassword = ProxyCredentials.areEqual(password, self.password)
        return isUser && isPassword
    }

    /// Takes as long for a good guess as for a bad one of the same length.
    private static func areEqual(_ given: [UInt8], _ expected: [UInt8]) -> Bool {
        var difference: UInt8 = given.count == expected.count ? 0 : 1
        for index in given.indices {
            difference |= given[index] ^ (expected.isEmpty ? 0xFF : expected[index % expected.count])
        }
        return difference == 0
    }
}
