import Dissection

/// Walks through JSON in a text, through as many pieces as it comes in, and hides the values that paths lead to.
///
/// The JSON begins at the first `{` or `[`, whatever stands before it, and after its end another may follow: so lines of JSON, server-sent events and
/// messages of Socket.IO are walked through as well. What is no JSON leads nowhere.
struct JSONPathWalk {
    private struct Level {
        /// The steps of paths that lead here.
        let reached: UInt64
        let isObject: Bool
        var place = 0
    }

    private enum Awaited { case value(UInt64), name, colon(UInt64), comma }

    private let paths: JSONPaths
    private var levels: [Level] = []
    /// Levels beyond the most.
    private var beyond = 0
    private var awaited = Awaited.comma
    /// A string that nobody asks for, or a value that is hidden already.
    private var passed: ValueEnd?

    /// More than readers of JSON follow (`JSONCursor.mostLevels`), because text that is too deep for them is shown all the same.
    private static let mostLevels = 256
    private static let longestName = 1_024

    init(_ paths: JSONPaths) { self.paths = paths }

    /// Walks on.
    ///
    /// - Returns: Up to where the text may be told, and where to walk on from.
    mutating func walk(
        _ text: [UInt8], from start: Int, isLast: Bool, _ marks: RedactionMark, into found: inout Replacements
    ) -> (settled: Int, resume: Int) {
        let end = text.count
        var index = start
        while index < end {
            if var value = passed {
                switch value.find(in: text, from: index, to: end, isLast: isLast) {
                case .end(let place):
                    if value.isMarked { hide(index..<place, text, nil, into: &found) }
                    passed = nil
                    index = place
                    if case .quoted = value.kind { index += 1 }
                case .open(let place):
                    if value.isMarked { hide(index..<place, text, nil, into: &found) }
                    passed = value
                    return (place, place)
                }
                continue
            }
            let byte = text[index]
            switch (awaited, byte) {
            case (_, _) where byte.isSpace: index += 1
            case (.value(let reached), _) where paths.isEnd(reached) && ![0x2c, 0x5d, 0x7d].contains(byte):
                let isString = byte == 0x22
                let kind: ValueEnd.Kind =
                    isString ? .quoted(by: 0x22, level: 0) : byte == 0x7b || byte == 0x5b ? .nested(level: 0) : .literal
                let first = isString ? index + 1 : index
                var value = ValueEnd(kind)
                switch value.find(in: text, from: first, to: end, isLast: isLast) {
                case .end(let place):
                    hide(first..<place, text, (marks, isString), into: &found)
                    index = isString ? place + 1 : max(place, index + 1)
                case .open(let place):
                    if !isLast, end - index <= SecretScan.mostHeld { return (index, index) }
                    hide(first..<place, text, (marks, isString), into: &found)
                    value.isMarked = true
                    (passed, awaited) = (value, .comma)
                    if !isLast { return (place, place) }
                    index = end
                    continue
                }
                awaited = .comma
            case (.name, 0x22):
                var name = ValueEnd(.quoted(by: 0x22, level: 0))
                guard case .end(let close) = name.find(in: text, from: index + 1, to: end, isLast: isLast), let level = levels.last else {
                    if !isLast, end - index <= Self.longestName { return (end, index) }
                    (passed, awaited) = (ValueEnd(.quoted(by: 0x22, level: 0)), .colon(0))
                    index += 1
                    continue
                }
                awaited = .colon(paths.member(level.reached, text.rawBytes.extracting(index + 1..<close).unescapedJSON))
                index = close + 1
            case (.colon(let reached), 0x3a):
                awaited = .value(reached)
                index += 1
            case (_, 0x7b), (_, 0x5b):
                open(isObject: byte == 0x7b)
                index += 1
            case (_, 0x7d), (_, 0x5d):
                close()
                index += 1
            case (_, 0x2c):
                separate()
                index += 1
            case (_, 0x22) where !levels.isEmpty:
                (passed, awaited) = (ValueEnd(.quoted(by: 0x22, level: 0)), .comma)
                index += 1
            case (_, _): index += 1
            }
        }
        return (max(index, end), max(index, end))
    }

    private mutating func open(isObject: Bool) {
        var reached: UInt64 = levels.isEmpty ? paths.first : 0
        if case .value(let here) = awaited { reached = here }
        guard levels.count < Self.mostLevels else { return beyond += 1 }
        levels.append(Level(reached: reached, isObject: isObject))
        awaited = isObject ? .name : .value(paths.element(reached, 0))
    }

    private mutating func close() {
        awaited = .comma
        if beyond > 0 { return beyond -= 1 }
        _ = levels.popLast()
    }

    private mutating func separate() {
        guard beyond == 0, var level = levels.popLast() else { return }
        level.place += 1
        levels.append(level)
        awaited = level.isObject ? .name : .value(paths.element(level.reached, level.place))
    }

    /// Hides a range: with its mark, or as what goes on behind one.
    private func hide(_ range: Range<Int>, _ text: [UInt8], _ mark: (RedactionMark, isString: Bool)?, into found: inout Replacements) {
        guard !range.isEmpty, !RedactionMark.isMark(text[range]) else { return }
        guard let (marks, isString) = mark else { return found.add(range, []) }
        found.add(range, isString ? marks.mark(of: text[range]) : [0x22] + marks.mark(of: text[range]) + [0x22])
    }
}
