/// What the segments of a conversation of which nothing is cut show about its messages: a length at their beginning, and how their lines end. A program
/// that waits for the wrong of these waits for ever, or for the wrong number of bytes.
///
/// ```
/// >  00 00 00 1e {"type":"say",…       30 bytes follow: a length of the rest
/// <  00 00 00 1d {"ack":0,…            29 bytes in all: a length that counts itself
///
/// >  0c 00 00 00 00 00 00 00           a length that was written by itself …
/// >  hello world!                      … and what it counts
///
/// <  220 ready\r\n
/// >  HELO me                            no line end: the server waits for more
/// ```
///
/// Only what every segment of a side shows is believed; messages that are joined or cut in segments show nothing.
struct SegmentClues {
    private var client = SideClues()
    private var server = SideClues()

    static let heldBytes = 224

    mutating func receive(_ bytes: RawSpan, at arrival: Arrival) {
        if arrival.side == .client {
            client.receive(bytes, at: arrival.place, after: server.lastTime)
        } else {
            server.receive(bytes, at: arrival.place, after: client.lastTime)
        }
    }

    /// Both sides have ended.
    mutating func end() {
        client.endSegment()
        server.endSegment()
    }

    /// Both sides have ended: the forms of their lengths, where they differ.
    var lengths: String? {
        guard let ours = client.lengths, let theirs = server.lengths, ours != theirs else { return nil }
        return "the client \(client.words(ours)), the server \(server.words(theirs))"
    }

    /// Both sides have ended: which of them ends its lines with CR LF, where the other one ends its lines with LF alone, and how many those are.
    ///
    /// A side that goes on right after lines with LF alone takes them.
    var lineEnds: (withReturn: Side, without: Int)? {
        switch (client.lineEnd, server.lineEnd) {
        case (.returnLineFeed?, .lineFeed?) where !client.hasGoneOn: (.client, server.lines)
        case (.lineFeed?, .returnLineFeed?) where !server.hasGoneOn: (.server, client.lines)
        case _: nil
        }
    }

    /// Both sides have ended: how the server ends its lines, and how many bytes without a line end are all that the client has sent; nil where the
    /// client has sent a line, or the server has sent something soon after.
    var lineEndMissing: (hasReturn: Bool, bytes: UInt64)? {
        guard let withReturn = server.endsLinesWithReturn, !server.hasResponded, let bytes = client.bytesWithoutLineEnd else { return nil }
        return (withReturn, bytes)
    }

    /// Both sides have ended: the length at the beginning of the segments of the only side that sent something.
    var length: (side: Side, words: String)? {
        if server.bytes == 0, let form = client.lengths { return (.client, client.words(form)) }
        if client.bytes == 0, let form = server.lengths { return (.server, server.words(form)) }
        return nil
    }
}
