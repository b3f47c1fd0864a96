import Dissection

/// One place at which two elements differ.
package struct ContentDifference: Sendable {
    /// A JSON path such as `$.user.name`, or `method`, `status`, `target`, `header Accept`, `text`, `bytes`.
    package var path: String
    /// Nil where there is nothing.
    package var old: String?
    package var new: String?

    /// The path with `[*]` for each index, by which changes are grouped.
    var group: String {
        var group = ""
        var isIndex = false
        for character in path {
            if character == "[" { group += "[*" }
            if character == "]" { isIndex = false }
            if !isIndex, character != "[" { group.append(character) }
            if character == "[" { isIndex = true }
        }
        return group
    }

    /// Differences of one pair that are looked for.
    private static let most = 200
    /// Characters of a value that are shown.
    private static let shown = 60

    /// What differs between two elements that are taken for the same one.
    static func all(_ old: RecordedElement, _ new: RecordedElement, _ settings: ComparisonSettings) -> [ContentDifference] {
        var found: [ContentDifference] = []
        if old.title != new.title { compareTitles(old, new, into: &found) }
        compareFields(old, new, into: &found)
        if old.content == new.content, old.length == new.length, old.isWhole { return found }
        if old.isWhole, new.isWhole, let left = ContentKeys.json(old.content.rawBytes), let right = ContentKeys.json(new.content.rawBytes) {
            compare(left, right, "$", settings, into: &found)
            let (leftStart, rightStart) = (
                ContentKeys.jsonStart(old.content.rawBytes) ?? 0, ContentKeys.jsonStart(new.content.rawBytes) ?? 0
            )
            if old.content[..<leftStart] != new.content[..<rightStart] {
                found.append(
                    ContentDifference(
                        path: "prefix", old: words(Array(old.content[..<leftStart])), new: words(Array(new.content[..<rightStart]))))
            }
            return found
        }
        found.append(ofTexts(old, new))
        return found
    }

    private static func compareTitles(_ old: RecordedElement, _ new: RecordedElement, into found: inout [ContentDifference]) {
        let (left, right) = (old.title.split(separator: " ", maxSplits: 1), new.title.split(separator: " ", maxSplits: 1))
        guard old.kind == .request, left.count == 2, right.count == 2 else {
            found.append(ContentDifference(path: old.kind == .close ? "code" : "status", old: old.title, new: new.title))
            return
        }
        if left[0] != right[0] { found.append(ContentDifference(path: "method", old: String(left[0]), new: String(right[0]))) }
        if left[1] != right[1] { found.append(ContentDifference(path: "target", old: String(left[1]), new: String(right[1]))) }
    }

    private static func compareFields(_ old: RecordedElement, _ new: RecordedElement, into found: inout [ContentDifference]) {
        let (left, right) = (Dictionary(grouping: old.fields, by: \.name), Dictionary(grouping: new.fields, by: \.name))
        for name in Set(left.keys).union(right.keys).sorted() where found.count < most {
            let (one, other) = (left[name]?.map(\.value).joined(separator: ", "), right[name]?.map(\.value).joined(separator: ", "))
            if one != other {
                found.append(
                    ContentDifference(
                        path: "header \(name)", old: one.map { words(Array($0.utf8)) }, new: other.map { words(Array($0.utf8)) }))
            }
        }
    }

    private static func compare(
        _ old: JSONValue, _ new: JSONValue, _ path: String, _ settings: ComparisonSettings, into found: inout [ContentDifference]
    ) {
        guard found.count < most, !settings.ignores(path) else { return }
        switch (old, new) {
        case (.object(let left), .object(let right)):
            let (before, after) = (members(left), members(right))
            for (name, value) in before.sorted(by: { $0.key < $1.key }) {
                let inner = "\(path).\(name)"
                if let other = after[name] {
                    compare(value, other, inner, settings, into: &found)
                } else if !settings.ignores(inner) {
                    found.append(ContentDifference(path: inner, old: value.words, new: nil))
                }
            }
            for (name, value) in after.sorted(by: { $0.key < $1.key }) where before[name] == nil && !settings.ignores("\(path).\(name)") {
                found.append(ContentDifference(path: "\(path).\(name)", old: nil, new: value.words))
            }
        case (.array(let left), .array(let right)):
            for index in 0..<min(left.count, right.count) {
                compare(left[index], right[index], "\(path)[\(index)]", settings, into: &found)
            }
            for index in right.count..<max(left.count, right.count) where !settings.ignores("\(path)[\(index)]") && found.count < most {
                found.append(ContentDifference(path: "\(path)[\(index)]", old: left[index].words, new: nil))
            }
            for index in left.count..<max(left.count, right.count) where !settings.ignores("\(path)[\(index)]") && found.count < most {
                found.append(ContentDifference(path: "\(path)[\(index)]", old: nil, new: right[index].words))
            }
        case (_, _):
            if !old.isEqual(new) { found.append(ContentDifference(path: path, old: old.words, new: new.words)) }
        }
    }

    /// Of several members with one name the last counts.
    private static func members(_ members: [JSONValue.Member]) -> [String: JSONValue] {
        Dictionary(members.map { (String(decoding: $0.name, as: UTF8.self).visible, $0.value) }) { $1 }
    }

    private static func ofTexts(_ old: RecordedElement, _ new: RecordedElement) -> ContentDifference {
        let common = zip(old.content, new.content).prefix { $0 == $1 }.count
        if common > 0, common == min(old.content.count, new.content.count), !old.isWhole || !new.isWhole {
            return ContentDifference(path: "what follows the first \(common) bytes", old: "\(old.length) B", new: "\(new.length) B")
        }
        let areTexts = (old.content + new.content).allSatisfy { $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
        guard areTexts, !old.content.isEmpty || !new.content.isEmpty else {
            return ContentDifference(path: "bytes", old: "\(old.length) B", new: "\(new.length) B")
        }
        // From a little before the first difference on.
        let start = max(0, common - 20)
        func part(_ element: RecordedElement) -> String {
            guard !element.content.isEmpty || element.length == 0 else { return "\(element.length) B" }
            return (start > 0 ? "…" : "") + words(Array(element.content.dropFirst(start)))
        }
        return ContentDifference(path: "text", old: part(old), new: part(new))
    }

    /// The first characters of a text, in quotes.
    static func words(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes.prefix(4 * shown), as: UTF8.self).visible
        return "\"" + text.prefix(shown) + (text.count > shown || bytes.count > 4 * shown ? "…" : "") + "\""
    }
}

extension ComparisonSettings {
    func ignores(_ path: String) -> Bool { !ignoredPaths.isEmpty && path.withBytes { ignoredPaths.matches($0) } }
}

extension JSONValue {
    /// The value in a few words.
    fileprivate var words: String {
        switch self {
        case .null: "null"
        case .boolean(let truth): truth ? "true" : "false"
        case .number(let digits): String(decoding: digits.prefix(60), as: UTF8.self)
        case .string(let text): ContentDifference.words(text)
        case .array(let values): UInt64(values.count).counted("element")
        case .object(let members): UInt64(members.count).counted("member")
        }
    }

    /// Of two values that are not both objects or both arrays.
    fileprivate func isEqual(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let left), .boolean(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (_, _): false
        }
    }
}
