/// The search for the next start line in bytes that may be anything, each of which is looked at once, however they are cut.
///
/// Candidates of three kinds run beside each other, and a byte takes each of them one step further:
///
/// ```
/// a line     after a line feed or at the beginning: any method, a target, and a version up to the end of the line
/// a word     anywhere: METHOD target HTTP/1.x and CR LF, no space inside the target. At most one of them reads
///            its method, one its target and one its version, because a space takes all of them further.
/// a status   anywhere: HTTP/1.x 200, a reason perhaps, and the line end
/// ```
///
/// What one of them becomes at the end of its line is believed when what follows bears it out, see `HeadCandidate`.
package struct StartLineSearch {
    package struct Found: Equatable {
        /// Where the start line begins, counted as `taken` is.
        package var start: Int
        package var isRequest: Bool
    }

    /// Kinds of start lines that are looked for.
    package struct Wanted: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let request = Wanted(rawValue: 1)
        package static let status = Wanted(rawValue: 2)
    }

    private let wanted: Wanted
    /// Bytes that were looked at.
    package private(set) var taken = 0
    /// How often a byte was looked at, for tests of what the search costs.
    package private(set) var steps = 0
    /// The first byte of all, or the first after a gap.
    private var origin = 0
    /// The byte before; a line feed where nothing is known to be before.
    private var previous: UInt8 = 0x0A
    private var line: Int?
    /// Where the target of `line` begins.
    private var lineTarget: Int?
    private var method: Int?
    private var target: Int?
    private var targetCount = 0
    private var version: Int?
    private var versionCount = 0
    private var status: Int?
    /// `status` stands at the beginning of a line.
    private var statusIsLine = false
    /// A whole start line, and what followed it so far. A later one inside it is refuted by what refutes the first, so one is
    /// enough.
    private var head: HeadCandidate?

    package init(_ wanted: Wanted) { self.wanted = wanted }

    /// The first byte that may belong to a start line that is not whole, or not borne out, yet; `taken` where there is none.
    package var pending: Int {
        var first = taken
        if let line, line < first { first = line }
        if let version, version < first { first = version }
        if let target, target < first { first = target }
        if let method, method < first { first = method }
        if let status, status < first { first = status }
        if let head, head.start < first { first = head.start }
        return first
    }

    /// A whole start line waits to be borne out.
    package var hasStartLine: Bool { head != nil }

    /// Bytes are missing here, or no more will come: a start line that came first of all, and that nothing has refuted, is
    /// believed, because a head that is cut is shown as far as it came. One that is the last line of others may be a line of
    /// a log. Everything else that has begun will not be completed. What follows may begin a line.
    package mutating func conclude() -> Found? {
        var found: Found?
        if let head, head.start == origin, !head.isInLine {
            found = Found(start: head.start, isRequest: head.isRequest)
        } else if head == nil, let status, status == origin, statusIsLine, taken - status > StatusPattern.length {
            found = Found(start: status, isRequest: false)
        }
        restart()
        return found
    }

    /// Bytes are missing here: what has begun will not be completed, and what follows may begin a line.
    package mutating func restart() {
        (line, lineTarget, method, target, version, status, head) = (nil, nil, nil, nil, nil, nil, nil)
        origin = taken
        previous = 0x0A
    }

    /// Looks on, up to the end of `bytes` or to a start line.
    ///
    /// - Parameter base: of how many bytes taken `bytes[0]` was the next; not behind `pending`.
    package mutating func advance(over bytes: RawSpan, base: Int) -> Found? {
        while taken - base < bytes.byteCount {
            let byte = bytes[taken - base]
            steps += 1
            var found: Found?
            if var candidate = head {
                switch candidate.take(byte, previous: previous) {
                case .goesOn: head = candidate
                case .borneOut: found = Found(start: candidate.start, isRequest: candidate.isRequest)
                case .refuted: head = nil
                }
            }
            if wanted.contains(.request) {
                if let start = takeLine(byte, bytes, base) {
                    propose(HeadCandidate(start: start, isRequest: true, isInLine: false))
                    _ = takeWord(byte)
                } else if let word = takeWord(byte), let start = requestStart(of: word, bytes, base) {
                    propose(HeadCandidate(start: start, isRequest: true, isInLine: true))
                }
            }
            if wanted.contains(.status), let start = takeStatus(byte) {
                propose(HeadCandidate(start: start, isRequest: false, isInLine: !statusIsLine))
            }
            previous = byte
            taken += 1
            if let found {
                restart()
                previous = byte
                return found
            }
        }
        return nil
    }

    /// A start line is whole. The first of two on one line counts.
    private mutating func propose(_ candidate: HeadCandidate) {
        if let head, head.start <= candidate.start { return }
        head = candidate
    }

    // MARK: - Lines

    /// A line is judged as a whole at its line feed, as the layer does where a start line is due.
    private mutating func takeLine(_ byte: UInt8, _ bytes: RawSpan, _ base: Int) -> Int? {
        guard let start = line else {
            if previous == 0x0A, byte.isTokenCharacter { (line, lineTarget) = (taken, nil) }
            return nil
        }
        if lineTarget == nil {
            if byte == 0x20 {
                lineTarget = taken + 1
            } else if !byte.isTokenCharacter || taken - start >= HTTP1StartLine.longestMethod {
                line = nil
            }
            return nil
        }
        guard byte == 0x0A else {
            if taken - start >= HTTP1Lines.longestStartLine { line = nil }
            return nil
        }
        line = nil
        steps += taken - start
        let request = RequestLine(bytes, from: start - base, lineFeed: taken - base)
        guard HTTP1Lines.isRequest(request, bytes) else { return nil }
        // The end of a body whose beginning was not seen may stand right before it.
        return start == origin ? registeredEnd(of: request.method, bytes).map { $0 + base } ?? start : start
    }

    /// Where a method that there is begins inside of a word that is none; nil where it does not end with one.
    private mutating func registeredEnd(of word: ByteRange, _ bytes: RawSpan) -> Int? {
        guard !HTTP1Methods.isRegistered(bytes, word) else { return nil }
        var start = word.start + 1
        while start + 3 <= word.end {
            steps += 1
            if HTTP1Methods.isRegistered(bytes, ByteRange(start..<word.end)) { return start }
            start += 1
        }
        return nil
    }

    // MARK: - Words

    /// Where the request of a word begins, which is judged like one that has a line of its own. Letters that stand right before a method
    /// that there is belong to what was before it, as the port 80 of SOCKS does, whose last byte is a `P`.
    private mutating func requestStart(of word: Int, _ bytes: RawSpan, _ base: Int) -> Int? {
        let line = RequestLine(bytes, from: word - base, lineFeed: taken - base)
        if let start = registeredEnd(of: line.method, bytes) { return start + base }
        steps += line.method.count
        return HTTP1Lines.isRequest(line, bytes) ? word : nil
    }

    private mutating func takeWord(_ byte: UInt8) -> Int? {
        if let start = version {
            if versionCount < VersionPattern.length {
                if VersionPattern.accepts(byte, at: versionCount) { versionCount += 1 } else { version = nil }
            } else if byte == 0x0A, versionCount > VersionPattern.length {
                version = nil
                return start
            } else if byte == 0x0D, versionCount == VersionPattern.length {
                versionCount += 1
            } else {
                version = nil
            }
        }
        if byte == 0x20 {
            if let start = target, targetCount > 0 { (version, versionCount) = (start, 0) }
            target = nil
            if let start = method, taken - start >= 3 { (target, targetCount) = (start, 0) }
            method = nil
            return nil
        }
        if let start = target {
            targetCount += 1
            if byte < 0x20 || byte == 0x7F || taken - start >= HTTP1Lines.longestStartLine { target = nil }
        }
        guard HTTP1Lines.isMethodByte(byte) else {
            method = nil
            return nil
        }
        if !HTTP1Lines.isMethodByte(previous) {
            method = taken
        } else if let start = method, taken - start >= 32 {
            method = nil
        }
        return nil
    }

    // MARK: - Status lines

    private mutating func takeStatus(_ byte: UInt8) -> Int? {
        if let start = status {
            let index = taken - start
            if index < StatusPattern.length {
                if StatusPattern.accepts(byte, at: index) { return nil }
            } else if index == StatusPattern.length {
                if byte == 0x20 || byte == 0x0D { return nil }
                if byte == 0x0A, statusIsLine {
                    status = nil
                    return start
                }
            } else if byte == 0x0A {
                // In the middle of a line the end has to be as it should.
                status = nil
                return statusIsLine || previous == 0x0D ? start : nil
            } else if previous != 0x0D, index < HTTP1Lines.longestStartLine, byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0D {
                return nil
            }
            status = nil
        }
        if byte == UInt8(ascii: "H") {
            status = taken
            statusIsLine = previous == 0x0A
        }
        return nil
    }
}
