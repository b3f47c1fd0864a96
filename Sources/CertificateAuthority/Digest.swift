import Dissection

/// Digests of whole messages.
enum Digest {
    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var hash = SHA1()
        hash.update(message.rawBytes)
        let digest = hash.finish()
        return digest.indices.map { digest[$0] }
    }

    static func sha256(_ message: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(message.rawBytes)
        let digest = hash.finish()
        return digest.indices.map { digest[$0] }
    }
}
