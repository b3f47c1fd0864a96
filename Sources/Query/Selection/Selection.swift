import Dissection
import Reports

/// What a user wants to see: an expression of the display filter and the short filters, all of which have to hold.
package struct Selection: Sendable {
    /// `-Y`.
    package var expression: DisplayFilter?
    /// `--grep`: any of them.
    package var patterns: [PatternText] = []
    /// `--host`: any of them, in any case of letters.
    package var hosts: [WildcardPattern] = []
    /// `--path`: any of them.
    package var paths: [WildcardPattern] = []
    /// `--min-size`: bytes of a payload at least.
    package var leastBytes: UInt64?
    /// `--from`.
    package var from: Side?
    /// `--since` and `--until`: both moments count as inside.
    package var since: TimeBound?
    package var until: TimeBound?
    /// The clock that times of day are of.
    package var zone = TextClock.Zone.local
    /// `--problems`.
    package var problems = false
    /// `--whole`: the whole conversation of each hit.
    package var whole = false
    /// `--context`: messages of the same conversation before and after each hit.
    package var context = 0

    package init() {}

    /// Whether anything is left out.
    package var isEmpty: Bool {
        expression == nil && patterns.isEmpty && hosts.isEmpty && paths.isEmpty && leastBytes == nil && from == nil && since == nil
            && until == nil && !problems
    }

    /// Whether the end of a conversation may have to be known before its first event can be shown: then inputs are read twice where they can be.
    package var wantsTwoReadings: Bool { !isEmpty && (whole || problems) }

    /// The times outside of which a message changes nothing, in nanoseconds since 1970; nil where there are no such times, or they depend on the run.
    package var messageWindow: ClosedRange<Int64>? {
        guard expression == nil, patterns.isEmpty, hosts.isEmpty, paths.isEmpty, !problems, !whole, context == 0 else { return nil }
        var (earliest, latest) = (Int64.min, Int64.max)
        switch since {
        case nil: break
        case .moment(let moment)?: earliest = moment
        case _?: return nil
        }
        switch until {
        case nil: break
        case .moment(let moment)?: latest = moment
        case _?: return nil
        }
        guard since != nil || until != nil else { return nil }
        return earliest...max(earliest, latest)
    }

    /// Makes the filter of one output.
    ///
    /// - Parameter found: what a first reading has found.
    package func makeFilter(knowing found: ConversationSet? = nil) -> any EventFilter { SelectionRun(self, knowing: found) }

    /// Makes the filter of a first reading.
    package func makeSurvey(into found: FoundConversations) -> any EventFilter { SelectionRun(self, finding: found) }
}
