import CaptureFiles
import Dissection
import Reports
import Sessions

extension Console {
    /// Records of a conversation that are compared at most.
    private static let mostCompared = 50_000
    /// Bytes of memory that one side of a comparison may take.
    private static let mostRecorded = 16 << 20

    /// What differs between two rows, or two conversations, by the engine of `unmask diff`.
    func differences(between old: Int64, and new: Int64, areConversations: Bool) throws -> ConsoleResponse {
        let settings = ComparisonSettings()
        var isCut = false
        func recording(_ number: Int64) throws -> Recording {
            var ids = [number]
            if areConversations {
                ids = []
                try store.slow.records(of: number, after: 0) { more in
                    ids += more
                    return ids.count <= Self.mostCompared
                }
                isCut = isCut || ids.count > Self.mostCompared
            }
            var recorder = ConversationRecorder(settings, mostBytes: Self.mostRecorded)
            var teller = LogTeller()
            teller.begin(CaptureSource(kind: .file, name: "", tool: ""), after: Totals())
            for id in ids.prefix(Self.mostCompared) {
                _ = try store.slow.line(of: id) { _, line in _ = teller.tell(line, into: &recorder) { _, _ in } }
            }
            return recorder.finish()
        }
        let (left, right) = (try recording(old), try recording(new))
        let lines =
            areConversations
            ? RecordingComparison.ofConversations(left, right, settings) : RecordingComparison.ofMessages(left, right, settings)
        guard let lines else { return .error(404, "there is nothing to compare: rows of messages, heads and bodies can be compared") }
        return .object { object in
            object.array("text") { array in
                for line in lines { array.value(line.visible) }
                if isCut { array.value("Only the first \(Self.mostCompared) records of a conversation are compared.") }
            }
        }
    }
}
