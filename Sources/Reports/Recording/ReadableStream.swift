import Dissection

/// Which bytes of a captured conversation a recording of plaintext has, and in which order: those of the wire, but for TLS that is opened, and what
/// was inside of that instead.
///
/// ```
/// level 0   CONNECT …   200 …   16 03 01 …  16 03 03 …  17 03 03 …      written until TLS begins, then kept until it opens or does not
/// level 1                                                GET / …        written in its place
/// ```
///
/// What is kept is bounded by the caller: `giveUp` has it written as it came.
struct ReadableStream {
    /// What stands in the recording.
    struct Part {
        enum Fact: Equatable {
            case bytes
            case gap(UInt64)
            case finished
            case reset
            /// Said on a packet of its own.
            case comment(String)
        }

        var fact: Fact
        /// Who sent it.
        var side: Side
        var time: Timestamp?
        var bytes: [UInt8] = []
        fileprivate var level: UInt8 = 0
        fileprivate var offset: UInt64 = 0

        init(_ fact: Fact, from side: Side, at time: Timestamp?) {
            self.fact = fact
            self.side = side
            self.time = time
        }

        fileprivate init(_ fact: Fact, bytes: [UInt8] = [], of run: borrowing StreamRun, from side: Side) {
            self.init(fact, from: side, at: run.time)
            self.bytes = bytes
            (level, offset) = (run.level, run.offset)
        }

        /// How many bytes of its level it stands for.
        fileprivate var length: UInt64 {
            switch fact {
            case .bytes: UInt64(bytes.count)
            case .gap(let length): length
            case .finished, .reset, .comment: 0
            }
        }

        fileprivate var heldBytes: Int { MemoryLayout<Part>.stride + bytes.capacity }
    }

    private enum Sealing {
        case undecided
        case opened
        case sealed
    }

    /// The bytes of one channel: those of the wire, or those inside of TLS.
    private struct Level {
        /// Where TLS begins.
        var clientTLS: UInt64?
        var serverTLS: UInt64?
        /// What becomes of it.
        var sealing = Sealing.undecided
        /// How far it was read: what follows may yet turn out to be TLS.
        var clientRead: UInt64 = 0
        var serverRead: UInt64 = 0

        func tls(of side: Side) -> UInt64 { (side == .client ? clientTLS : serverTLS) ?? .max }
        func read(of side: Side) -> UInt64 { side == .client ? clientRead : serverRead }
    }

    private var levels = [Level()]
    /// In the order in which they came; those before `first` are done with.
    private var parts: [Part] = []
    private var first = 0
    /// Bytes of memory that what is kept takes.
    private(set) var heldBytes = 0
    /// Something that is written as it was sealed was opened later.
    private(set) var openedTooLate = false

    /// Nothing is kept.
    var isEmpty: Bool { first == parts.count }

    /// Whether TLS of the conversation was opened: what its packets have is not what the recording has.
    var isOpened: Bool { levels[0].sealing == .opened }

    // MARK: - What comes

    /// Takes the next run of a conversation, of which `side` is the sender.
    mutating func take(_ run: borrowing StreamRun, from side: Side) {
        let level = Int(run.level)
        guard level < levels.count else { return }
        switch run.fact {
        case .bytes:
            var bytes: [UInt8] = []
            bytes.append(copying: run.bytes)
            append(Part(.bytes, bytes: bytes, of: run, from: side))
        case .gap(let length): append(Part(.gap(length), of: run, from: side))
        case .finished: append(Part(.finished, of: run, from: side))
        case .reset: append(Part(.reset, of: run, from: side))
        case .tlsBegins:
            guard levels[level].tls(of: side) == .max else { return }
            if side == .client { levels[level].clientTLS = run.offset } else { levels[level].serverTLS = run.offset }
        case .tlsOpens:
            guard levels[level].sealing == .undecided else {
                openedTooLate = openedTooLate || levels[level].sealing == .sealed
                return
            }
            levels[level].sealing = .opened
            levels.append(Level())
        case .tlsStaysSealed: if levels[level].sealing == .undecided { levels[level].sealing = .sealed }
        case .read(let sender, let peer):
            let (client, server) = side == .client ? (sender, peer) : (peer, sender)
            levels[level].clientRead = max(levels[level].clientRead, client)
            levels[level].serverRead = max(levels[level].serverRead, server)
        }
    }

    /// Takes what is said of the conversation, to stand behind what it is about.
    mutating func take(comment: String, at time: Timestamp?) {
        append(Part(.comment(comment), from: .client, at: time))
    }

    private mutating func append(_ part: Part) {
        heldBytes += part.heldBytes
        parts.append(part)
    }

    /// Nothing more is waited for: what is kept is written as it came, and so is what follows of the same.
    mutating func giveUp() {
        for index in levels.indices {
            if levels[index].sealing == .undecided { levels[index].sealing = .sealed }
            (levels[index].clientRead, levels[index].serverRead) = (.max, .max)
        }
    }

    // MARK: - What is written

    /// Takes out what comes next in the recording; nil where it is not known so far.
    mutating func next() -> Part? {
        while first < parts.count {
            let part = parts[first]
            switch fate(of: part) {
            case .waits: return nil
            case .isLeftOut: drop()
            case .stands(let length) where length >= part.length:
                drop()
                return part
            case .stands(let length): return split(part, after: length)
            }
        }
        return nil
    }

    private enum Fate {
        /// So many of its bytes.
        case stands(UInt64)
        case waits
        case isLeftOut
    }

    private func fate(of part: Part) -> Fate {
        if case .comment = part.fact { return .stands(0) }
        let level = levels[Int(part.level)]
        let (tls, read) = (level.tls(of: part.side), level.read(of: part.side))
        switch part.fact {
        case .reset: return .stands(0)
        case .finished where level.sealing == .opened: return .isLeftOut
        case .finished: return .stands(0)
        case .bytes, .gap, .comment: break
        }
        // Without end, and cannot overflow: an offset counts what came.
        let end = part.offset &+ part.length
        if part.offset >= tls {
            switch level.sealing {
            case .opened: return .isLeftOut
            case .sealed: return .stands(part.length)
            case .undecided: return .waits
            }
        }
        let clear = min(end, tls, read)
        return clear > part.offset ? .stands(clear - part.offset) : .waits
    }

    /// Takes the beginning of the first part out, and leaves the rest.
    private mutating func split(_ part: Part, after length: UInt64) -> Part {
        var (head, rest) = (part, part)
        rest.offset += length
        switch part.fact {
        case .gap(let whole):
            head.fact = .gap(length)
            rest.fact = .gap(whole - length)
        case .bytes, .finished, .reset, .comment:
            let count = Int(clamping: length)
            head.bytes = Array(part.bytes.prefix(count))
            rest.bytes = Array(part.bytes.dropFirst(count))
        }
        heldBytes += rest.heldBytes - part.heldBytes
        parts[first] = rest
        return head
    }

    private mutating func drop() {
        heldBytes -= parts[first].heldBytes
        parts[first].bytes = []
        first += 1
        if first == parts.count {
            parts.removeAll(keepingCapacity: parts.capacity <= 16)
            first = 0
        } else if first >= 64, first * 2 > parts.count {
            parts.removeFirst(first)
            first = 0
        }
    }
}
