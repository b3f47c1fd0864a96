import Query
import Reports

/// What a page wants to see of the records.
struct ViewRequest: Sendable {
    /// Why a request cannot be met, as the page shows it.
    struct Problem: Error {
        var words: String
        /// Of the filter: the first character that is wrong, from 1, and how many are.
        var column: Int?
        var length: Int?
    }

    /// As the file numbers it; nil for all.
    var conversation: Int64?
    var filter: DisplayFilter?
    var search: PatternText?
    var showsHeartbeats = true
    /// In nanoseconds since 1970; both moments count as inside.
    var since: Int64?
    var until: Int64?
    /// What the peers said alone: no findings, nothing about connections.
    var messagesAlone = false

    /// The kinds of records that say what a peer said.
    static let messageKinds: Set<String> = ["message", "request", "response", "body", "data", "ping", "pong", "close"]

    init() {}

    /// - Parameter body: The JSON of the request.
    init(_ body: JSONValue) throws(Problem) {
        guard case .object = body else { throw Problem(words: "the body has to be an object") }
        if let number = body["conversation"], !number.isNull {
            guard let value = number.unsigned.flatMap(Int64.init(exactly:)), value > 0 else {
                throw Problem(words: "conversation has to be a number from 1, or null")
            }
            conversation = value
        }
        let expression = try Self.text(body["filter"], "filter")
        if expression.contains(where: { !$0.isWhitespace }) {
            do { filter = try DisplayFilter(expression) } catch {
                let question = error.nearest.map { "; did you mean \($0)?" } ?? ""
                throw Problem(words: error.message + question, column: error.columns.lowerBound + 1, length: error.columns.count)
            }
        }
        let sought = try Self.text(body["search"], "search")
        if !sought.isEmpty {
            do { search = try PatternText(Self.literal(sought), ignoresCase: true) } catch {
                throw Problem(words: "the search cannot be used: \(error)")
            }
        }
        if let value = body["heartbeats"], !value.isNull {
            guard let truth = value.boolean else { throw Problem(words: "heartbeats has to be true or false") }
            showsHeartbeats = truth
        }
        since = try Self.moment(body["since"], "since")
        until = try Self.moment(body["until"], "until")
        switch try Self.text(body["kinds"], "kinds") {
        case "", "all": break
        case "messages": messagesAlone = true
        case _: throw Problem(words: "kinds has to be messages or all")
        }
    }

    /// Whether it is all records, so that no list of them is needed.
    var isEverything: Bool { conversation == nil && !hasConditions }

    /// Whether some records of those that it is about are left out.
    var hasConditions: Bool { needsEvents || since != nil || until != nil || messagesAlone }

    /// Whether records have to be read for it, rather than their columns.
    var needsEvents: Bool { filter != nil || search != nil || !showsHeartbeats }

    private static func text(_ value: JSONValue?, _ name: String) throws(Problem) -> String {
        guard let value, !value.isNull else { return "" }
        guard let bytes = value.string else { throw Problem(words: "\(name) has to be a text") }
        guard bytes.count <= 65_536 else { throw Problem(words: "\(name) is longer than 65536 bytes") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Digits in a text, or a number.
    private static func moment(_ value: JSONValue?, _ name: String) throws(Problem) -> Int64? {
        guard let value, !value.isNull else { return nil }
        let number = value.string.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } ?? value.unsigned.flatMap(Int64.init(exactly:))
        guard let number else { throw Problem(words: "\(name) has to be nanoseconds since 1970, or null") }
        return number
    }

    /// A regular expression that matches nothing but the text.
    private static func literal(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isASCII, !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}

extension JSONValue {
    var isNull: Bool { if case .null = self { true } else { false } }
}
