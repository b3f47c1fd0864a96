import Dissection
import Testing

@testable import Reports

/// Secrets in binary formats are overwritten; all lengths stay true.
@Suite struct BinarySecretsTests {
    private static let mqtt = [0, 4] + "MQTT".bytes + [4, 0xc2, 0, 60, 0, 1] + "a".bytes + [0, 1] + "u".bytes + [0, 3]
    private static let mqtt5 =
        [0, 4] + "MQTT".bytes + [5, 0xc6, 0, 60, 2, 0x11, 0, 0, 1] + "a".bytes + [0, 0, 1] + "t".bytes + [0, 1] + "w".bytes + [0, 1]
        + "u".bytes + [0, 3]

    /// What stands before a secret, the secret, and what stands behind it.
    static let cases: [(before: [UInt8], secret: String, behind: [UInt8])] = [
        ([0x10, UInt8(mqtt.count + 3)] + mqtt, "pw1", []), ([0x10, UInt8(mqtt5.count + 3)] + mqtt5, "pw1", [0xc0, 0]),
        ([1, 0, 0, 0, 0, 0, 40, 0, 10, 0, 11, 0, 0, 0, 0, 5] + "PLAIN".bytes + [0, 0, 0, 8], "\0ana\0pw1", [5] + "en_US".bytes + [0xce]),
        // SOCKS and PostgreSQL.
        ([1, 3] + "ana".bytes + [3], "pw1", []), ([5, 1, 2, 1, 0, 3], "pw1", [5, 1, 0, 1]), ([0x70, 0, 0, 0, 8], "pw1", [0]),
        ([0, 0, 0, 9, 0, 3, 0, 0, 0, 0x70, 0, 0, 0, 8], "pw1", [0, 0x51, 0, 0, 0, 5, 0]), ([0x70, 0, 0, 0, 9], "pw1", []),
        ([1, 3] + "ana".bytes + [4], "pw\u{1}1", []),
        // SSLRequest and StartupMessage of protocol 3.2 in one piece with the password, and a query of 64 KiB after it.
        (
            [0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f, 0, 0, 0, 9, 0, 3, 0, 2, 0, 0x70, 0, 0, 0, 8], "pw1", [0, 0x51, 0, 1, 0, 5] + "SELECT".bytes
        ),
        // Lengths that are letters.
        ([0, 0x46] + "authorization: Basic ".bytes, "aHVudGVyMg==", [0x0a]),
        ([0x12, 0x46] + "Bearer ".bytes, "abcdef1234567890", [0x18, 1]), ([0x12, 0x30], "ghp_0123456789abcdefghij", [0]),
        // AMQP 1.0; a user property and the authentication data of MQTT 5.
        (
            [0, 0, 0, 34, 2, 1, 0, 0, 0, 0x53, 0x41, 0xc0, 17, 2, 0xa3, 5] + "PLAIN".bytes + [0xa0, 8], "\0ana\0pw1", [0xa1, 1] + "h".bytes
        ),
        ([0x30, 16, 0, 1] + "a".bytes + [11, 0x26, 0, 5] + "token".bytes + [0, 3], "pw1", [1]),
        ([0xf0, 14, 0x18, 13, 0x15, 0, 5] + "TOKEN".bytes + [0x16, 0, 3], "pw1", []),
        // MessagePack, CBOR, BSON.
        ([0x82, 0xa8] + "password".bytes + [0xa3], "pw1", [0xa1] + "n".bytes + [1]),
        ([0x81, 0xa5] + "token".bytes + [0xd9, 3], "pw1", []),
        ([0xa1, 0x68] + "password".bytes + [0x63], "pw1", []), ([0xa1, 0x65] + "token".bytes + [0x78, 3], "pw1", [0xff]),
        // Tagged, and of indefinite length.
        ([0xa1, 0x68] + "password".bytes + [0xd8, 0x20, 0x63], "pw1", []),
        ([0xbf, 0x68] + "password".bytes + [0x7f, 0x63], "pw1", [0xff, 0xff]),
        ([27, 0, 0, 0, 2] + "password".bytes + [0, 4, 0, 0, 0], "pw1", [0, 0]),
        ([29, 0, 0, 0, 5] + "secret".bytes + [0, 3, 0, 0, 0, 0], "pw1", [0]),
    ]

    @Test(arguments: cases.indices) func `a secret is overwritten in place`(_ index: Int) {
        let (before, secret, behind) = Self.cases[index]
        let found = BinarySecrets(before + secret.bytes + behind)
        #expect(found.bytes == before + [UInt8](repeating: 0x78, count: secret.utf8.count) + behind && found.places == 1)
        // Overwritten once, it is no secret any more.
        #expect(BinarySecrets(found.bytes).places == 0)
    }

    @Test(arguments: cases.indices) func `what is cut or damaged reaches nowhere`(_ index: Int) {
        let (before, secret, behind) = Self.cases[index]
        let bytes = before + secret.bytes + behind
        for cut in 0..<bytes.count { #expect(BinarySecrets(Array(bytes[..<cut])).bytes.count == cut) }
        for place in bytes.indices {
            for value in [0, 0x7f, 0x80, 0xff] as [UInt8] {
                var damaged = bytes
                damaged[place] = value
                #expect(BinarySecrets(damaged).bytes.count == bytes.count)
            }
        }
    }

    @Test(arguments: [
        [1, 1, 0x61, 1, 0x62, 0], [1, 1, 0x61, 2, 0x62], [1, 1, 0x61, 1, 7], [1, 1, 7, 2, 7, 0x61], [2, 1, 0x61, 1, 0x62],
        [5, 0, 1, 1, 0x61, 1, 0x62],
        [0x70, 0, 0, 0, 6, 0x61, 0, 0], [0x70, 0, 0, 0, 7, 0x61, 0, 0], [0x70, 0, 0, 0, 5, 0], [0x12, 0x46] + "Basic one".bytes,
    ]) func `what is not just a message with a password is left alone`(_ bytes: [UInt8]) { #expect(BinarySecrets(bytes).places == 0) }

    @Test func `text is left alone`() {
        #expect(BinarySecrets("hpassword: the sequel".bytes).places == 0)
    }

    /// A letter may be the head of a text in CBOR, and what follows it may be a secret name.
    @Test(
        arguments: [
            ([0, 0, 0, 66], #"{"type":"login","user":"alice","password":"correct-horse-battery"}"#),
            ([0, 0, 0, 40], #"{"user":"ana","sessionid":"e1b7d2f4a6c8"}"#), ([], "\u{dc}ber the author of this document"),
            ([0xef, 0xbb, 0xbf], #"{"username":"maria","password":"correct-horse-battery"}"#), ([], "\u{4f60}\u{597d} the author of"),
            ([], "\u{e1}dpassw: correct-horse-battery-staple"), ([10, 18], "the passenger list"), ([10, 15], "send ping to the"),
            ([10, 36], "number of tokens used in this request"), ([10, 20], "the passport control"),
        ] as [([UInt8], String)]) func `text beside binary data is no name`(_ before: [UInt8], _ text: String)
    {
        #expect(BinarySecrets(before + text.bytes).places == 0)
    }

    /// A text and the member after it: the text is a value, whatever it says.
    @Test(arguments: [
        ("grant_type", "password", "password"), ("grant_type", "refresh_token", "refresh_token"), ("op", "auth", "password"),
        ("msg", "the password", "token"), ("cmd", "session", "sessionId"),
    ]) func `a value that is a secret word is no name`(_ name: String, _ value: String, _ secret: String) {
        func messagePack(_ text: String) -> [UInt8] { [0xa0 | UInt8(text.utf8.count)] + text.bytes }
        func cbor(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + text.bytes }
        for (head, write) in [(0x82, messagePack), (0xa2, cbor)] as [(UInt8, (String) -> [UInt8])] {
            let names: [UInt8] = write(name) + write(value) + write(secret)
            let (open, hidden) = (names + write("Zq7hunter2Kw"), names + write("xxxxxxxxxxxx"))
            let found = BinarySecrets([head] + open)
            #expect(found.bytes == [head] + hidden && found.places == 1)
            // The last member of three is lost: names such as programs have say that it is a map all the same.
            #expect(BinarySecrets([head + 1] + open + write("a")).bytes == [head + 1] + hidden + write("a"))
        }
    }

    @Test func `maps are found anywhere, and in strings of bytes`() {
        let map = [0xa1, 0x68] + "password".bytes + [0x63]
        let inside = [UInt8(0x40 + map.count + 3)] + map + "pw1".bytes
        let wrapped = [0x82, 0x18, 7, 0xa2, 0x61] + "n".bytes + [1, 0x64] + "data".bytes + inside
        let found = BinarySecrets([0, 0, 0, 9] + wrapped + [0])
        #expect(found.bytes == [0, 0, 0, 9] + wrapped.dropLast(3) + "xxx".bytes + [0] && found.places == 1)
        // Names that are numbers, of which a map under one is by itself.
        let numbered = [0xa2, 1, 2, 3] + map
        #expect(BinarySecrets(numbered + "pw1".bytes).bytes == numbered + "xxx".bytes)
    }

    /// Heads of maps that turn out to be none, one in another, and one after another.
    @Test(
        arguments: [
            [0xa1, 0x61, 0x61], [0xbf, 0x61, 0x61], [0xb7, 0x61, 0x61, 1], [0x8f, 0xa1, 0x61],
            [0xde, 0xff, 0xff, 0xa1, 0x61, 1, 0xa1, 0x62, 1],
            [0xb9, 0xff, 0xff, 0x61, 0x61, 1, 0x61, 0x20, 1], [0xa1, 0x61, 0x61, 0x58, 0xff],
            [0xbf, 0x68, 0x70, 0x61, 0x73, 0x73, 0x77, 0x6f, 0x72, 0x64, 0x7f, 0x61, 0x61],
        ] as [[UInt8]]) func `the time is linear, whatever begins`(_ unit: [UInt8])
    {
        func steps(_ count: Int) -> Int { BinarySecrets([0] + [[UInt8]](repeating: unit, count: count).flatMap(\.self)).steps }
        let (small, large) = (steps(2_000), steps(16_000))
        #expect(large < small * 10, "\(small) \(large)")
    }
}
