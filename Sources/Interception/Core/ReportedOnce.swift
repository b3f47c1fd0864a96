import Dissection
import Reports
import Synchronization

/// What is reported once a run, on the first connection that shows it: each further connection to the same upstream would only repeat it.
///
/// Subjects come from the settings of the proxy, so there are few of them.
final class ReportedOnce: Sendable {
    private struct Report: Hashable {
        let row: String
        let subject: String
    }

    private let reported = Mutex<Set<Report>>([])

    /// Whether this row is not reported of the subject yet; from this call on it is.
    func isFirst(_ row: FindingRow, of subject: String) -> Bool {
        reported.withLock { $0.insert(Report(row: row.id, subject: subject)).inserted }
    }
}
