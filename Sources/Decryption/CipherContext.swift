import CLibcrypto
import Dissection

/// A cipher of libcrypto with its key, which decrypts record after record. The key is expanded once; nothing is allocated for a record.
///
/// libcrypto and not a package of Swift: CCM and CBC with a MAC are only there, and swift-crypto expands the key for each record and returns its
/// content in memory of its own.
@safe
package final class CipherContext {
    /// Owned; libcrypto never keeps what is passed to it beyond a call.
    private let context: OpaquePointer
    let nonceLength: Int
    let tagLength: Int
    private let isCCM: Bool

    /// Nil where libcrypto does not have the cipher (a build without it, or a policy against it), or for `none`.
    ///
    /// - Parameters:
    ///   - key: as many bytes as the cipher's `keyLength`.
    ///   - nonceLength: of the nonce, or with CBC of the initialisation vector.
    package init?(_ cipher: RecordProtection.Cipher, key: [UInt8], nonceLength: Int) {
        guard key.count == cipher.keyLength, let kind = unsafe Self.kind(cipher), let context = unsafe EVP_CIPHER_CTX_new() else {
            return nil
        }
        unsafe self.context = unsafe context
        self.nonceLength = nonceLength
        tagLength = cipher.tagLength
        isCCM = cipher.isCCM
        guard unsafe EVP_DecryptInit_ex(context, kind, nil, nil, nil) == 1 else { return nil }
        if cipher.isAEAD {
            guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, CInt(nonceLength), nil) == 1 else { return nil }
            if isCCM {
                guard unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(cipher.tagLength), nil) == 1 else { return nil }
            }
        }
        guard unsafe EVP_DecryptInit_ex(context, nil, nil, key, nil) == 1 else { return nil }
        // A record's padding is checked where its MAC is.
        if !cipher.isAEAD { guard unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1 else { return nil } }
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    private static func kind(_ cipher: RecordProtection.Cipher) -> OpaquePointer? {
        switch cipher {
        case .aes128GCM: unsafe EVP_aes_128_gcm()
        case .aes256GCM: unsafe EVP_aes_256_gcm()
        case .aria128GCM: unsafe EVP_aria_128_gcm()
        case .aria256GCM: unsafe EVP_aria_256_gcm()
        case .aes128CCM, .aes128CCM8: unsafe EVP_aes_128_ccm()
        case .aes256CCM, .aes256CCM8: unsafe EVP_aes_256_ccm()
        case .chaCha20Poly1305: unsafe EVP_chacha20_poly1305()
        case .aes128CBC: unsafe EVP_aes_128_cbc()
        case .aes256CBC: unsafe EVP_aes_256_cbc()
        case .camellia128CBC: unsafe EVP_camellia_128_cbc()
        case .camellia256CBC: unsafe EVP_camellia_256_cbc()
        case .aria128CBC: unsafe EVP_aria_128_cbc()
        case .aria256CBC: unsafe EVP_aria_256_cbc()
        case .tripleDES: unsafe EVP_des_ede3_cbc()
        case .none: nil
        }
    }

    /// Decrypts what has a tag. False where the tag, which is the end of `sealed`, does not fit; what is in the buffer then means nothing.
    ///
    /// - Parameters:
    ///   - nonce: `nonceLength` bytes.
    ///   - sealed: ciphertext and tag, at least `tagLength` bytes.
    ///   - buffer: at least as long as the ciphertext.
    package func openAuthenticated(nonce: [UInt8], additional: [UInt8], sealed: RawSpan, into buffer: inout [UInt8]) -> Bool {
        // The context goes with this object.
        defer { extendLifetime(self) }
        let length = sealed.byteCount - tagLength
        guard length >= 0, nonce.count == nonceLength, buffer.count >= length, !buffer.isEmpty else { return false }
        // The pointers are used inside of the closures only, and each call is told how many bytes there are.
        return unsafe sealed.withUnsafeBytes { source in
            unsafe buffer.withUnsafeMutableBufferPointer { target in
                guard let input = unsafe source.bindMemory(to: UInt8.self).baseAddress, let output = target.baseAddress else {
                    return false
                }
                let tag = unsafe UnsafeMutableRawPointer(mutating: input + length)
                if isCCM { return unsafe openCCM(nonce, additional, input, length, tag, output) }
                var count: CInt = 0
                return unsafe EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
                    && EVP_DecryptUpdate(context, nil, &count, additional, CInt(additional.count)) == 1
                    && (length == 0 || EVP_DecryptUpdate(context, output, &count, input, CInt(length)) == 1)
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tagLength), tag) == 1
                    && EVP_DecryptFinal_ex(context, output, &count) == 1
            }
        }
    }

    /// CCM wants the tag before the nonce, the length before the rest, and checks the tag while it decrypts.
    private func openCCM(
        _ nonce: [UInt8], _ additional: [UInt8], _ input: UnsafePointer<UInt8>, _ length: Int, _ tag: UnsafeMutableRawPointer,
        _ output: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        var count: CInt = 0
        return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, CInt(tagLength), tag) == 1
            && EVP_DecryptInit_ex(context, nil, nil, nil, nonce) == 1
            && EVP_DecryptUpdate(context, nil, &count, nil, CInt(length)) == 1
            && EVP_DecryptUpdate(context, nil, &count, additional, CInt(additional.count)) == 1
            && EVP_DecryptUpdate(context, output, &count, input, CInt(length)) == 1
    }

    /// Decrypts whole blocks of CBC.
    ///
    /// - Parameters:
    ///   - vector: one block.
    ///   - blocks: a multiple of a block.
    ///   - buffer: at least as long.
    package func decrypt(vector: RawSpan, blocks: RawSpan, into buffer: inout [UInt8]) -> Bool {
        defer { extendLifetime(self) }
        guard vector.byteCount == nonceLength, buffer.count >= blocks.byteCount, !buffer.isEmpty else { return false }
        // As above.
        return unsafe blocks.withUnsafeBytes { source in
            unsafe vector.withUnsafeBytes { vector in
                unsafe buffer.withUnsafeMutableBufferPointer { target in
                    guard let input = unsafe source.bindMemory(to: UInt8.self).baseAddress, let output = target.baseAddress,
                        let start = unsafe vector.bindMemory(to: UInt8.self).baseAddress
                    else { return false }
                    var count: CInt = 0
                    return unsafe EVP_DecryptInit_ex(context, nil, nil, nil, start) == 1
                        && EVP_DecryptUpdate(context, output, &count, input, CInt(blocks.byteCount)) == 1
                        && count == blocks.byteCount
                }
            }
        }
    }
}
