import Dissection
public struct TextSettings: Sendable { public init() {} }
public struct TextReport: ReportSink, ~Copyable {
    var output: Output
    public init(_ output: consuming Output, settings: TextSettings = TextSettings()) { self.output = output }
    public var outputError: OutputError? { output.error }
    public mutating func begin(_ source: CaptureSource) {}
    public mutating func receive(_ event: borrowing ConversationEvent) {}
    public mutating func finish(_ totals: Totals) {}
    public mutating func flush() { output.flush() }
}
