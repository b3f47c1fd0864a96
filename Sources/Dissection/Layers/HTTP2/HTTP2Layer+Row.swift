extension HTTP2Layer: RegisteredLayer {
    package static var name: LayerName { .http2 }
    package static var olderVersion: LayerName? { .http }

    package static func begins(client: RawSpan, server: RawSpan, searched: inout Int) -> Recognized {
        guard client.byteCount > 0 else {
            // A server may speak first, and begins with settings.
            return isSettings(server) ? .undecided : .no
        }
        let matched = HTTP2Preface.matched(client)
        if matched == HTTP2Preface.length { return .yes }
        return matched == client.byteCount ? .undecided : .no
    }

    package static func isBegun(client: RawSpan, server: RawSpan) -> Bool {
        // A client that connects ahead of its first request may never have one; browsers do.
        if client.byteCount == 0, server.byteCount >= HTTP2FrameHeader.size { return isSettings(server) }
        // Its first line is no request of HTTP/1.
        let matched = HTTP2Preface.matched(client)
        return matched == client.byteCount && matched >= 16
    }

    package static func search() -> (any MidstreamSearch)? { HTTP2Search() }

    package static func mayBegin(with first: UInt8, from side: Side) -> Bool { first == 0 }

    /// Whether bytes are the beginning of a frame of settings.
    private static func isSettings(_ bytes: RawSpan) -> Bool {
        for index in 0..<min(bytes.byteCount, HTTP2FrameHeader.size) {
            let isRight =
                switch index {
                case 0: bytes[0] == 0
                case 1: bytes[1] == 0
                case 2: bytes[2] % 6 == 0
                case 3: bytes[3] == HTTP2FrameType.settings.number
                default: bytes[index] == 0
                }
            if !isRight { return false }
        }
        return true
    }
}

/// Finds HTTP/2 in one side of a channel whose beginning was not captured: by frames that follow each other, of which one says who sends it.
///
/// A client begins the block of a request with its method, which is an entry of the static table, and a server the block of a response with
/// its status.
final class HTTP2Search: MidstreamSearch {
    /// Where a frame may begin that was not looked at yet.
    private var place = 0
    /// Where the next frame begins, if those before it were.
    private var chain = 0
    private var chained = 0
    private var client: Side?
    /// A stream of the chain; 0 if it has none yet.
    private var stream: UInt32 = 0
    /// The chain has more than contents, whose headers say little.
    private var isTelling = false
    /// The last frame of the chain, if it was too long to be waited for.
    private var longLength = 0
    /// Rows that have come to nothing. In content that is full of zeros many do, and then a longer one is an accident as well.
    private var falseStarts = 0
    /// What long frames lead to.
    private var leads: [Lead] = []
    private(set) var steps = 0

    var ownBytes: Int { 64 + leads.capacity * MemoryLayout<Lead>.stride }

    /// A chain that goes on where nobody waits for it: other places are looked at until then.
    private struct Lead {
        var place: Int
        var chained: Int
        var client: Side?
        var stream: UInt32
        var isTelling: Bool
        var length: Int
    }

    /// So many frames in a row are believed, and so many where all are contents.
    private static let enough = 3
    private static let most = 4
    /// Whatever came to nothing before.
    private static let mostNeeded = 16
    /// Long frames are followed to no more places than this.
    private static let mostLeads = 8

    func advance(over bytes: RawSpan, firstRun: Int, from side: Side) -> Sighting? {
        while place < firstRun {
            // The preface itself may stand behind what belongs to something before it.
            while chain + HTTP2FrameHeader.size <= firstRun {
                steps += 1
                let header = HTTP2FrameHeader(bytes, at: chain)
                guard header.isPlausible(limit: HTTP2FrameHeader.largestLength, mostStream: .max),
                    header.isPlausible(beside: stream), chained < HTTP2Search.mostNeeded
                else { break }
                if header.length > HTTP2FrameHeader.usualLength {
                    // Nobody cuts content into pieces of a size, a stream and a place that only look like those of frames.
                    let isRepeated = longLength == header.length && stream == header.stream
                    guard header.type == .data else { break }
                    if isRepeated || chained + 1 >= needed && stream == header.stream {
                        return Sighting(end: chain + HTTP2FrameHeader.size, client: client)
                    }
                    follow(header)
                    chained = 0
                    break
                }
                longLength = 0
                // Who sends it is to be seen before it is believed, however the bytes are cut.
                if let teller = HTTP2Search.teller(of: header, at: chain), teller >= firstRun { return nil }
                if header.type != .data, header.type != .continuation, header.type != .priority { isTelling = true }
                if header.stream > 0 { stream = header.stream }
                if let sender = HTTP2Search.sender(of: header, bytes, at: chain, end: firstRun, side) { client = client ?? sender }
                chain += HTTP2FrameHeader.size + header.length
                chained += 1
                if chained >= needed {
                    return Sighting(end: min(chain, firstRun), client: client)
                }
            }
            let isOpen = chain + HTTP2FrameHeader.size > firstRun
            if isOpen { return nil }
            goOn()
        }
        return nil
    }

    /// How many frames in a row are believed here. Who sends them is said by a byte that no other content is likely to have there.
    private var needed: Int {
        let fewest = isTelling ? HTTP2Search.enough : HTTP2Search.most
        return client == nil ? min(fewest + falseStarts, HTTP2Search.mostNeeded) : fewest
    }

    /// Looks at the next place: with nothing known, unless a long frame leads there.
    private func goOn() {
        if chained > 0, falseStarts < HTTP2Search.mostNeeded { falseStarts += 1 }
        place += 1
        chain = place
        let index = leads.firstIndex { $0.place == place }
        let lead = index.map { leads.remove(at: $0) }
        chained = lead?.chained ?? 0
        client = lead?.client
        stream = lead?.stream ?? 0
        isTelling = lead?.isTelling ?? false
        longLength = lead?.length ?? 0
    }

    /// A long frame of content stands at the end of the chain.
    private func follow(_ header: HTTP2FrameHeader) {
        if leads.count == HTTP2Search.mostLeads { leads.removeFirst() }
        leads.append(
            Lead(
                place: chain + HTTP2FrameHeader.size + header.length, chained: chained + 1, client: client, stream: header.stream,
                isTelling: isTelling, length: header.length))
    }

    func conclude(_ bytes: RawSpan, firstRun: Int, from side: Side, knowsRoles: Bool, isLastResort: Bool) -> Sighting? {
        // Frames that fill all that came to the last byte.
        guard place == 0, chain == firstRun, client != nil || chained > (isTelling ? 1 : 2) else { return nil }
        return Sighting(end: firstRun, client: client)
    }

    func mayBegin(_ bytes: RawSpan) -> Bool { chained > 0 }

    /// Frames that follow each other from the first byte on: three, or two of such as have a length of their own, which many bytes say.
    func begins(with run: RawSpan, from side: Side) -> Recognized {
        var (place, count, fixed): (Int, Int, Int) = (0, 0, 0)
        var beside: UInt32 = 0
        while place + HTTP2FrameHeader.size <= run.byteCount {
            steps += 1
            let header = HTTP2FrameHeader(run, at: place)
            guard header.isPlausible(limit: HTTP2FrameHeader.usualLength, mostStream: .max), header.isPlausible(beside: beside) else {
                return .no
            }
            if header.stream > 0 { beside = header.stream }
            count += 1
            if header.hasLengthOfItsOwn { fixed += 1 }
            if fixed > 0 && count >= HTTP2Search.enough || fixed > 1 { return .yes }
            place += HTTP2FrameHeader.size + header.length
        }
        // Of a header that is not whole, the type says whether it may be one.
        return place + 3 < run.byteCount && run[place + 3] > HTTP2FrameType.continuation.number ? .no : .undecided
    }

    /// The client, where a frame says who sends it.
    private static func sender(of header: HTTP2FrameHeader, _ bytes: RawSpan, at place: Int, end: Int, _ side: Side) -> Side? {
        if header.type == .pushPromise { return side.peer }
        guard let teller = teller(of: header, at: place), teller < end else { return nil }
        switch bytes[teller] {
        case 0x82, 0x83: return side
        case 0x88...0x8E, 0x08, 0x48: return side.peer
        default: return nil
        }
    }

    /// Where the first byte of a header block stands, which says who sends it; nil of a frame that has none.
    private static func teller(of header: HTTP2FrameHeader, at place: Int) -> Int? {
        guard header.type == .headers else { return nil }
        let offset = (header.isPadded ? 1 : 0) + (header.hasPriority ? 5 : 0)
        return offset < header.length ? place + HTTP2FrameHeader.size + offset : nil
    }
}
