import Dissection

/// One look at a text for what the defaults hide: from left to right, each secret found by what stands just before it (docs/redaction.md).
///
/// Nothing is parsed whole: a member of JSON is found by its name and colon wherever they stand, so that text that is broken, cut, or has JSON in a
/// string of JSON, in a form or behind other words hides it no less. What was found is passed over, and each look back and ahead is bounded, so that the
/// time is linear.
struct SecretScan {
    /// What the text is, where it matters.
    enum Setting {
        case text
        /// Bytes of a protocol that has no layer, or messages of one: its commands count.
        case commands
        /// application/x-www-form-urlencoded.
        case form
        /// The target of a request.
        case target
    }

    /// What comes of one thing that may be secret.
    enum Step {
        /// Go on at this byte.
        case on(Int)
        /// What follows has to be known. Up to the second byte, everything may be told; the first is where to look again.
        case more(from: Int, told: Int)
        /// A value goes on beyond what can be kept.
        case inside(ValueEnd, Int)
    }

    /// How it ended: what is before `settled` may be told, with its replacements.
    struct Outcome {
        var settled: Int
        /// Where to look again when more has come.
        var resume: Int
        /// The value that goes on at `settled`.
        var open: ValueEnd?
    }

    let text: [UInt8]
    /// The part of the text that is looked at; what stands before it is not seen.
    let bounds: Range<Int>
    let setting: Setting
    /// Nothing follows.
    let isLast: Bool
    /// What follows is missing: what may be the beginning of a secret counts as one.
    let isCut: Bool
    let marks: RedactionMark
    private(set) var found = Replacements()
    /// The text is what base64 stands for; base64 in it is not looked into.
    var isDecoded = false
    /// A login began that goes on in the lines after it.
    var asksToLogIn: Bool { loginPlace != nil }
    /// Where the first of them stands that begins one.
    var loginPlace: Int?
    /// Bytes that were looked at, for tests: linear in the text.
    private(set) var steps = 0
    private var boundary: Int

    /// Bytes of a value that is not whole that are kept until more comes, so that its mark stands for all of it.
    static let mostHeld = 4_096
    /// Bytes that are kept of what was told, to see what stands before.
    static let mostContext = 512

    /// - Parameters:
    ///   - boundary: what is before it has been told, and is only there to be looked back at.
    init(
        _ text: [UInt8], _ bounds: Range<Int>? = nil, boundary: Int = 0, as setting: Setting = .text, isLast: Bool = true,
        isCut: Bool = false,
        marks: RedactionMark
    ) {
        self.text = text
        self.bounds = bounds ?? 0..<text.count
        self.boundary = max(boundary, self.bounds.lowerBound)
        self.setting = setting
        self.isLast = isLast
        self.isCut = isCut
        self.marks = marks
    }

    var end: Int { bounds.upperBound }

    /// Looks at everything from a byte on.
    mutating func scan(from start: Int? = nil) -> Outcome {
        var index = max(bounds.lowerBound, start ?? bounds.lowerBound)
        let kinds = ByteKinds.all
        var passed = 0
        defer { count(passed) }
        var before: ByteKinds.Kind = index > bounds.lowerBound ? kinds[text[index - 1]] : []
        while index < end {
            passed += 1
            // Most bytes are of a word that was looked at where it began, or stand before nothing.
            let kind = kinds[text[index]]
            if kind.isDull || !kind.isSign && before.isOfWord {
                before = kind
                index += 1
                continue
            }
            switch step(at: index, text[index]) {
            case .on(let next):
                index = max(next, index + 1)
                before = kinds[text[index - 1]]
            case .more(let from, let told): return Outcome(settled: max(told, boundary), resume: from)
            case .inside(let value, let place): return Outcome(settled: max(place, boundary), resume: max(place, boundary), open: value)
            }
        }
        return Outcome(settled: end, resume: end)
    }

    /// Goes on inside of a value that earlier texts did not end.
    mutating func scan(inside value: ValueEnd, from start: Int) -> Outcome {
        var value = value
        switch value.find(in: text, from: start, to: end, isLast: isLast) {
        case .end(let place):
            steps += place - start
            if !value.isMarked, place > start { add(start..<place) } else { remove(start..<place) }
            return scan(from: place)
        case .open(let place):
            steps += place - start
            if !value.isMarked, place > start {
                add(start..<place)
                value.isMarked = true
            } else {
                remove(start..<place)
            }
            return Outcome(settled: place, resume: place, open: isLast && !isCut ? nil : value)
        }
    }

    private mutating func step(at index: Int, _ byte: UInt8) -> Step {
        switch byte {
        case 0x3a:
            return colon(at: index, to: index + 1, encoded: 0)
        case 0x3d: return assignment(at: index, to: index + 1, encoded: 0)
        case 0x3e: return element(at: index)
        case 0x2f: return schemeless(at: index)
        case 0x25: return encoded(at: index)
        case 0x5c: return escaped(at: index)
        case 0x2d: return privateKey(at: index)
        case _:
            guard byte.isOfWord, index == bounds.lowerBound || !text[index - 1].isOfWord else { return .on(index + 1) }
            return encodedValue(at: index) ?? word(at: index)
        }
    }

    /// What follows has to be seen, and nothing from here on is secret yet.
    func waits(_ index: Int) -> Step { .more(from: index, told: end) }

    /// `%3A` and `%3D`, encoded once or more often.
    private mutating func encoded(at index: Int) -> Step {
        // How often it is encoded, and what stands behind it, has to be seen.
        if !isLast, index + 40 > end { return .more(from: index, told: index) }
        guard let code = ValueEnd.encoded(text, index, end) else { return .on(index + 1) }
        switch code.byte {
        case 0x3d: return assignment(at: index, to: index + code.length, encoded: code.level)
        case 0x3a: return colon(at: index, to: index + code.length, encoded: code.level)
        case _: return .on(index + code.length)
        }
    }

    /// A colon, of a URL or behind a name.
    private mutating func colon(at index: Int, to behind: Int, encoded level: Int) -> Step {
        switch slashes(from: behind) {
        case .end(let start, let isEncoded):
            if let step = userinfo(behind: index, start, isEncoded: isEncoded || level > 0) { return step }
            if isLine(behind, "//") { return .on(start) }
        case .none: break
        case .unknown: return .more(from: index, told: behind)
        }
        return member(at: index, to: behind, encoded: level)
    }

    /// `\u003d` and `\u003a`, as some write `=` and `:` in JSON.
    private mutating func escaped(at index: Int) -> Step {
        if isBeginning(of: "\\u003d", index) { return waits(index) }
        guard isLine(index, "\\u003"), index + 6 <= end else { return .on(index + 1) }
        switch text[index + 5] | 0x20 {
        case 0x64: return assignment(at: index, to: index + 6, encoded: 0)
        case 0x61:
            switch slashes(from: index + 6) {
            case .end(let start, let isEncoded):
                return userinfo(behind: index, start, isEncoded: isEncoded) ?? .on(index + 6)
            case .none: return .on(index + 6)
            case .unknown: return .more(from: index, told: index + 6)
            }
        case _: return .on(index + 1)
        }
    }

    private mutating func privateKey(at index: Int) -> Step {
        guard index == bounds.lowerBound || text[index - 1] != 0x2d else { return .on(index + 1) }
        let opening: StaticString = "-----BEGIN "
        guard isLine(index, opening) else { return isBeginning(of: opening, index) ? .more(from: index, told: index) : .on(index + 1) }
        var position = index + opening.utf8CodeUnitCount
        let most = min(end, position + 40)
        while position < most, text[position] != 0x2d { position += 1 }
        if position == end, !isLast { return .more(from: index, told: index) }
        let label = text[index..<position]
        guard label.allSatisfy({ 0x20...0x5f ~= $0 }),
            label.suffix(4).elementsEqual(Array(" KEY".utf8)) || label.suffix(6).elementsEqual(Array(" BLOCK".utf8)),
            label.contains(sequence: Array("PRIVATE".utf8))
        else { return .on(position) }
        return value(from: index, .privateKey, lookedFor: index)
    }

    // MARK: - Values

    /// Hides what begins at a byte.
    ///
    /// - Parameters:
    ///   - inside: a byte up to which all belongs to it, whatever stands there.
    ///   - anchor: where to look again, where it is not whole.
    mutating func value(
        from start: Int, past inside: Int = 0, _ kind: ValueEnd.Kind, lookedFor anchor: Int, quotes: [UInt8] = []
    ) -> Step {
        var value = ValueEnd(kind)
        switch value.find(in: text, from: max(start, inside), to: end, isLast: isLast) {
        case .end(let place):
            steps += place - start
            if place > start { add(start..<place, quotes: quotes) }
            return .on(place)
        case .open(let place):
            steps += place - start
            if isLast {
                if end > start { add(start..<end, quotes: quotes) }
                // The lines of a key are messages, where lines are.
                if case .privateKey = kind {} else if !isCut { return .on(end) }
                value.isMarked = end > start
                return .inside(value, end)
            }
            if end - anchor <= SecretScan.mostHeld, start - anchor <= SecretScan.mostContext { return .more(from: anchor, told: start) }
            if place > start {
                add(start..<place, quotes: quotes)
                value.isMarked = true
            }
            return .inside(value, place)
        }
    }

    /// What says only yes, no or nothing.
    private static let plainWords = ["true", "false", "null", "True", "False", "None", "NULL", "nil"].map { Array($0.utf8) }

    /// Hides a range, unless it is a mark already, or says only yes, no or nothing.
    mutating func add(_ range: Range<Int>, quotes: [UInt8] = []) {
        let secret = text[range]
        guard !RedactionMark.isMark(secret), secret.count > 5 || !Self.plainWords.contains(Array(secret)) else { return }
        put(range, quotes + marks.mark(of: secret) + quotes)
    }

    /// Puts other bytes in the place of a range.
    mutating func put(_ range: Range<Int>, _ bytes: [UInt8]) {
        guard range.lowerBound >= boundary else { return }
        found.add(range, bytes)
        boundary = range.upperBound
    }

    private mutating func remove(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        put(range, [])
    }

    // MARK: - Looking around

    /// Whether these bytes stand here.
    func isLine(_ index: Int, _ words: StaticString) -> Bool {
        let words = words.bytes
        guard index >= bounds.lowerBound, index + words.byteCount <= end else { return false }
        for offset in 0..<words.byteCount where text[index + offset] != words[offset] { return false }
        return true
    }

    /// Whether the text may go on as these bytes.
    func isBeginning(of words: StaticString, _ index: Int) -> Bool {
        let words = words.bytes
        guard !isLast, end - index < words.byteCount else { return false }
        for offset in 0..<end - index where text[index + offset] | 0x20 != words[offset] | 0x20 { return false }
        return true
    }

    /// The first byte from here on that is no white space.
    mutating func skipSpaces(_ index: Int) -> Int {
        var index = index
        while index < end, text[index].isSpace { index += 1 }
        return index
    }

    mutating func count(_ bytes: Int) { steps += bytes }
}

extension ArraySlice<UInt8> {
    fileprivate func contains(sequence: [UInt8]) -> Bool {
        guard count >= sequence.count else { return false }
        return (startIndex...endIndex - sequence.count).contains { self[$0..<$0 + sequence.count].elementsEqual(sequence) }
    }
}
