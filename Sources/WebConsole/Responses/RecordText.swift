import CaptureFiles
import Dissection
import Reports
import Sessions

/// Records of one conversation once more, as the lines that `unmask read` prints and the records that it writes.
struct RecordText {
    /// The lines of text.
    private(set) var lines: [String] = []
    /// The last record as `--decoded` writes it; those of the run as they stand in the file.
    private(set) var record: [UInt8] = []

    /// Reads records.
    ///
    /// - Parameters:
    ///   - context: Records that come before: what is said later may rest on them. They are not shown.
    ///   - ids: Those that are shown.
    init(_ rows: SessionRows, context: [Int64] = [], _ ids: [Int64], isFull: Bool, payload: PayloadPolicy) throws {
        var settings = TextSettings(
            width: nil, payload: payload, follows: true, showsFrames: true, showsHeaders: true, isFull: isFull, zone: .local)
        settings.announcesSource = false
        var text = TextReport(Output(), settings: settings)
        var recordSettings = RecordSettings(payload: .full, showsFrames: true)
        recordSettings.payloads = .standard
        var records = RecordReport(Output(), settings: recordSettings)
        var (texts, logged) = (LogTeller(), LogTeller())
        let source = CaptureSource(kind: .file, name: "", tool: "")
        texts.begin(source, after: Totals())
        logged.begin(source, after: Totals())
        var last: [UInt8] = []
        for (place, id) in (context + ids).enumerated() {
            try rows.line(of: id) { kind, line in
                if place == context.count + ids.count - 1 { last.append(copying: line) }
                // The line of an opening would come with the next one.
                if place < context.count, kind == "opened" { return _ = logged.tell(line, into: &records) { _, _ in } }
                _ = texts.tell(line, into: &text) { _, _ in }
                _ = logged.tell(line, into: &records) { _, _ in }
            }
            if place >= context.count { continue }
            text.flush()
            _ = text.takeBytes()
        }
        text.flush()
        lines = Self.lines(text.takeBytes())
        record = records.takeBytes().split(separator: 0x0A).last.map { Array($0) } ?? []
        if record.isEmpty { record = last }
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: true).map { String(decoding: $0, as: UTF8.self) }
    }
}
