package import Dissection
package import Foundation
import Reports

/// Findings as somebody reads them in the records: who sent what it is about, in which packets and where, which row, and its sentence.
///
/// ```
/// > #4 @37 http.empty-line: 2 bytes of empty lines before the start line
/// ```
package enum FindingLines {
    /// One line for each finding among the records.
    package static func of(_ log: LogRecords) -> [String] { log.all("finding").map(line) }

    private static func line(_ record: [String: Any]) -> String {
        var words: [String] = []
        switch record["from"] as? String {
        case "client": words.append(">")
        case "server": words.append("<")
        default: break
        }
        if let channel = record["channel"] as? Int { words.append(String(repeating: "|", count: channel)) }
        if let packets = record["packets"] as? [Int] {
            words.append("#" + Set(packets).sorted().map(String.init).joined(separator: "-"))
        }
        if let offset = record["offset"] as? UInt64 { words.append("@\(offset)") }
        words.append("\(record["id"] as? String ?? "?"): \(record["detail"] as? String ?? "?")")
        return words.joined(separator: " ")
    }
}

/// A sink that keeps the findings alone, as records.
package struct FindingRecords: ConversationSink, ~Copyable {
    private var records = RecordReport(Output())

    package init() {}

    package mutating func receive(_ event: borrowing ConversationEvent) {
        if case .finding = event.fact { records.receive(event) }
    }

    package mutating func lines() -> [String] {
        FindingLines.of(LogRecords(lines: records.takeBytes().split(separator: UInt8(ascii: "\n")).map { Data($0) }))
    }
}
