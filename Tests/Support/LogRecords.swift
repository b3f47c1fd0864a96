package import Foundation

/// The records that the program printed as NDJSON, parsed.
package struct LogRecords {
    package let records: [[String: Any]]

    /// Lines that are no JSON object are left out; `isWhole` tells.
    package init(lines: [Data]) {
        let parsed = lines.map { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
        records = parsed.compactMap(\.self)
        isWhole = records.count == lines.count
    }

    /// Whether each line was one JSON object.
    package let isWhole: Bool

    package func all(_ kind: String) -> [[String: Any]] { records.filter { $0["kind"] as? String == kind } }

    /// The text messages of one side, in order; those that are no text as nil.
    package func texts(from side: String) -> [String?] {
        all("message").filter { $0["from"] as? String == side }.map { $0["text"] as? String }
    }

    /// The ids of what was found, in order.
    package var findings: [String] { all("finding").compactMap { $0["id"] as? String } }

    /// How each conversation was closed: `fin by client`.
    package var closings: [String] {
        all("closed").map { "\($0["how"] as? String ?? "?") by \($0["by"] as? String ?? "?")" }
    }
}
