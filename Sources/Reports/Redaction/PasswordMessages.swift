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
            bytes[password].allSatisfy({ $0 >= 0x20 })
        else { return nil }
        let end = password.upperBound
        let isRequest = end + 2 < bytes.count && bytes[end] == 5 && 1...3 ~= bytes[end + 1] && bytes[end + 2] == 0
        return end == bytes.count || isRequest ? password : nil
    }

    /// The passwords of a PostgreSQL client, in the clear or as MD5, where the bytes are its messages and nothing else: `p`, the length, and a text
    /// that ends with a zero, among others that begin with a letter and their length; the first may have no letter
    /// (postgresql.org/docs/current/protocol-message-formats.html). The last may be cut.
    static func postgres(in bytes: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var start = 0
        // StartupMessage, and SSLRequest.
        if let length = bytes.number(0, 4), let version = bytes.number(4, 4), version == 196_608 || version == 80_877_103, length >= 8 {
            start = length
        }
        while start < bytes.count {
            guard bytes[start].isLetter, let length = bytes.number(start + 1, 4), (4...65_536).contains(length) else { return [] }
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
