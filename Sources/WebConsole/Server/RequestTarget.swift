/// The path of a request and its query (RFC 3986, section 3), with what is percent-encoded decoded.
struct RequestTarget: Sendable {
    /// The parts of the path between its slashes.
    let path: [String]
    private let query: [String: String]

    /// - Returns: nil where it is not a path, or is not encoded well.
    init?(_ target: String) {
        guard target.utf8.count <= 65_536, target.hasPrefix("/") else { return nil }
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in halves[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let decoded = Self.decoded(part, plusIsBlank: false) else { return nil }
            path.append(decoded)
        }
        self.path = path
        var query: [String: String] = [:]
        if halves.count > 1 {
            for pair in halves[1].split(separator: "&") {
                let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard let name = Self.decoded(sides[0], plusIsBlank: true),
                    let value = Self.decoded(sides.count > 1 ? sides[1] : "", plusIsBlank: true)
                else { return nil }
                query[name] = value
            }
        }
        self.query = query
    }

    subscript(_ name: String) -> String? { query[name] }

    /// A number of the query; `standard` where it is missing, nil where it is not a number from 0.
    func number(_ name: String, standard: Int64) -> Int64? {
        guard let text = query[name] else { return standard }
        return Int64(text).flatMap { $0 >= 0 && $0 <= 1 << 53 ? $0 : nil }
    }

    private static func decoded(_ text: Substring, plusIsBlank: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = rest.prefix(2)
                guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsBlank && byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
