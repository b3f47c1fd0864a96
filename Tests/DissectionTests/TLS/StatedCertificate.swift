/// A certificate whose fields are stated, in DER. Its signature is none.
struct StatedCertificate {
    var subject = "chat.example"
    var issuer = "Test CA"
    /// Alternative names with their tags: 0x82 is a host, 0x87 an address.
    var names: [(tag: UInt8, bytes: [UInt8])] = [(0x82, Array("chat.example".utf8))]
    /// As UTCTime has them, or GeneralizedTime where they are longer.
    var notBefore = "260101000000Z"
    var notAfter = "270101000000Z"
    var modulusBits = 2_048
    /// sha256WithRSAEncryption.
    var signature: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11]
    /// Last numbers below 1.3.6.1.5.5.7.3; none where it does not say.
    var purposes: [UInt8] = []
    /// Whether it says that it is a CA; nil where it says nothing.
    var isCA: Bool?
    /// It says where the certificate of its issuer is.
    var locatesIssuer = false
    /// The identifier of a critical extension without a meaning.
    var critical: [UInt8] = []
    /// The identifiers of its key and of its issuer's.
    var keys: (own: [UInt8], issuer: [UInt8])?

    var der: [UInt8] {
        var fields = Self.element(0xA0, Self.element(2, [2])) + Self.element(2, [1]) + algorithm + Self.name(issuer)
        fields += Self.element(0x30, Self.time(notBefore) + Self.time(notAfter)) + Self.name(subject) + key
        var extensions: [UInt8] = []
        if !names.isEmpty {
            extensions += Self.extension([0x55, 0x1D, 0x11], Self.element(0x30, names.flatMap { Self.element($0.tag, $0.bytes) }))
        }
        if !purposes.isEmpty {
            let list = purposes.flatMap { Self.element(6, [0x2B, 6, 1, 5, 5, 7, 3, $0]) }
            extensions += Self.extension([0x55, 0x1D, 0x25], Self.element(0x30, list))
        }
        if let keys {
            extensions += Self.extension([0x55, 0x1D, 0x0E], Self.element(4, keys.own))
            extensions += Self.extension([0x55, 0x1D, 0x23], Self.element(0x30, Self.element(0x80, keys.issuer)))
        }
        if let isCA {
            extensions += Self.extension([0x55, 0x1D, 0x13], Self.element(0x30, isCA ? [1, 1, 0xFF] : []))
        }
        if locatesIssuer {
            let place = Self.element(6, [0x2B, 6, 1, 5, 5, 7, 0x30, 2]) + Self.element(0x86, Array("http://ca.example/ca.cer".utf8))
            extensions += Self.extension([0x2B, 6, 1, 5, 5, 7, 1, 1], Self.element(0x30, Self.element(0x30, place)))
        }
        if !critical.isEmpty {
            extensions += Self.element(0x30, Self.element(6, critical) + [1, 1, 0xFF] + Self.element(4, [5, 0]))
        }
        if !extensions.isEmpty { fields += Self.element(0xA3, Self.element(0x30, extensions)) }
        return Self.element(0x30, Self.element(0x30, fields) + algorithm + Self.element(3, [0, 1, 2, 3]))
    }

    private var algorithm: [UInt8] { Self.element(0x30, Self.element(6, signature) + [5, 0]) }

    private var key: [UInt8] {
        // The highest bit is set, so a zero byte stands before it.
        let modulus = Self.element(2, [0, 0x80] + Array(repeating: 1, count: modulusBits / 8 - 1))
        let numbers = Self.element(0x30, modulus + Self.element(2, [1, 0, 1]))
        let kind = Self.element(0x30, Self.element(6, [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1]) + [5, 0])
        return Self.element(0x30, kind + Self.element(3, [0] + numbers))
    }

    /// A name of one part, its common name.
    private static func name(_ text: String) -> [UInt8] {
        text.isEmpty ? [0x30, 0] : element(0x30, element(0x31, element(0x30, element(6, [0x55, 4, 3]) + element(0x0C, Array(text.utf8)))))
    }

    private static func time(_ text: String) -> [UInt8] { element(text.utf8.count == 13 ? 0x17 : 0x18, Array(text.utf8)) }

    private static func `extension`(_ identifier: [UInt8], _ value: [UInt8]) -> [UInt8] {
        element(0x30, element(6, identifier) + element(4, value))
    }

    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80 ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    /// A Certificate message, header included (RFC 5246, section 7.4.2; RFC 8446, section 4.4.2).
    static func message(_ chain: [[UInt8]], isTLS13: Bool = false) -> [UInt8] {
        let extensions: [UInt8] = isTLS13 ? [0, 0] : []
        let list = chain.flatMap { vector($0) + extensions }
        let body: [UInt8] = (isTLS13 ? [0] : []) + vector(list)
        return [11] + vector(body)
    }

    /// A CompressedCertificate message of TLS 1.3 (RFC 8879, section 4), in which the bytes are only stored.
    static func compressed(_ chain: [[UInt8]], algorithm: UInt8) -> [UInt8] {
        let content = Array(message(chain, isTLS13: true).dropFirst(4))
        let coded =
            switch algorithm {
            case 2: storedInBrotli(content)
            case 3: storedInZstandard(content)
            default: storedInZlib(content)
            }
        let body: [UInt8] = [0, algorithm, 0, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + vector(coded)
        return [25] + vector(body)
    }

    /// RFC 1950, and RFC 1951, section 3.2.4.
    private static func storedInZlib(_ content: [UInt8]) -> [UInt8] {
        let count = [UInt8(content.count & 0xFF), UInt8(content.count >> 8)]
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in content {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        let sum = [high >> 8, high & 0xFF, low >> 8, low & 0xFF].map { UInt8($0) }
        return [0x78, 1, 1] + count + count.map { ~$0 } + content + sum
    }

    /// A window of 64 KiB, a meta-block that is not compressed, and an empty last one (RFC 7932, sections 9.1 and 9.2).
    private static func storedInBrotli(_ content: [UInt8]) -> [UInt8] {
        let header = (content.count - 1) << 4 | 1 << 20
        return [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16)] + content + [3]
    }

    /// A frame of one segment whose size has 4 bytes, and one raw block (RFC 8878, section 3.1.1).
    private static func storedInZstandard(_ content: [UInt8]) -> [UInt8] {
        let block = content.count << 3 | 1
        return [0x28, 0xB5, 0x2F, 0xFD, 0xA0, UInt8(content.count & 0xFF), UInt8(content.count >> 8), 0, 0]
            + [UInt8(block & 0xFF), UInt8(block >> 8 & 0xFF), UInt8(block >> 16)] + content
    }

    private static func vector(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count >> 16), UInt8(bytes.count >> 8 & 0xFF), UInt8(bytes.count & 0xFF)] + bytes
    }
}
