import Dissection

/// Passwords in the messages of two protocols that are read no further: SOCKS and PostgreSQL.
enum PasswordMessages {
    /// The password of a SOCKS client: version 1, user and password with their lengths (RFC 1929, section 2), alone or after the greeting, and with
    /// nothing after it but a request (RFC 1928, sections 3 and 4).
    static func socks(in bytes: [UInt8]) -> Range<Int>? {
        var start = 0
        if bytes.first == 5 {
            guard let methods = bytes.range(2, bytes.number(1, 1)), !methods.isEmpty else { return nil }
            start = methods.upperBound
        }
        guard start < bytes.count, bytes[start] == 1, let user = bytes.range(start + 2, bytes.number(start + 1, 1)),
            let password = bytes.range(user.upperBound + 1, bytes.number(user.upperBound, 1)), !password.isEmpty,
            isText(bytes[user], bytes[password])
        else { return nil }
        let end = password.upperBound
        let isRequest = end + 2 < bytes.count && bytes[end] == 5 && 1...3 ~= bytes[end + 1] && bytes[end + 2] == 0
        return end == bytes.count || isRequest ? password : nil
    }

    /// Whether a password may be one: it has no control characters, or has others as well and follows the name of a user that has none.
    private static func isText(_ user: ArraySlice<UInt8>, _ password: ArraySlice<UInt8>) -> Bool {
        if password.allSatisfy({ $0 >= 0x20 }) { return true }
        return !user.isEmpty && user.allSatisfy { $0 >= 0x20 } && password.contains { $0 >= 0x20 }
    }

    /// What a PostgreSQL client sends (postgresql.org/docs/current/protocol-message-formats.html).
    private static let postgresLetters = Set("BCDEFHPQSXcdfp".utf8)

    /// The passwords of a PostgreSQL client, in the clear or as MD5, where the bytes are its messages and nothing else: `p`, the length, and a text
    /// that ends with a zero, among others that begin with a letter and their length; the first may have no letter
    /// (postgresql.org/docs/current/protocol-message-formats.html). The last may be cut.
    static func postgres(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        // SSLRequest, GSSENCRequest and StartupMessage of protocol 3, one after the other where the client knows what the server will say.
        while let length = bytes.number(start, 4), let version = bytes.number(start + 4, 4),
            version >> 16 == 3 || version == 80_877_103 || version == 80_877_104,
            (8...10_000).contains(length), start < bytes.count
        { start += length }
        while start < bytes.count {
            // A query after the password may be long; what comes first is not, and so nothing else is soon taken for it.
            let most = start > 0 && postgresLetters.contains(bytes[start]) ? 0x3fff_ffff : 65_536
            guard bytes[start].isLetter, let length = bytes.number(start + 1, 4), (4...most).contains(length) else { return [] }
            let end = start + 1 + length
            if bytes[start] == UInt8(ascii: "p"), length > 5 {
                let isEnded = end <= bytes.count && bytes[end - 1] == 0
                let password = start + 5..<min(bytes.count, isEnded ? end - 1 : end)
                // SASL's first message has a zero after its mechanism.
                if !password.isEmpty, bytes[password].allSatisfy({ $0 != 0 }) { found.append(password) }
            }
            start = end
        }
        return found
    }
}
