import Dissection

/// A key of a kind of record whose keys are visited, as a place in them: what the display filter looks values up by.
package struct KeyRow: Sendable, Hashable {
    package let kind: FactKind
    private let number: Int

    /// Nil where the kind has no such key.
    ///
    /// - Parameter path: of the key, after those of the objects that it stands in: `ends.client`.
    package init?(_ kind: FactKind, _ path: String) {
        guard let number = KeyList.of(kind)?.keys.firstIndex(where: { $0.path == path }) else { return nil }
        self.kind = kind
        self.number = number
    }

    /// The value that an event of the kind has; nil of one that has none.
    package func value(of event: borrowing ConversationEvent) -> KeyValue? {
        var lookup = KeyLookup(number)
        lookup.visit(event.fact)
        return lookup.found
    }
}

extension FieldVisitor where Self: ~Copyable & ~Escapable {
    /// Visits the keys of a fact, of a kind that has rows.
    mutating func visit(_ fact: Fact) {
        switch fact {
        case .opened(var opening): opening.visit(&self)
        case .tls(var facts): facts.visit(&self)
        case .upgrade(var upgrade): upgrade.visit(&self)
        case .control(var frame): frame.visit(&self)
        case .gap(var gap): gap.visit(&self)
        case .closed(var closing): closing.visit(&self)
        case .request, .response, .body, .frame, .message, .ping, .pong, .close, .data, .finding: break
        }
    }
}

/// The keys of a kind, in the order of its records.
struct KeyList: FieldVisitor {
    private static let blanks: [Fact] = [
        .opened(.blank), .tls(.blank), .upgrade(.blank), .control(.blank), .gap(.blank), .closed(.blank),
    ]
    private static let lists = blanks.map { KeyList($0) }

    /// Nil for a kind that is written by hand.
    static func of(_ kind: FactKind) -> KeyList? { lists.first { $0.kind == kind } }

    /// The rows of a kind, those of objects after the objects that have them; not those that stand after payloads in other kinds.
    static func fields(of kind: FactKind) -> [Field] {
        var (fields, inner): ([Field], [Field]) = ([], [])
        let others = FieldTable.ofPayloads + FieldTable.afterPayloads
        for (path, field) in of(kind)?.keys ?? [] where !(others + inner).contains(where: { $0.isSame(as: field) }) {
            if path.contains(".") {
                inner.append(field)
            } else {
                if field.object == nil { (fields, inner) = (fields + inner, []) }
                fields.append(field)
            }
        }
        return fields + inner
    }

    private let kind: FactKind
    private(set) var keys: [(path: String, field: Field)] = []
    private var holder = ""

    private init(_ fact: Fact) {
        kind = fact.kind
        visit(fact)
    }

    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue {
        keys.append((holder + field.name, field))
        return value
    }

    mutating func begin(_ field: Field, isThere: Bool) -> Bool {
        keys.append((field.name, field))
        holder = field.name + "."
        return true
    }

    mutating func end() { holder = "" }
}

/// Finds the value of one key.
private struct KeyLookup: FieldVisitor {
    private var left: Int
    private var isAbsent = false
    private var texts: [KeyValue] = []
    private(set) var found: KeyValue?

    init(_ number: Int) { left = number }

    mutating func take(_ field: Field, _ value: KeyValue) -> KeyValue {
        defer { left -= 1 }
        guard left >= 0, !isAbsent, !value.isAbsent else { return value }
        switch value {
        case .latin1: if left == 0 { found = .latin1(texts) }
        case _ where left == 0: found = value
        case .text, .headers: texts.append(value)
        case .word, .label, .number, .seconds, .flag, .code, .address: break
        }
        return value
    }

    mutating func begin(_ field: Field, isThere: Bool) -> Bool {
        left -= 1
        isAbsent = !isThere
        return true
    }

    mutating func end() { isAbsent = false }
}
