import Dissection
import Reports

extension Literal {
    /// Where a time begins that is written as `2026-07-04T12:34:56.5Z`, `2026-07-04 12:34`, `2026-07-04`, `Sep 26, 2004 23:18:04.954975`, or as
    /// seconds since 1970. Without a zone it is UTC, as in the log.
    var time: Int64? {
        if let seconds = billionths { return seconds }
        let text: String
        switch self {
        case .word(let word): text = word
        case .string(let bytes, _): text = String(decoding: bytes, as: UTF8.self)
        case .character: return nil
        }
        guard text.utf8.count <= 64 else { return nil }
        let parts = text.split(separator: " ").map(String.init)
        guard let first = parts.first, let digit = first.utf8.first else { return nil }
        if !(0x30...0x39 ~= digit) { return Self.legacy(parts) }
        // 2026-07-04 12:34 or with a T
        var rest = parts.count == 1 ? first : parts.count == 2 ? parts[0] + "T" + parts[1] : ""
        guard rest.utf8.count >= 10 else { return nil }
        if rest.utf8.count == 10 { rest += "T00:00:00Z" }
        return Self.instant(rest)
    }

    /// `Sep 26, 2004 23:18:04.954975`, where UTC may follow.
    private static func legacy(_ parts: [String]) -> Int64? {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        guard (4...5).contains(parts.count), parts.count == 4 || parts[4] == "UTC", let month = months.firstIndex(of: parts[0]),
            parts[1].hasSuffix(","), let day = Int(parts[1].dropLast()), 1...31 ~= day, parts[2].utf8.count == 4
        else { return nil }
        return instant("\(parts[2])-\(two(month + 1))-\(two(day))T\(parts[3])")
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// RFC 3339, of which seconds and zone may be missing.
    private static func instant(_ text: String) -> Int64? {
        var text = Array(text.utf8)
        guard text.count >= 16, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"), text[13] == UInt8(ascii: ":"),
            text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: "t")
        else { return nil }
        if text.count == 16 || text[16] != UInt8(ascii: ":") { text.insert(contentsOf: ":00".utf8, at: 16) }
        guard text.count >= 19 else { return nil }
        var end = 19
        if end < text.count, text[end] == UInt8(ascii: ".") {
            end += 1
            while end < text.count, 0x30...0x39 ~= text[end] { end += 1 }
        }
        switch text.count - end {
        case 0: text.append(UInt8(ascii: "Z"))
        case 1: break
        case 6:
            guard text[end + 3] == UInt8(ascii: ":") else { return nil }
        case _: return nil
        }
        guard text[16] == UInt8(ascii: ":") else { return nil }
        return Timestamp(rfc3339: text)?.nanoseconds
    }
}
