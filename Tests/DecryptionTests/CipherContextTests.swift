import Decryption
import Dissection
import Testing

@Suite("Ciphers")
struct CipherContextTests {
    struct Vector: CustomTestStringConvertible {
        var testDescription: String
        var cipher: RecordProtection.Cipher
        var key: String
        var nonce: String
        var additional: String
        var plain: String
        var sealed: String
    }

    static let vectors = [
        Vector(
            testDescription: "RFC 8439, section 2.8.2", cipher: .chaCha20Poly1305,
            key: "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f", nonce: "070000004041424344454647",
            additional: "50515253c0c1c2c3c4c5c6c7",
            plain: """
                4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c64206f6666657220796f75206f
                6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20776f756c642062652069742e
                """,
            sealed: """
                d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36
                92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd060
                0691
                """),
        Vector(
            testDescription: "McGrew and Viega, GCM, test case 4", cipher: .aes128GCM, key: "feffe9928665731c6d6a8f9467308308",
            nonce: "cafebabefacedbaddecaf888", additional: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
            plain: """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                """,
            sealed: """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc
                3221a5db94fae95ae7121a47
                """),
        Vector(
            testDescription: "NIST SP 800-38C, example 3", cipher: .aes128CCM8, key: "404142434445464748494a4b4c4d4e4f",
            nonce: "101112131415161718191a1b", additional: "000102030405060708090a0b0c0d0e0f10111213",
            plain: "202122232425262728292a2b2c2d2e2f3031323334353637",
            sealed: "e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5484392fbc1b09951"),
    ]

    @Test("a sealed text opens, again and again, and no other does", arguments: vectors)
    func authenticated(vector: Vector) throws {
        let context = try #require(CipherContext(vector.cipher, key: hex(vector.key), nonceLength: 12))
        let sealed = hex(vector.sealed)
        let plain = hex(vector.plain)
        var buffer = [UInt8](repeating: 0, count: sealed.count)
        for round in 0..<3 {
            #expect(isOpen(sealed, by: context, vector, &buffer), "round \(round)")
            #expect(Array(buffer.prefix(plain.count)) == plain)
            for index in sealed.indices {
                var changed = sealed
                changed[index] ^= 1
                #expect(!isOpen(changed, by: context, vector, &buffer))
            }
        }
        for length in 0..<sealed.count {
            let cut = Array(sealed.prefix(length))
            #expect(!isOpen(cut, by: context, vector, &buffer))
        }
    }

    private func isOpen(_ sealed: [UInt8], by context: CipherContext, _ vector: Vector, _ buffer: inout [UInt8]) -> Bool {
        context.openAuthenticated(nonce: hex(vector.nonce), additional: hex(vector.additional), sealed: sealed.rawBytes, into: &buffer)
    }

    @Test("a key or a nonce of another length is refused")
    func lengths() throws {
        for cipher in RecordProtection.Cipher.allCases where cipher != .none {
            let nonce = cipher.isAEAD ? 12 : cipher.blockLength
            #expect(CipherContext(cipher, key: [UInt8](repeating: 0, count: cipher.keyLength + 1), nonceLength: nonce) == nil)
            #expect(CipherContext(cipher, key: [UInt8](repeating: 0, count: cipher.keyLength), nonceLength: nonce) != nil)
        }
        #expect(CipherContext(.none, key: [], nonceLength: 12) == nil)
        let context = try #require(CipherContext(.aes128GCM, key: [UInt8](repeating: 0, count: 16), nonceLength: 12))
        var buffer = [UInt8](repeating: 0, count: 64)
        let text = [UInt8](repeating: 0, count: 64)
        let isOpen = context.openAuthenticated(nonce: [1, 2, 3], additional: [], sealed: text.rawBytes, into: &buffer)
        #expect(!isOpen)
    }
}
