import Dissection

// The list for programs: the same keys in NDJSON and in the columns of CSV (RFC 4180).

extension ListReport {
    /// The keys, in order.
    static let keys: [StaticString] = [
        "conversation", "time", "client", "server", "host", "protocol", "path", "requests", "clientMessages", "serverMessages",
        "clientBytes",
        "serverBytes", "duration", "ended", "by", "code", "findings", "worst", "severity",
    ]

    /// The first line of CSV.
    static var heading: String { keys.map { String(describing: $0) }.joined(separator: ",") + "\r\n" }
}

extension ListRow {
    /// The values of the keys: what is written as it is, or as text; nil where there is none.
    fileprivate var values: [(bytes: [UInt8], isText: Bool)?] {
        func text(_ bytes: [UInt8]) -> ([UInt8], Bool)? { bytes.isEmpty ? nil : (bytes, true) }
        func number(_ value: UInt64) -> ([UInt8], Bool)? { (Array(String(value).utf8), false) }
        func word(_ word: StaticString) -> ([UInt8], Bool)? { (word.bytes.copy, true) }
        return [
            number(self.number), text(moment), text(client), text(server), text(host), text(spoken), text(path), number(requests),
            number(ofClient.messages), number(ofServer.messages), number(ofClient.bytes), number(ofServer.bytes), seconds, word(how.word),
            word(by.word), code.flatMap { number(UInt64($0)) }, number(findings), worst.flatMap { word($0.idText) },
            worst.flatMap { word($0.severity.word) },
        ]
    }

    /// RFC 3339, UTC, with nine places.
    private var moment: [UInt8] {
        guard let openedAt else { return [] }
        var text = OutputBuffer(capacity: 64)
        text.append(CivilTime(seconds: openedAt.parts.seconds), between: 0x54)
        text.append(0x2e)
        text.appendDigits(UInt64(bitPattern: openedAt.parts.nanoseconds), width: 9)
        text.append(0x5a)
        return text.bytes.copy
    }

    private var seconds: ([UInt8], Bool)? {
        guard let duration else { return nil }
        var text = OutputBuffer(capacity: 64)
        text.append(secondsOf: duration)
        return (text.bytes.copy, false)
    }
}

extension OutputBuffer {
    /// Appends a row as one JSON object on a line. Bytes that are not UTF-8 are read as Latin-1.
    mutating func append(record row: ListRow) {
        var isFirst = true
        for (key, value) in zip(ListReport.keys, row.values) {
            guard let value else { continue }
            append(isFirst ? "{\"" : ",\"")
            isFirst = false
            append(key)
            append("\":")
            var latin1 = false
            if value.isText { appendString(value.bytes.rawBytes, latin1: &latin1) } else { append(value.bytes.rawBytes) }
        }
        append("}\n")
    }

    /// Appends a row with a comma between its values.
    mutating func append(commaSeparated row: ListRow, guardsFormulas: Bool) {
        for (index, value) in row.values.enumerated() {
            if index > 0 { append(0x2c) }
            guard let value else { continue }
            if value.isText { append(cell: value.bytes.rawBytes, guardsFormulas: guardsFormulas) } else { append(value.bytes.rawBytes) }
        }
        append("\r\n")
    }
}
