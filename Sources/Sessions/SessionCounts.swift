/// How much a session file has, as far as was looked: the next look counts only what has come since.
package struct SessionCounts: Sendable, Equatable {
    /// The numbers of the first record and of the last; the file has all between them. Nothing is there where the last is before the first.
    package var first: Int64 = 1
    package var last: Int64 = 0
    package var messages: Int64 = 0
    /// How many have a row, whatever their numbers are.
    package var conversations: Int64 = 0
    /// The moments of its records, in nanoseconds since 1970.
    package var earliest: Int64?
    package var latest: Int64?
    /// The last record is the end of a run.
    package var hasEnd = false
    /// The last page that was looked at.
    var page: Int64 = 0

    package init() {}

    package var rows: Int64 { last - first + 1 }

    /// The greatest number that is looked at: of more, the double of a browser would lose some.
    static let greatest: Int64 = 1 << 52
}
