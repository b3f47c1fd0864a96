import Dissection

/// Finds what a user asks for in bytes; made once for each thread that looks.
package protocol TextSearch: AnyObject {
    /// The first place that begins at `start` or later.
    func firstMatch(in bytes: RawSpan, from start: Int) -> TextMatch
}

package enum TextMatch: Hashable, Sendable {
    case found(Range<Int>)
    case nowhere
    /// The search was given up.
    case tooCostly
}

/// What `--redact` hides beside the defaults (docs/redaction.md). A plan that can be handed to the thread that writes.
package struct RedactionPlan: Sendable {
    /// Header fields whose value is hidden whole, by name.
    package var headers: [String] = []
    package var paths = JSONPaths()
    /// Make searches, of which every match is hidden.
    package var patterns: [@Sendable () -> (any TextSearch)?] = []
    /// The formats of which the user said what they are: what they say under a secret name is hidden, also where only a schema has the name.
    package var payloads: PayloadTable?
    /// The key of the marks: by chance, so that what stands behind a mark cannot be tried out.
    package var salt: (low: UInt64, high: UInt64)

    package init(salt: (low: UInt64, high: UInt64)) { self.salt = salt }
}

/// The plan, ready to be used on one thread.
struct RedactionRules {
    /// Names without what does not count in them.
    let headers: Set<[UInt8]>
    let paths: JSONPaths
    let searches: [any TextSearch]
    let marks: RedactionMark
    /// Nothing is hidden in payloads beside the defaults.
    var areDefaults: Bool { searches.isEmpty && paths.isEmpty }

    init(_ plan: RedactionPlan) {
        headers = Set(plan.headers.map { SecretNames.plain(Array($0.utf8)[...]).name })
        paths = plan.paths
        searches = plan.patterns.compactMap { $0() }
        marks = RedactionMark(.init(low: plan.salt.low, high: plan.salt.high))
    }

    /// What the user's expressions find in a part of a text. Where a search is given up, the part is hidden whole.
    func patterns(in text: [UInt8], _ part: Range<Int>) -> Replacements {
        var found = Replacements()
        for search in searches {
            var here = Replacements()
            var start = 0
            looking: while start <= part.count {
                switch search.firstMatch(in: text.rawBytes.extracting(part), from: start) {
                case .found(let match):
                    let range = match.lowerBound + part.lowerBound..<match.upperBound + part.lowerBound
                    // A mark stays as it is, and what is nothing hides nothing.
                    if !range.isEmpty, match.lowerBound >= start, !RedactionMark.isMark(text[range]) {
                        here.add(range, marks.mark(of: text[range]))
                    }
                    start = max(match.upperBound, match.isEmpty ? match.lowerBound + 1 : 0, start + 1)
                case .nowhere: break looking
                case .tooCostly:
                    here = Replacements()
                    if !part.isEmpty { here.add(part, marks.mark(of: text[part])) }
                    break looking
                }
            }
            found.merge(here) { marks.mark(of: text[$0]) }
        }
        return found
    }
}
