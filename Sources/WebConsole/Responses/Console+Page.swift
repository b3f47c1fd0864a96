import CaptureFiles
import Dissection
import Reports
import Sessions

extension Console {
    /// What one page has at most; what is left out is said at its end.
    static let mostOfPage = (records: 20_000, bytes: 32 << 20)
    /// Bytes of one payload in a page.
    static let mostOfPayload = 256 << 10

    /// One conversation as an HTML file to send, the same that `--format html` writes of it.
    ///
    /// - Parameter isRedacted: Secrets are hidden, as `--redact` does it.
    func page(of number: Int64, isRedacted: Bool) throws -> ConsoleResponse {
        guard try store.slow.conversation(number) != nil else { return .noSuchThing }
        var ids: [Int64] = []
        try store.slow.records(of: number, after: 0) { more in
            ids += more
            return ids.count <= Self.mostOfPage.records
        }
        var generator = SystemRandomNumberGenerator()
        let plan = isRedacted ? RedactionPlan(salt: (generator.next(), generator.next())) : nil
        var settings = PageSettings(payload: .full(limit: Self.mostOfPayload))
        settings.note = "conversation \(number)" + (isRedacted ? ", redacted" : "")
        var page = RedactingSink(PageReport(Output(), settings: settings), hiding: plan)
        var teller = LogTeller()
        let source = CaptureSource(kind: .file, name: store.origin.inputs.first ?? "", tool: store.origin.tool)
        teller.begin(source, after: Totals())
        page.sink.begin(source)
        var (body, count) = ([UInt8](), 0)
        for id in ids where count < Self.mostOfPage.records && body.count < Self.mostOfPage.bytes {
            _ = try store.slow.line(of: id) { _, line in _ = teller.tell(line, into: &page) { _, _ in } }
            body += page.sink.takeBytes()
            count += 1
        }
        let isCut = count < ids.count
        let ending = "Here \(count) records of the conversation end; unmask read --format html writes all of them."
        page.sink.finish(saying: isCut ? ending : "")
        body += page.sink.takeBytes()
        var response = ConsoleResponse(type: "text/html; charset=utf-8", body: body)
        response.fields = [("Content-Disposition", "attachment; filename=\"conversation-\(number).html\"")]
        response.isSandboxed = true
        return response
    }
}
