import Dissection
import Reports

/// `--redact-pattern` looks with the same expressions as filters do.
extension PatternMatcher: TextSearch {
    package func firstMatch(in bytes: RawSpan, from start: Int) -> TextMatch {
        switch search(bytes, from: start) {
        case .found(let range): .found(range)
        case .nowhere: .nowhere
        case .tooCostly: .tooCostly
        }
    }
}
