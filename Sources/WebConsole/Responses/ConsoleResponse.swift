import Reports

/// What the console says to a request: a status, a type and bytes.
struct ConsoleResponse: Sendable {
    var status: Int
    var type: String
    var body: [UInt8]
    /// Header fields beside those that every response has.
    var fields: [(name: String, value: String)] = []
    /// What it carries comes from peers: a browser that shows it all the same runs nothing of it.
    var isSandboxed = false

    static let json = "application/json; charset=utf-8"

    init(status: Int = 200, type: String = ConsoleResponse.json, body: [UInt8]) {
        (self.status, self.type, self.body) = (status, type, body)
    }

    /// An object.
    static func object(status: Int = 200, _ members: (inout JSONComposer) -> Void) -> ConsoleResponse {
        var composer = JSONComposer(isCompact: true)
        composer.object(members)
        return ConsoleResponse(status: status, body: composer.finish())
    }

    /// An error, as one sentence.
    ///
    /// - Parameters:
    ///   - column: Of what was sent, the first character that is wrong, from 1.
    ///   - length: How many are.
    static func error(_ status: Int, _ sentence: String, column: Int? = nil, length: Int? = nil) -> ConsoleResponse {
        object(status: status) { object in
            object.member("error", sentence.visible)
            if let column { object.member("column", Int64(column)) }
            if let length { object.member("length", Int64(length)) }
        }
    }

    static let noSuchThing = error(404, "there is nothing of this name")
}
