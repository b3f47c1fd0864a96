import Dissection

/// The numbers of TLS values that go by a name, for what was written with the name to be read again. Each table is made once: there are 65,536
/// numbers to try.
enum TLSNumbers {
    /// `TLS 1.3` and its like.
    static let versions = table(TLSNames.version)
    /// `TLS_AES_128_GCM_SHA256` and its like.
    static let ciphers = table(TLSCipherSuite.name)

    /// Of several numbers with one name, the lowest.
    private static func table(_ name: (UInt16) -> String?) -> [String: UInt16] {
        var numbers: [String: UInt16] = [:]
        for number in UInt16.min ... .max {
            if let name = name(number), numbers[name] == nil { numbers[name] = number }
        }
        return numbers
    }
}
