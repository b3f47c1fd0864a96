import Dissection

/// Judges the names that a leaf may carry: text from a stranger goes into a certificate only if it is a name or an address.
package enum HostName {
    /// A DNS name in the form that certificates have: lower case, no dot at its end (RFC 5280 4.2.1.6, RFC 1034 3.5).
    ///
    /// Letters, digits, hyphens and underscores in labels of 1 to 63 octets, 253 in all. Names outside ASCII come as A-labels (RFC 5890) or not at
    /// all. Digits alone in the last label make an address, or nothing.
    ///
    /// - Parameter allowsWildcard: whether the first label may be `*`, with at least one more after it (RFC 6125 6.4.3).
    /// - Returns: the name; nil where it is none.
    package static func dnsName(_ text: some StringProtocol, allowsWildcard: Bool = false) -> String? {
        var bytes = Array(text.utf8.prefix(255))
        if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
        guard (1...253).contains(bytes.count) else { return nil }
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for (index, label) in labels.enumerated() {
            if index == 0, allowsWildcard, labels.count > 1, label.elementsEqual("*".utf8) { continue }
            guard (1...63).contains(label.count), label.allSatisfy(isNameByte) else { return nil }
        }
        guard let last = labels.last, !last.allSatisfy(isDigit) else { return nil }
        return String(decoding: bytes.map(lowercased), as: UTF8.self)
    }

    /// An IPv4 or IPv6 address in network order, 4 or 16 bytes, from its text form; brackets and a zone (`[fe80::1%eth0]`) are dropped.
    ///
    /// - Returns: nil where the text is no address.
    package static func ipAddress(_ text: some StringProtocol) -> [UInt8]? {
        var words = text[...]
        if words.hasPrefix("["), words.hasSuffix("]") { words = words.dropFirst().dropLast() }
        if words.contains(":"), let zone = words.firstIndex(of: "%") { words = words[..<zone] }
        return IPAddress(text: words)?.networkBytes
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch lowercased(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }
}
