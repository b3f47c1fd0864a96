import Dissection

/// A text in messages whose lengths are binary: a field, or a content that comes in several messages. Its secrets are overwritten in place.
///
/// ```
/// one message          the next
/// {"password":"hun     ter2","x":1}
/// {"password":"xxx     xxxx","x":1}
/// ```
///
/// Of a text that goes on only the end is kept, to look back at, and the value that was open there.
struct OverwrittenText {
    private var before: [UInt8] = []
    private var open: ValueEnd?

    /// Bytes of what came before that are kept.
    private static let context = SecretScan.mostContext + SecretNames.longest

    var heldBytes: Int { before.capacity }

    /// Overwrites the secrets of the next bytes of the text.
    ///
    /// - Parameters:
    ///   - range: where they are in a message.
    ///   - goesOn: the text does not end with them.
    /// - Returns: how many secrets were overwritten, and how many bytes were looked at.
    mutating func overwrite(
        _ range: Range<Int>, of bytes: inout [UInt8], as setting: SecretScan.Setting, _ rules: RedactionRules, goesOn: Bool
    ) -> (places: Int, steps: Int) {
        let start = before.count
        let text = before + bytes[range]
        var scan = SecretScan(text, as: setting, isLast: true, isCut: goesOn, marks: rules.marks)
        // A value of which nothing came yet is found again with what stands before it.
        let outcome = open.map { scan.scan(inside: $0, from: start) } ?? scan.scan()
        let found = all(scan.found, in: text, from: start, rules)
        var places = 0
        for item in found.items {
            let part = item.range.clamped(to: start..<text.count)
            guard !part.isEmpty else { continue }
            let isWhole = part == item.range && !(goesOn && part.upperBound == text.count)
            let new = MessageLayout.overwritten(part.count, like: isWhole ? item.text : [])
            guard !text[part].elementsEqual(new) else { continue }
            let place = range.lowerBound + part.lowerBound - start
            bytes.replaceSubrange(place..<place + part.count, with: new)
            places += 1
        }
        open = goesOn ? outcome.open.flatMap { $0.isMarked ? $0 : nil } : nil
        before = goesOn ? Array(text.suffix(Self.context)) : []
        return (places, scan.steps)
    }

    /// With what the user's expressions and paths find in what is new.
    private func all(_ found: Replacements, in text: [UInt8], from start: Int, _ rules: RedactionRules) -> Replacements {
        var all = found
        let mark = { (range: Range<Int>) in rules.marks.mark(of: text[range]) }
        if !rules.searches.isEmpty { all.merge(rules.patterns(in: text, start..<text.count), mark) }
        if !rules.paths.isEmpty {
            var (walk, here) = (JSONPathWalk(rules.paths), Replacements())
            _ = walk.walk(text, from: start, isLast: true, rules.marks, into: &here)
            all.merge(here, mark)
        }
        return all
    }
}
