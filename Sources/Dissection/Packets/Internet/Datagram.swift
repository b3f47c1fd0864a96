extension FragmentTable {
    /// The fragments of one datagram that have come. Where they overlap, the bytes that came first stay; where they
    /// contradict each other there, IPv6 throws the datagram away (RFC 5722, section 4). With IPv4 no document says so and
    /// systems differ, so that one is read on.
    struct Datagram: Sendable {
        /// A run of the datagram that has come: `start..<end` on the wire, `start..<captured` of it at hand.
        struct Piece: Equatable, Sendable {
            var start: Int
            var captured: Int
            var end: Int
        }

        let key: Key
        var bytes: [UInt8] = []
        /// In order, without overlap.
        private(set) var pieces: [Piece] = []
        private(set) var ipProtocol: UInt8 = 0
        /// Known once the last fragment has come.
        private var total: Int?
        var place: Place
        /// Packets that brought a fragment of it.
        var fragmentPackets: UInt64 = 0
        var lastUse: UInt64 = 0
        /// Fragments of other datagrams of its source since its last one.
        var others = 0
        /// The first byte about which two fragments say different things.
        private(set) var conflict: Int?
        /// The fragments up to that.
        private(set) var conflictPlace: Place?
        private let firstTime: Timestamp?
        /// What had come when the fragment with the header came: perhaps the rest of another datagram, whose first one is missing.
        private var earlier: Earlier?

        private struct Earlier: Sendable {
            var pieces: [Piece]
            var packets: UInt64
            /// Of the fragments since.
            var place: Place
        }

        init(key: Key, place: Place) {
            self.key = key
            self.place = place
            firstTime = place.time
        }

        /// Bytes of memory that it takes.
        var cost: Int { 256 + bytes.count + (pieces.count + (earlier?.pieces.count ?? 0)) * MemoryLayout<Piece>.stride }

        /// Whether it has waited too long when a packet comes at `now`.
        func isStale(at now: Place) -> Bool {
            if let packets = place.packets, let current = now.packets,
                current.lowest > packets.highest, current.lowest - packets.highest > FragmentTable.longestWaitInPackets
            {
                return true
            }
            if others > FragmentTable.mostOthers { return true }
            guard let firstTime, let lastTime = place.time, let time = now.time else { return false }
            return time.nanoseconds(since: firstTime) > FragmentTable.longestWait
                || time.nanoseconds(since: lastTime) > FragmentTable.longestSilence
        }

        /// Whether a fragment begins another datagram that has the same identification: its first eight bytes are others, with ports and
        /// sequence number or checksum. With the 32 bits of IPv6 that is no accident.
        func isOther(_ fragment: Fragment, captured: RawSpan) -> Bool {
            guard !key.isIPv6, fragment.offset == 0, captured.byteCount >= 8, let first = pieces.first, first.start == 0,
                first.captured >= 8
            else { return false }
            return difference(captured, from: 0, 0, 8) != nil
        }

        /// Takes in a fragment; false when it contradicts the datagram's end.
        mutating func insert(_ fragment: Fragment, captured: RawSpan, length: Int) -> Bool {
            let end = fragment.offset + length
            if let total, fragment.hasMore ? end > total : end != total { return false }
            if !fragment.hasMore {
                if let last = pieces.last, last.end > end { return false }
                total = end
            }
            if fragment.offset == 0 {
                ipProtocol = fragment.ipProtocol
                if earlier == nil, !key.isIPv6, let first = pieces.first, first.start > 0 {
                    earlier = Earlier(pieces: pieces, packets: fragmentPackets, place: Place(time: nil))
                }
            }
            let capturedEnd = min(fragment.offset + captured.byteCount, end)
            var start = fragment.offset
            var index = 0
            while start < end {
                while index < pieces.count, pieces[index].end <= start { index += 1 }
                if index < pieces.count, pieces[index].start <= start {
                    let repeatedEnd = min(pieces[index].captured, capturedEnd)
                    if conflict == nil { conflict = difference(captured, from: fragment.offset, start, repeatedEnd) }
                    start = pieces[index].end
                    continue
                }
                let holeEnd = index < pieces.count ? min(pieces[index].start, end) : end
                let stored = max(min(capturedEnd, holeEnd), start)
                store(captured, from: fragment.offset, start..<stored)
                index = join(Piece(start: start, captured: stored, end: holeEnd), at: index)
                start = holeEnd
            }
            return true
        }

        /// Counts the packet of a fragment.
        mutating func note(_ packet: Place) {
            fragmentPackets += 1
            place.extend(by: packet)
            if earlier?.place.packets == nil { earlier?.place = packet } else { earlier?.place.extend(by: packet) }
        }

        /// Notes where a conflict came to light, if one has.
        mutating func noteConflict() { if conflict != nil { conflictPlace = place } }

        // MARK: - Two datagrams of one identification

        /// Whether the checksum of the whole datagram is right. Nil where that cannot be told.
        var hasRightChecksum: Bool? {
            guard !key.isIPv6, let total, pieces.count == 1, pieces[0].captured == total, bytes.count == total else {
                return nil
            }
            return TransportChecksum.isRight(
                bytes.rawBytes, ipProtocol: ipProtocol, source: key.source, destination: key.destination)
        }

        /// Takes out again what came before the first fragment, because it was the rest of another datagram. Returns in how many packets
        /// that came; none where the first fragment came first.
        mutating func dropEarlier() -> UInt64? {
            guard let dropped = earlier else { return nil }
            earlier = nil
            (conflict, conflictPlace) = (nil, nil)
            place = dropped.place
            fragmentPackets -= dropped.packets
            total = nil
            for piece in dropped.pieces { cut(piece) }
            return dropped.packets
        }

        /// Takes a run out of the pieces.
        private mutating func cut(_ run: Piece) {
            var kept: [Piece] = []
            for piece in pieces {
                guard piece.start < run.end, run.start < piece.end else {
                    kept.append(piece)
                    continue
                }
                if piece.start < run.start {
                    kept.append(Piece(start: piece.start, captured: min(piece.captured, run.start), end: run.start))
                }
                if piece.end > run.end { kept.append(Piece(start: run.end, captured: max(piece.captured, run.end), end: piece.end)) }
            }
            pieces = kept
        }

        /// Puts a new piece before `index`, made one with its neighbours where nothing was cut between them.
        /// - Returns: Where it is.
        private mutating func join(_ piece: Piece, at index: Int) -> Int {
            var position = index
            if index > 0, pieces[index - 1].end == piece.start, pieces[index - 1].captured == piece.start {
                position = index - 1
                pieces[position].captured = piece.captured
                pieces[position].end = piece.end
            } else {
                pieces.insert(piece, at: index)
            }
            let next = position + 1
            if next < pieces.count, pieces[next].start == piece.end, piece.captured == piece.end {
                pieces[position].captured = pieces[next].captured
                pieces[position].end = pieces[next].end
                pieces.remove(at: next)
            }
            return position
        }

        private mutating func store(_ captured: RawSpan, from offset: Int, _ range: Range<Int>) {
            guard !range.isEmpty else { return }
            if bytes.count < range.upperBound {
                bytes.append(contentsOf: repeatElement(0, count: range.upperBound - bytes.count))
            }
            for position in range { bytes[position] = captured[position - offset] }
        }

        /// The first position from `start` to `end` where a fragment says something else than what is kept.
        private func difference(_ captured: RawSpan, from offset: Int, _ start: Int, _ end: Int) -> Int? {
            var position = start
            while position < end {
                if bytes[position] != captured[position - offset] { return position }
                position += 1
            }
            return nil
        }

        /// Nothing that was or will be sent of this datagram counts: an IPv6 one that contradicts itself.
        var isDiscarded: Bool { conflict != nil && key.isIPv6 }

        /// Gives back the memory of a datagram that will not be read.
        mutating func discard() {
            bytes = []
            pieces = []
        }

        /// The datagram's length when every byte of it has come.
        var completeLength: Int? {
            guard let total else { return nil }
            var covered = 0
            for piece in pieces {
                guard piece.start == covered else { return nil }
                covered = piece.end
            }
            return covered == total ? total : nil
        }

        /// Leaves the bytes up to the first that the capture cut.
        mutating func cutAtFirstHole() {
            var kept = 0
            for piece in pieces {
                kept = piece.captured
                if piece.captured < piece.end { break }
            }
            if bytes.count > kept { bytes.removeLast(bytes.count - kept) }
        }
    }
}
