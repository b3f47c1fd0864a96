import Dissection

extension Timestamp {
    /// A moment as RFC 3339 writes it, with up to nine places; the offset is `Z` or such as `+01:00`.
    package init?(rfc3339 text: [UInt8]) {
        func digits(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= text.count else { return nil }
            var value: Int64 = 0
            for byte in text[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard text.count >= 20, let year = digits(0..<4), let month = digits(5..<7), let day = digits(8..<10), let hour = digits(11..<13),
            let minute = digits(14..<16), let second = digits(17..<19), (1...12).contains(month), (1...31).contains(day), hour < 24,
            minute < 60, second < 61
        else { return nil }
        var position = 19
        var fraction: Int64 = 0
        if text[position] == UInt8(ascii: ".") {
            position += 1
            var places = 0
            while position < text.count, (0x30...0x39).contains(text[position]) {
                if places < 9 {
                    fraction = fraction * 10 + Int64(text[position] - 0x30)
                    places += 1
                }
                position += 1
            }
            while places < 9 {
                fraction *= 10
                places += 1
            }
        }
        var offset: Int64 = 0
        guard position < text.count else { return nil }
        if text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") {
            guard let hours = digits(position + 1..<position + 3), let minutes = digits(position + 4..<position + 6) else { return nil }
            offset = (hours * 3_600 + minutes * 60) * (text[position] == UInt8(ascii: "-") ? -1 : 1)
        } else if text[position] | 0x20 != UInt8(ascii: "z") {
            return nil
        }
        let time = CivilTime(
            year: Int(year), month: Int(month), day: Int(day), hour: Int(hour), minute: Int(minute), second: Int(second))
        let seconds = time.seconds - offset
        guard let nanoseconds = Int64(exactly: Int128(seconds) * 1_000_000_000 + Int128(fraction)) else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
