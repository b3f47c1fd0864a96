/// What each byte is for a look at a text for secrets.
struct ByteKinds {
    struct Kind: OptionSet {
        let rawValue: UInt8

        static let sign = Kind(rawValue: 1)
        static let word = Kind(rawValue: 2)
        static let base64 = Kind(rawValue: 4)

        /// Neither of a word nor a sign.
        var isDull: Bool { rawValue & 3 == 0 }
        /// A secret may stand behind it.
        var isSign: Bool { contains(.sign) }
        var isOfWord: Bool { contains(.word) }
        /// As it is, not escaped or percent-encoded.
        var isLetterOfBase64: Bool { contains(.base64) }
    }

    static let all = ByteKinds()

    private let kinds: [Kind]

    private init() {
        kinds = (0...255 as ClosedRange<UInt8>).map { byte in
            var kind: Kind = byte.isOfWord ? .word : []
            // `:=>/%\\-`
            if [0x3a, 0x3d, 0x3e, 0x2f, 0x25, 0x5c, 0x2d].contains(byte) { kind.insert(.sign) }
            let isLetter = 0x41...0x5a ~= byte || 0x61...0x7a ~= byte || 0x30...0x39 ~= byte
            // `+`, `/` and what stands for them in base64url.
            if isLetter || [0x2b, 0x2d, 0x2f, 0x5f].contains(byte) { kind.insert(.base64) }
            return kind
        }
    }

    subscript(byte: UInt8) -> Kind { kinds[Int(byte)] }
}
