import Dissection

/// A line of a TLS key log (RFC 9850, section 2): a label, the random of the ClientHello, the secret, both in hexadecimal.
///
/// ```
/// CLIENT_TRAFFIC_SECRET_0 cb34ecb1…dece7 9e40646c…7504a5
/// ```
package enum KeyLogLine: Equatable {
    /// A secret of a session.
    case secret(TLSSecretLabel, TLSRandom, [UInt8])
    /// Nothing, or a comment.
    case empty
    /// A line that means something, and nothing here: the premaster secrets that NSS wrote once (`RSA`, `PMS_CLIENT_RANDOM`), secrets of
    /// the encrypted ClientHello, and labels that are not known.
    case unused
    /// It does not have its three fields, or one is not hexadecimal, or is too long or too short.
    case damaged

    /// Reads a line without its end. A byte order mark before it, as editors put at the beginning of a file, is none of it.
    package init(_ bytes: RawSpan) {
        let isMarked = bytes.byteCount >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
        let line = isMarked ? bytes.suffix(from: 3) : bytes
        var end = line.byteCount
        while end > 0, line[end - 1] == 0x0D || line[end - 1] == 0x20 { end -= 1 }
        guard end > 0, line[0] != UInt8(ascii: "#") else {
            self = .empty
            return
        }
        let labelEnd = Self.space(in: line, from: 0, to: end) ?? end
        guard let named = Self.label(line.extracting(0..<labelEnd)) else {
            self = Self.isName(line.extracting(0..<labelEnd)) ? .unused : .damaged
            return
        }
        self = .damaged
        guard labelEnd < end, let randomEnd = Self.space(in: line, from: labelEnd + 1, to: end),
            let random = Self.bytes(line.extracting(labelEnd + 1..<randomEnd)), let session = TLSRandom(random.rawBytes),
            let secret = Self.bytes(line.extracting(randomEnd + 1..<end))
        else { return }
        switch named {
        case .derived: self = .unused
        case .known(.master): if secret.count == 48 { self = .secret(.master, session, secret) }
        // Hashes of 32, 48 and 64 bytes.
        case .known(let label): if (32...64).contains(secret.count) { self = .secret(label, session, secret) }
        }
    }

    private enum Named {
        case known(TLSSecretLabel)
        /// OpenSSL calls each secret after a key update `…_SECRET_N`, with an N. It follows from the one before.
        case derived
    }

    private static func label(_ word: RawSpan) -> Named? {
        guard word.byteCount <= 40 else { return nil }
        let name = String(decoding: (0..<word.byteCount).map { word[$0] }, as: UTF8.self)
        switch name {
        case "CLIENT_RANDOM": return .known(.master)
        case "CLIENT_EARLY_TRAFFIC_SECRET": return .known(.early)
        case "CLIENT_HANDSHAKE_TRAFFIC_SECRET": return .known(.handshake(.client))
        case "SERVER_HANDSHAKE_TRAFFIC_SECRET": return .known(.handshake(.server))
        case "EXPORTER_SECRET": return .known(.exporter)
        case "EARLY_EXPORTER_SECRET", "EARLY_EXPORTER_MASTER_SECRET": return .known(.earlyExporter)
        default: break  // The others end in a number.
        }
        for (side, prefix) in [(Side.client, "CLIENT_TRAFFIC_SECRET_"), (.server, "SERVER_TRAFFIC_SECRET_")] where name.hasPrefix(prefix) {
            let number = name.dropFirst(prefix.count)
            if number == "N" { return .derived }
            guard !number.hasPrefix("+"), let generation = UInt16(number) else { return nil }
            return .known(.traffic(side, generation: generation))
        }
        return nil
    }

    /// Labels are of capitals, digits and underscores.
    private static func isName(_ word: RawSpan) -> Bool {
        for index in 0..<word.byteCount {
            switch word[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): continue
            default: return false
            }
        }
        return word.byteCount > 0
    }

    private static func space(in line: RawSpan, from start: Int, to end: Int) -> Int? {
        for index in start..<max(start, end) where line[index] == 0x20 { return index }
        return nil
    }

    /// Pairs of hexadecimal digits; nil where they are not.
    private static func bytes(_ digits: RawSpan) -> [UInt8]? {
        guard digits.byteCount > 0, digits.byteCount % 2 == 0, digits.byteCount <= 128 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.byteCount / 2)
        for index in stride(from: 0, to: digits.byteCount, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
