import Dissection

/// Bytes of one side that come piece by piece, and what is known of them at the boundary of two pieces.
///
/// ```
/// told before          held back        the new piece
/// … "token":␣          "eyJhbGciO       iJIUzI1NiJ9…" }
/// ```
///
/// What may be the beginning of a secret is held back until the next piece, up to `SecretScan.mostHeld` bytes. A secret that is longer is hidden as far as
/// it has come, and so is all that follows of it.
struct RedactionRun {
    /// What a piece becomes.
    struct Piece {
        var bytes: [UInt8]
        var places: Int
        /// Bytes of the wire that it stands for.
        var length: Int
        var asksToLogIn = false
        /// Bytes that were looked at.
        var steps = 0

        /// Takes in the piece after it.
        mutating func append(_ next: Piece) {
            bytes += next.bytes
            places += next.places
            length += next.length
            asksToLogIn = asksToLogIn || next.asksToLogIn
            steps += next.steps
        }
    }

    /// What was told, as much as is needed to look back, and then what is held back.
    private var text: [UInt8] = []
    private var told = 0
    private var resume = 0
    /// The secret that goes on.
    private var open: ValueEnd?
    private var walk: JSONPathWalk?
    private var walkResume = 0

    /// Bytes of what was told that are kept.
    private static let context = SecretScan.mostContext + SecretNames.longest
    /// Bytes that are held back for the user's expressions: the line that is not whole, so much of it at most.
    private static let longestMatch = 1_024

    /// Bytes that are held back.
    var held: Int { text.count - told }
    var heldBytes: Int { text.capacity + MemoryLayout<RedactionRun>.stride }

    init() {}

    /// Forgets what it knows but for a secret that goes on.
    mutating func reset(keepsOpen: Bool) {
        let open = keepsOpen ? open : nil
        self = RedactionRun()
        self.open = open
    }

    /// - Parameters:
    ///   - isLast: nothing follows, and nothing is held back.
    ///   - isCut: what follows is missing.
    ///   - isHidden: all of it is secret, line by line.
    ///   - hidesAnswers: what follows a command that logs in, in the same bytes, is what it asks for: they are a client's.
    ///   - layout: of a message that has lengths in it, and is whole by itself: these fit what is left.
    mutating func take(
        _ bytes: [UInt8], as setting: SecretScan.Setting, _ rules: RedactionRules, isLast: Bool, isCut: Bool = false,
        isHidden: Bool = false,
        hidesAnswers: Bool = false,
        in layout: MessageLayout? = nil
    ) -> Piece {
        text += bytes
        let isEnd = isLast || isCut
        if isHidden { return hideAll(rules) }
        var scan = SecretScan(text, boundary: told, as: setting, isLast: isEnd, isCut: isCut, marks: rules.marks)
        let outcome = open.map { scan.scan(inside: $0, from: told) } ?? scan.scan(from: resume)
        var found = layout?.sparingNumbers(scan.found) ?? scan.found
        var settled = outcome.settled
        let mark = { [text] (range: Range<Int>) in rules.marks.mark(of: text[range]) }
        if hidesAnswers, let place = scan.loginPlace {
            found.merge(LoginAnswers.replacements(in: text, after: place, rules.marks), mark)
        }
        // What was hidden before is not found again.
        if !rules.searches.isEmpty {
            found.merge(rules.patterns(in: text, told..<text.count), mark)
            if !isEnd { settled = min(settled, lineStart) }
        }
        if !rules.paths.isEmpty { settled = min(settled, walkOn(rules, isEnd, &found, mark)) }
        // A secret is told whole or not at all.
        for item in found.items where item.range.contains(settled) && item.range.lowerBound < settled { settled = item.range.lowerBound }
        settled = max(settled, told)
        var now = Replacements()
        for item in found.items where item.range.upperBound <= settled && item.range.lowerBound >= told { now.add(item.range, item.text) }
        var places = now.items.count { !$0.text.isEmpty }
        if let layout, told == 0, settled == text.count, bytes.count == text.count {
            now = layout.fit(now, in: text, rules.marks)
            places = now.items.count { !$0.text.isEmpty }
            now = layout.withLengths(now)
        }
        let piece = Piece(
            bytes: now.apply(to: text, told..<settled), places: places, length: settled - told,
            asksToLogIn: scan.asksToLogIn, steps: scan.steps)
        if settled == outcome.settled {
            (open, resume) = (outcome.open, outcome.resume)
        } else {
            // From well before, so that what stands before a secret is seen again.
            (open, resume) = (nil, max(0, min(outcome.resume, settled - SecretScan.mostContext)))
        }
        told = settled
        isEnd ? reset(keepsOpen: true) : shorten(rules)
        return piece
    }

    /// Hides each line whole.
    private mutating func hideAll(_ rules: RedactionRules) -> Piece {
        var found = Replacements()
        var start = told
        while start < text.count {
            var end = start
            while end < text.count, text[end] != 0x0d, text[end] != 0x0a { end += 1 }
            if end > start { found.add(start..<end, rules.marks.mark(of: text[start..<end])) }
            start = end + 1
        }
        let piece = Piece(
            bytes: found.apply(to: text, told..<text.count), places: found.count, length: text.count - told, steps: text.count)
        reset(keepsOpen: false)
        return piece
    }

    /// Where the last line begins that is not whole, or the last bytes that a match may begin in.
    private var lineStart: Int {
        let floor = max(told, text.count - Self.longestMatch)
        var start = text.count
        while start > floor, text[start - 1] != 0x0a { start -= 1 }
        return start
    }

    /// Lets the paths take their part. Returns up to where they let the text be told.
    private mutating func walkOn(
        _ rules: RedactionRules, _ isEnd: Bool, _ found: inout Replacements, _ mark: (Range<Int>) -> [UInt8]
    ) -> Int {
        var walk = walk ?? JSONPathWalk(rules.paths)
        var here = pathItems
        let (settled, resume) = walk.walk(text, from: max(walkResume, 0), isLast: isEnd, rules.marks, into: &here)
        (self.walk, walkResume) = (walk, resume)
        pathItems = here
        found.merge(here, mark)
        return settled
    }

    /// What paths found that was not told yet: they do not look again.
    private var pathItems = Replacements()

    /// Drops what nobody looks back at.
    private mutating func shorten(_ rules: RedactionRules) {
        var start = min(told, resume)
        let floor = max(0, start - SecretScan.mostHeld)
        // White space may stand between a name and its colon.
        while start > floor, text[start - 1].isSpace { start -= 1 }
        start = max(0, start - Self.context)
        if !rules.paths.isEmpty { start = min(start, walkResume) }
        guard start > 0 || !pathItems.isEmpty else { return }
        text.removeFirst(start)
        var kept = Replacements()
        for item in pathItems.items where item.range.upperBound > told {
            kept.add(item.range.lowerBound - start..<item.range.upperBound - start, item.text)
        }
        pathItems = kept
        told -= start
        resume -= start
        walkResume -= start
    }
}
