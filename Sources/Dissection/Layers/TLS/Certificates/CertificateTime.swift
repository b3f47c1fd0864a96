/// Times of certificates (RFC 5280, section 4.1.2.5), in whole seconds since 1970-01-01 00:00:00 UTC.
enum CertificateTime {
    /// Reads a UTCTime, `YYMMDDHHMMSSZ`, or a GeneralizedTime, `YYYYMMDDHHMMSSZ`; nil of another form.
    static func seconds(_ element: DERCursor.Element, _ bytes: RawSpan) -> Int64? {
        let isShort = element.tag == DERCursor.Tag.utcTime
        guard isShort || element.tag == DERCursor.Tag.generalizedTime else { return nil }
        let text = element.content
        guard text.count == (isShort ? 13 : 15), bytes[text.upperBound - 1] == UInt8(ascii: "Z") else { return nil }
        var position = text.lowerBound
        func number(_ digits: Int) -> Int? {
            defer { position += digits }
            var value = 0
            for index in position..<position + digits {
                guard case 0x30...0x39 = bytes[index] else { return nil }
                value = value * 10 + Int(bytes[index] - 0x30)
            }
            return value
        }
        guard var year = number(isShort ? 2 : 4), let month = number(2), let day = number(2), let hour = number(2), let minute = number(2),
            let second = number(2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 60
        else { return nil }
        // Two digits reach from 1950 to 2049.
        if isShort { year += year < 50 ? 2_000 : 1_900 }
        let time = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        // A day that its month does not have is another one on the way back.
        return CivilTime(seconds: time.seconds) == time ? time.seconds : nil
    }
}
