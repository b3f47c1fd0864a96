@testable import Reports

extension DecodedPayload {
    /// One of a format, as the table makes it.
    init(of format: StaticString) {
        self.init(format: format)
        let row = PayloadTable.standard.rows.first { "\($0.name)" == "\(format)" }
        traits = row?.format ?? (format.description == "\(EngineIO.name)" ? EngineIO.self : nil)
    }
}
