import Decryption
import Testing

@Suite("Key derivation")
struct KeyDerivationTests {
    /// The vectors that the working group's list had for the PRF of RFC 5246, and one of RFC 2246's made with `openssl kdf`.
    @Test("the PRF of each version gives what others get")
    func pseudorandom() {
        let seed = hex("a0ba9f936cda311827a6f796ffd5198c")
        #expect(
            KeyDerivation.prf(
                hex("9bbe436ba940f017b17652849a71db35"), label: "test label", seed: seed, count: 100, version: 0x0303, hash: .sha256)
                == hex(
                    """
                    e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0fa022f7077def17abfd3797c0564b
                    ab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff70187347b66
                    """))
        #expect(
            KeyDerivation.prf(
                hex("b80b733d6ceefcdc71566ea48e5567df"), label: "test label", seed: hex("cd665cf6a8447dd6ff8b27555edb7465"), count: 20,
                version: 0x0303, hash: .sha384) == hex("7b0c18e9ced410ed1804f2cfa34a336a1c14dffb"))
        #expect(
            KeyDerivation.prf(
                hex("9bbe436ba940f017b17652849a71db3501"), label: "test label", seed: seed, count: 40, version: 0x0301, hash: .sha256)
                == hex("383efe5bcee535a940450a3f563e523f390cc3ecdc46eb4ab82f99e47673eb368f6df508205b3fa0"))
    }

    @Test("no bytes are no bytes")
    func empty() {
        #expect(KeyDerivation.expandLabel(hex("00"), "key", count: 0, hash: .sha256) == [])
        #expect(KeyDerivation.prf([], label: "", seed: [], count: 0, version: 0x0303, hash: .sha256) == [])
    }
}
