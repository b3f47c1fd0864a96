import Dissection
import Support
import Testing

@Suite struct DigestTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test func theVectorsOfRFC3174() {
        let vectors: [(String, String)] = [
            ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
            (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
            (String(repeating: "01234567", count: 80), "dea356a2cddd90c7a7ecedc5ebb563934f460452"),
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ]
        for (text, digest) in vectors {
            for cut in [0, 1, 55, 56, 63, 64, 65] where cut <= text.utf8.count {
                let bytes = Array(text.utf8)
                var sha = SHA1()
                sha.update(bytes.rawBytes.extracting(0..<cut))
                sha.update(bytes.rawBytes.suffix(from: cut))
                let found = sha.finish()
                #expect(hex(found.indices.map { found[$0] }) == digest)
            }
        }
    }

    @Test func theVectorsOfFIPS180() {
        let vectors: [(String, String)] = [
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ]
        for (text, digest) in vectors {
            for cut in [0, 1, 55, 56, 63, 64, 65] where cut <= text.utf8.count {
                let bytes = Array(text.utf8)
                var sha = SHA256()
                sha.update(bytes.rawBytes.extracting(0..<cut))
                sha.update(bytes.rawBytes.suffix(from: cut))
                let found = sha.finish()
                #expect(hex(found.indices.map { found[$0] }) == digest)
            }
        }
    }

    @Test func theVectorsOfRFC4648() {
        let vectors = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
        for (text, encoded) in vectors {
            #expect(Base64.encode(Array(text.utf8)) == Array(encoded.utf8))
            for (other, _) in vectors {
                let isSame = Base64.isEncoding(Array(encoded.utf8).rawBytes, of: Array(other.utf8).rawBytes)
                #expect(isSame == (other == text))
            }
            #expect(Base64.decodedCount(Array(encoded.utf8).rawBytes) == text.utf8.count)
            #expect(Base64.decode(Array(encoded.utf8).rawBytes) == Array(text.utf8))
            let twice = Base64.decodeJoined(Array((encoded + encoded).utf8).rawBytes)
            #expect(twice.bytes == Array((text + text).utf8) && twice.problem == nil)
        }
        for wrong in ["Zg=", "Zg", "Z===", "Zh==", "Zm9=", "Zm-v", "Zm 9", "=Zm9", "Zg==Zg=="] {
            #expect(Base64.decodedCount(Array(wrong.utf8).rawBytes) == nil, "\(wrong)")
            // Bits that belong to no byte do not count where the content is asked for.
            let isSpared = wrong == "Zh==" || wrong == "Zm9="
            #expect((Base64.decode(Array(wrong.utf8).rawBytes) != nil) == isSpared, "\(wrong)")
        }
    }
}
