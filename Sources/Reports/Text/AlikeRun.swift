import Dissection

/// Conversations that closed one after another and read the same but for ports, times and packet numbers: the first is shown, and where many follow
/// they have one line together. A client that connects anew again and again, or a health check, would hide everything else.
///
/// Only what the line says anyway is left out: conversations of at most a second that carried nothing but heads and handshakes, without a finding.
struct AlikeRun {
    /// So many after the first are a line; fewer are shown as they are.
    static let least: UInt64 = 4
    /// The longest conversation, and the longest pause between the end of one and the beginning of the next.
    static let longest: Int64 = 1_000_000_000
    /// Bytes of a block that is compared.
    static let mostBytes = 1_024
    /// Ranges of numbers that are kept apart, and those that one line names.
    static let mostRanges = 64
    static let mostNamed = 8

    let first: UInt64
    let shape: [UInt8]
    /// They have a line each, and no block.
    let isLone: Bool
    private(set) var lastClosedAt: Timestamp
    /// Blocks of those after the first while they are few.
    private(set) var held: [[UInt8]] = []
    private(set) var count: UInt64 = 0
    private(set) var ranges: [ClosedRange<UInt64>] = []
    private(set) var opened: (first: Timestamp, last: Timestamp)?
    private(set) var durations: (least: Int64, most: Int64) = (.max, 0)
    /// Bytes of both sides.
    private(set) var bytes: (client: UInt64, server: UInt64) = (0, 0)

    init() {
        (first, shape, isLone, lastClosedAt) = (0, [], false, Timestamp(nanoseconds: 0))
    }

    init(first: UInt64, shape: [UInt8], isLone: Bool, closedAt: Timestamp) {
        (self.first, self.shape, self.isLone, lastClosedAt) = (first, shape, isLone, closedAt)
    }

    var isMany: Bool { count >= AlikeRun.least }

    var heldBytes: Int { shape.count + held.reduce(0) { $0 + $1.count } }

    /// Whether a conversation is one of these.
    func takes(_ shape: [UInt8], number: UInt64, openedAt: Timestamp) -> Bool {
        guard first > 0, shape == self.shape, openedAt.nanoseconds(since: lastClosedAt) <= AlikeRun.longest else { return false }
        return ranges.count < AlikeRun.mostRanges
    }

    mutating func add(_ block: [UInt8], _ closing: Closing, number: UInt64, openedAt: Timestamp, closedAt: Timestamp) {
        count &+= 1
        if isMany { held = [] } else { held.append(block) }
        bytes.client = bytes.client.clampedSum(closing.client.bytes)
        bytes.server = bytes.server.clampedSum(closing.server.bytes)
        note(number)
        opened = (opened?.first ?? openedAt, openedAt)
        let duration = closedAt.nanoseconds(since: openedAt)
        durations = (min(durations.least, duration), max(durations.most, duration))
        lastClosedAt = max(lastClosedAt, closedAt)
    }

    /// Adds a number to the ranges, which stay in order and apart.
    private mutating func note(_ number: UInt64) {
        let place = ranges.firstIndex { $0.upperBound &+ 1 >= number } ?? ranges.count
        guard place < ranges.count, ranges[place].lowerBound <= number &+ 1 else { return ranges.insert(number...number, at: place) }
        ranges[place] = min(ranges[place].lowerBound, number)...max(ranges[place].upperBound, number)
        guard place + 1 < ranges.count, ranges[place + 1].lowerBound == ranges[place].upperBound &+ 1 else { return }
        ranges[place] = ranges[place].lowerBound...ranges.remove(at: place + 1).upperBound
    }

    /// Lines of a block without what differs from one conversation to the next in any case: offsets at the beginning of a line, spans of less than a
    /// second, packet numbers, and colours, which say nothing of their own.
    static func steady(_ lines: [UInt8]) -> [UInt8] {
        var (rest, kept) = (ArraySlice(plain(lines)), [UInt8]())
        kept.reserveCapacity(rest.count)
        var isStart = true
        while let byte = rest.first {
            if isStart {
                isStart = false
                let offset = rest.drop { $0 == 0x20 }.drop(while: isOfNumber)
                if offset.startIndex > rest.startIndex, isOfNumber(rest[offset.startIndex - 1]), offset.starts(with: [0x20, 0x20]) {
                    rest = offset
                    continue
                }
            }
            if isOfNumber(byte), kept.last == 0x20 {
                let after = rest.drop(while: isOfNumber)
                kept += after.starts(with: " ms".utf8) ? [] : rest[..<after.startIndex]
                rest = after
                continue
            }
            if kept.last == 0x20, rest.starts(with: "packet".utf8) {
                kept += "packet".utf8
                rest = rest.dropFirst(6).drop { $0 == UInt8(ascii: "s") || $0 == 0x20 }.drop { isOfNumber($0) || $0 == UInt8(ascii: "-") }
                continue
            }
            isStart = byte == 0x0a
            kept.append(byte)
            rest = rest.dropFirst()
        }
        return kept
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == 0x2e || byte == 0x3a }

    private static func plain(_ lines: [UInt8]) -> [UInt8] {
        guard lines.contains(0x1b) else { return lines }
        var (kept, isCode) = ([UInt8](), false)
        for byte in lines {
            if byte == 0x1b { isCode = true }
            if !isCode { kept.append(byte) }
            if byte == UInt8(ascii: "m") { isCode = false }
        }
        return kept
    }
}

extension TextReport {
    /// Takes the block of a conversation that has ended, where it may be one of several that are alike.
    ///
    /// - Returns: Whether the block is printed, or kept to be printed.
    mutating func joinsAlike(_ closing: Closing, _ eventPlace: Place, at place: Int) -> Bool {
        guard table[place].waiting.count <= AlikeRun.mostBytes, !table[place].isContinued, table[place].reason == nil,
            let (openedAt, closedAt) = briefSpan(closing, eventPlace, at: place)
        else { return false }
        let shape = table[place].peers + AlikeRun.steady(table[place].waiting)
        let number = table[place].number
        if alike.takes(shape, number: number, openedAt: openedAt) {
            let block: [UInt8] = alike.isMany ? [] : heading(at: place).buffer.bytes.copy + table[place].waiting
            _ = table.takeWaiting(at: place)
            alike.add(block, closing, number: number, openedAt: openedAt, closedAt: closedAt)
            (alikeEnd, alikeSubject) = (closing, table[place])
        } else {
            printBlock(at: place)
            alike = AlikeRun(first: number, shape: shape, isLone: false, closedAt: closedAt)
        }
        return true
    }

    /// Prints the composed line of a conversation in which nothing came, or keeps it as one of several that are alike.
    mutating func printEmpty(_ closing: Closing, _ eventPlace: Place, at place: Int) {
        guard let (openedAt, closedAt) = briefSpan(closing, eventPlace, at: place) else { return printLone() }
        var shape = table[place].peers
        shape.append(contentsOf: "\(closing.how) \(closing.by) \(closing.clientEnd) \(closing.serverEnd) ".utf8)
        if let reason = table[place].reason {
            shape.append(contentsOf: reason.finding.row.id.utf8)
            shape += reason.text
        }
        let number = table[place].number
        if alike.takes(shape, number: number, openedAt: openedAt) {
            line.end()
            let block = line.buffer.bytes.copy
            line.clear()
            alike.add(block, closing, number: number, openedAt: openedAt, closedAt: closedAt)
            (alikeEnd, alikeSubject) = (closing, table[place])
        } else {
            printLone()
            alike = AlikeRun(first: number, shape: shape, isLone: true, closedAt: closedAt)
        }
    }

    /// When a conversation began and ended that may be one of several that are alike; nil where it may not.
    private func briefSpan(_ closing: Closing, _ eventPlace: Place, at place: Int) -> (Timestamp, Timestamp)? {
        // What is shown in full, or picked, is asked for.
        guard !settings.follows, !settings.isFull, !settings.showsFrames, !settings.showsHeaders, selection == nil,
            settings.conversations == nil, table[place].isBrief, let openedAt = table[place].openedAt,
            let closedAt = closing.endedAt ?? eventPlace.time, closing.client.missing == 0, closing.server.missing == 0,
            0...AlikeRun.longest ~= closedAt.nanoseconds(since: openedAt)
        else { return nil }
        return (openedAt, closedAt)
    }

    /// Prints what is kept of conversations that are alike: each where they are few, else one line.
    mutating func endAlike() {
        guard alike.count > 0 else {
            if alike.first > 0 { alike = AlikeRun() }
            return
        }
        let run = alike
        alike = AlikeRun()
        if settings.follows { return printEnds(run) }
        guard run.isMany, let end = alikeEnd, let subject = alikeSubject, let opened = run.opened else {
            for block in run.held { printWhole(block, isLone: run.isLone) }
            return
        }
        (alikeEnd, alikeSubject) = (nil, nil)
        var line = TextLine(width: settings.width, usesColor: settings.usesColor)
        if let terminal = settings.terminal { line.widen(to: terminal.columns) }
        line.isWhole = true
        line.ink(.strong)
        if let only = run.ranges.first, run.ranges.count == 1, only.lowerBound < 10 { line.append(" ") }
        line.append(numbersOf: run)
        line.ink(.plain)
        line.space(2)
        line.append(grouped: run.count)
        line.append(" more like conversation \(run.first) (")
        line.appendConversation(subject)
        line.append("), opened ")
        for (index, time) in [opened.first, opened.last].enumerated() {
            if index > 0 { line.append(" to ") }
            line.append { buffer in
                buffer.append(timeOfDay: clock.calendar(at: time.parts.seconds))
                buffer.append(0x2e)
                buffer.appendDigits(UInt64(bitPattern: time.parts.nanoseconds) / 1_000_000, width: 3)
            }
        }
        line.append(": ")
        if let reason = subject.reason {
            line.appendSentence(reason.finding, reason.text.rawBytes, most: TextLine.longestReason)
        } else {
            if run.isLone { line.append("nothing sent, ") }
            line.appendManner(end)
        }
        line.append(" after ", span: run.durations.least)
        line.append(" to ", span: run.durations.most)
        line.ink(.faint)
        line.append("; --full shows each")
        line.end()
        printWhole(line.buffer.bytes.copy, isLone: run.isLone)
    }
}

extension TextLine {
    /// The numbers of the conversations: `4-9,12`.
    mutating func append(numbersOf run: AlikeRun) {
        for (index, range) in run.ranges.prefix(AlikeRun.mostNamed).enumerated() {
            append("\(index > 0 ? "," : "")\(range.lowerBound)\(range.lowerBound < range.upperBound ? "-\(range.upperBound)" : "")")
        }
        if run.ranges.count > AlikeRun.mostNamed { append(",…") }
    }
}

extension TextConversation {
    /// What a heading says of it but its number, its client's port and its time.
    fileprivate var peers: [UInt8] {
        var bytes = Array("\(talk) \(requests) ".utf8)
        if let opening {
            bytes += Array(
                "\(opening.client.address) \(opening.server) \(opening.start) \(opening.roles) \(opening.processIdentifier.map { "\($0)" } ?? "") "
                    .utf8)
        }
        for name in [clientName, serverName, viaMode, processName, host, subject] { bytes += name + [0] }
        return bytes
    }
}
