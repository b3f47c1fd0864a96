import Sessions

/// What a request asks for.
enum Route: Sendable {
    case asset(String)
    case state
    case makeView
    case rows(view: String, from: Int64, count: Int64)
    case position(view: String, of: Int64)
    case timeline(view: String, buckets: Int64)
    case statistics(view: String)
    case closeView(String)
    case conversations(from: Int64, count: Int64, by: ConversationOrder, isDescending: Bool, match: String)
    case conversation(Int64)
    case page(Int64, isRedacted: Bool)
    case record(Int64)
    case differences(Int64, Int64, areConversations: Bool)
    case payload(Int64, from: Int64, count: Int64)
    case complete
    case notes
    case addNote
    /// Only a WebSocket is to be had there.
    case live

    /// Why there is nothing to be had.
    enum Problem: Error, Equatable {
        case unknown
        /// The methods that there are.
        case method(String)
        /// A sentence about the query.
        case query(String)
    }

    /// The files of the page, for which no token is needed.
    var isOpenToAll: Bool { if case .asset = self { true } else { false } }

    /// Whether all records of a view may have to be read for it.
    var takesLong: Bool {
        switch self {
        case .timeline, .statistics, .notes, .addNote, .page, .differences: true
        case _: false
        }
    }

    /// Whether it is responded to with what is in the session file.
    var showsFile: Bool {
        switch self {
        case .state, .addNote: false
        case _: true
        }
    }

    /// - Parameter method: of HTTP.
    init(_ method: String, _ target: RequestTarget) throws(Problem) {
        let path = target.path
        guard path.first == "api" else {
            guard path.count == 1 else { throw .unknown }
            let name = path[0].isEmpty ? "index.html" : path[0]
            guard Assets.file(named: name) != nil else { throw .unknown }
            guard method == "GET" || method == "HEAD" else { throw .method("GET, HEAD") }
            self = .asset(name)
            return
        }
        func number(_ name: String, _ standard: Int64) throws(Problem) -> Int64 {
            guard let value = target.number(name, standard: standard) else { throw .query("\(name) has to be a number from 0") }
            return value
        }
        func id(_ text: String) throws(Problem) -> Int64 {
            guard let value = Int64(text), value > 0 else { throw .unknown }
            return value
        }
        let verb: String
        switch (path.dropFirst().first, path.count) {
        case ("state", 2): (self, verb) = (.state, "GET")
        case ("live", 2): (self, verb) = (.live, "GET")
        case ("views", 2): (self, verb) = (.makeView, "POST")
        case ("complete", 2): (self, verb) = (.complete, "POST")
        case ("notes", 2):
            guard method == "GET" || method == "POST" else { throw .method("GET, POST") }
            (self, verb) = (method == "GET" ? .notes : .addNote, method)
        case ("statistics", 2):
            guard let view = target["view"] else { throw .query("view has to be the name of a view") }
            (self, verb) = (.statistics(view: view), "GET")
        case ("conversations", 2):
            guard let order = ConversationOrder(rawValue: target["sort"] ?? "number") else {
                throw .query("sort has to be one of those documented")
            }
            (self, verb) = (
                .conversations(
                    from: try number("from", 0), count: try number("count", 100), by: order, isDescending: target["order"] == "down",
                    match: target["match"] ?? ""), "GET"
            )
        case ("conversations", 3): (self, verb) = (.conversation(try id(path[2])), "GET")
        case ("conversations", 4) where path[3] == "page":
            (self, verb) = (.page(try id(path[2]), isRedacted: try number("redact", 0) > 0), "GET")
        case ("differences", 3) where path[2] == "rows" || path[2] == "conversations":
            let (old, new) = (try number("old", 0), try number("new", 0))
            (self, verb) = (.differences(old, new, areConversations: path[2] == "conversations"), "GET")
        case ("records", 3): (self, verb) = (.record(try id(path[2])), "GET")
        case ("payloads", 3):
            (self, verb) = (.payload(try id(path[2]), from: try number("from", 0), count: try number("count", 65_536)), "GET")
        case ("views", 4):
            switch path[3] {
            case "rows":
                (self, verb) = (.rows(view: path[2], from: try number("from", 0), count: try number("count", 100)), "GET")
            case "position": (self, verb) = (.position(view: path[2], of: try number("id", 0)), "GET")
            case "timeline": (self, verb) = (.timeline(view: path[2], buckets: try number("buckets", 500)), "GET")
            case "close": (self, verb) = (.closeView(path[2]), "POST")
            case _: throw .unknown
            }
        case _: throw .unknown
        }
        guard method == verb else { throw .method(verb) }
    }
}
