/// A layer has shown itself in the middle of a stream.
package struct Sighting: Equatable {
    /// How many of the bytes had to be seen for it. Where several layers show themselves, the one that did so first counts.
    package var end: Int
    /// The side that shows itself as the client, where the bytes say so.
    package var client: Side?
    /// Where it begins, if a side only begins so where it takes the word: elsewhere it may be quoted.
    package var turnStart: Int?

    package init(end: Int, client: Side?, turnStart: Int? = nil) {
        self.end = end
        self.client = client
        self.turnStart = turnStart
    }
}

/// Looks for one layer in what one side of a channel sends where the beginning of it was not captured, or is behind a gap.
///
/// A layer that can be found so has one of its own, and makes it in its row. There are two ways in:
///
/// ```
/// nothing is known yet     all that the side has sent waits, and is looked at as it grows        advance, skip, conclude
/// it is shown as data      a run that may begin the layer waits, and is looked at as it grows    restart, begins
/// ```
///
/// Each byte is looked at once, however the bytes are cut: a search goes on where it stopped, and what it returns depends on the bytes
/// alone. A class, because few conversations ever wait.
package protocol MidstreamSearch: AnyObject {
    /// How often a byte was looked at, for tests of what it costs.
    var steps: Int { get }

    /// Bytes that it takes in the heap.
    var ownBytes: Int { get }

    /// Looks on.
    ///
    /// - Parameters:
    ///   - bytes: all that waits of the side, gaps left out.
    ///   - firstRun: how many of them come before the first gap.
    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting?

    /// Bytes are missing behind those that were looked at. What had to be borne out by the next bytes may be believed as it is.
    func skip(_ length: UInt64, from side: Side) -> Sighting?

    /// The last word, where nothing more will come.
    ///
    /// - Parameters:
    ///   - knowsRoles: it is known who is the client.
    ///   - isLastResort: no layer is to be believed otherwise.
    func conclude(_ bytes: RawSpan, firstRun: Int, from side: Side, knowsRoles: Bool, isLastResort: Bool) -> Sighting?

    /// Whether what the other side has sent speaks against what `conclude` has found.
    ///
    /// - Parameters:
    ///   - side: the side in which the layer was found.
    ///   - other: all that waits of the other one, gaps left out.
    func isRefuted(_ sighting: Sighting, of side: Side, by other: RawSpan) -> Bool

    /// Whether what waits may be the beginning of the layer, so that more of it has to be seen.
    func mayBegin(_ bytes: RawSpan) -> Bool

    /// Another run begins, of which the row has said that it may begin the layer (`RegisteredLayer.mayBegin`).
    func restart()

    /// Whether the layer begins with the first byte of a run, which has become longer since the last time. Never `yes` or `no` for bytes
    /// that a longer run would turn into the other.
    func begins(with run: RawSpan, from side: Side) -> Recognized
}

extension MidstreamSearch {
    package var ownBytes: Int { 128 }
    package func skip(_ length: UInt64, from side: Side) -> Sighting? { nil }
    package func conclude(_ bytes: RawSpan, firstRun: Int, from side: Side, knowsRoles: Bool, isLastResort: Bool) -> Sighting? { nil }
    package func isRefuted(_ sighting: Sighting, of side: Side, by other: RawSpan) -> Bool { false }
    package func mayBegin(_ bytes: RawSpan) -> Bool { false }
    package func restart() {}
    package func begins(with run: RawSpan, from side: Side) -> Recognized { .no }
}
