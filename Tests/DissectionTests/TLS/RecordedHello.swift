/// Hellos that OpenSSL 3.0 clients and servers said to each other on one machine, each a whole record.
enum RecordedHello {
    /// Offers TLS 1.3 and 1.2, h2 and http/1.1, to chat.example.
    static let client13 = bytes(
        """
        16030100ed010000e9030362c931ffcd824a3c5c6ad0704827c3d41c9ccdf2b3e072c62f631c6fe5b6799520fae6d2268a23670c14fecaa3
        7deae3ebba723c3068af77f539dcb9b77b249e900016130213031301c02ccca9c02bc024c023c00ac00900ff0100008a00000011000f0000
        0c636861742e6578616d706c65000b000403000102000a00060004001d0017002300000010000e000c02683208687474702f312e31001600
        0000170000000d000400020403002b0009080304030303020301002d00020101003300260024001d00201c0c645f3742dbf272655a5ea59c
        6fbed14c0abda5161576160a24ed0ce8071f
        """)

    /// TLS_AES_256_GCM_SHA384.
    static let server13 = bytes(
        """
        160303007a020000760303b6f826869ee752bfbe6bea349c8391717b228c2c172a66e67156b28c61b64f2f20fae6d2268a23670c14fecaa3
        7deae3ebba723c3068af77f539dcb9b77b249e90130200002e002b0002030400330024001d0020a35add721cb341d98ca4b422a57fb9ccdf
        2b0d402b19ead746b57c25c6e26244
        """)

    /// Whose key share the server cannot use.
    static let clientFirst = bytes(
        """
        16030100db010000d7030347f34f8998ef6d8dff6b735e7f58daa625394fa30b8d8216a6702cc7c11d521a2030ece2432e523ff1c24145ed
        f5de832370e00b328012f871e2845bc28eef9db60016130213031301c02ccca9c02bc024c023c00ac00900ff0100007800000011000f0000
        0c636861742e6578616d706c65000b000403000102000a00060004001d0018002300000016000000170000000d000400020403002b000908
        0304030303020301002d00020101003300260024001d002056f3f3760818542bc1e2f7f493cffd30fafb9276f228e0ca342017c0b477a220
        """)

    /// The HelloRetryRequest.
    static let retry = bytes(
        """
        1603030058020000540303cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c2030ece2432e523ff1c24145ed
        f5de832370e00b328012f871e2845bc28eef9db6130200000c002b00020304003300020018
        """)

    /// The answer to it.
    static let clientSecond = bytes(
        """
        160303011c01000118030347f34f8998ef6d8dff6b735e7f58daa625394fa30b8d8216a6702cc7c11d521a2030ece2432e523ff1c24145ed
        f5de832370e00b328012f871e2845bc28eef9db60016130213031301c02ccca9c02bc024c023c00ac00900ff010000b900000011000f0000
        0c636861742e6578616d706c65000b000403000102000a00060004001d0018002300000016000000170000000d000400020403002b000908
        0304030303020301002d000201010033006700650018006104db155f448981f0e4db493f59ab03e14a68adc387a63f9d64f6a4d51d0a9c7c
        42d6b4baef5dd855d7164eb1d9b81a65ecbc46265fc1c929aadfb49390a0305444ea7362d3442ee398467257179f4029346341d7db55ec89
        4148f610a2bc84fa00
        """)

    /// The ServerHello after all.
    static let serverSecond = bytes(
        """
        16030300bb020000b70303c596aecad761380eeb5264bd3ae49b609dfc00bd327a953b6c05b25bfbbfaa252030ece2432e523ff1c24145ed
        f5de832370e00b328012f871e2845bc28eef9db6130200006f002b00020304003300650018006104185bdad3dfb8c694a07dceb0852d4311
        46c11e2aa516d811d68c1b74abb83aef31f057b89794361e4842b75165beecd08588d7c7077b1f08c9eaf18355508701601b59fe98d4a514
        839507197e166bdd722d4e8f913c6ee156637ac3e34aee8a
        """)

    /// Offers TLS 1.2 alone, h2 and http/1.1.
    static let client12 = bytes(
        """
        16030100ac010000a80303a6d9e09cb7ca21b5fef295def381d1babd369dc52c7535a7a0765f6ba9193732000006c02bc02c00ff01000079
        00000011000f00000c636861742e6578616d706c65000b000403000102000a000c000a001d0017001e00190018002300000010000e000c02
        683208687474702f312e310016000000170000000d002a0028040305030603080708080809080a080b080408050806040105010601030303
        010302040205020602
        """)

    /// Chooses http/1.1.
    static let server12 = bytes(
        """
        16030300500200004c03035bebdb74a0e596e50d6ff29e81c2b40ff555d4576cff7f97fb0da8a8ce4efe1d00c02b000024ff01000100000b
        000403000102002300000010000b000908687474702f312e3100170000
        """)

    private static func bytes(_ digits: String) -> [UInt8] {
        let values = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] * 16 + values[$0 + 1]) }
    }

    /// A record of `count` bytes that nobody can read.
    static func sealed(_ type: UInt8 = 23, _ count: Int) -> [UInt8] {
        [type, 3, 3, UInt8(count >> 8), UInt8(count & 0xFF)] + (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 0x80) }
    }

    /// A record with this content.
    static func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        [type, 3, 1, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }

    /// The handshake message of a record, in records of so many bytes.
    static func split(_ hello: [UInt8], _ count: Int) -> [UInt8] {
        let message = Array(hello.dropFirst(5))
        return stride(from: 0, to: message.count, by: count).flatMap { record(22, Array(message[$0..<min($0 + count, message.count)])) }
    }
}
