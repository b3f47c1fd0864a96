import Reports
import Sessions

/// One line that says what a record is: for a list.
struct RowText {
    /// At most so many characters.
    private static let most = 200

    let text: String
    /// Of a finding.
    var severity: String?
    /// What kind of payload it has, or what kind of frame it is.
    var form: String?
    /// Bytes of the payload, where the record has one.
    var length: UInt64?

    /// - Parameter words: What a message says in the words of its format.
    init(_ row: StoredRow, words: String? = nil) {
        var said = ""
        let json = row.json.isEmpty ? nil : JSONValue(row.json, mostLevels: 3)
        func word(_ key: StaticString) -> String? { json?[key]?.string.map { String(decoding: $0, as: UTF8.self) } }
        func number(_ key: StaticString) -> UInt64? { json?[key]?.unsigned }
        func end(_ key: StaticString) -> String {
            guard let end = json?[key], let address = end["address"]?.string else { return "?" }
            let host = end["name"]?.string ?? address
            let text = String(decoding: host, as: UTF8.self)
            return (text.contains(":") ? "[\(text)]" : text) + (end["port"]?.unsigned.map { ":\($0)" } ?? "")
        }
        length = row.length ?? number("length")
        if length == nil, row.form != .absent { length = UInt64(row.stored) }
        switch row.kind {
        case "message":
            form = row.opcode == 1 ? "text" : row.opcode == 2 ? "binary" : row.form == .binary ? "binary" : "text"
            said = words ?? Self.payload(row)
        case "ping", "pong", "close":
            form = row.kind
            // As the text has a Close frame: code, name, reason.
            let given = word("reason") ?? Self.payload(row)
            let reason = given.isEmpty || row.kind != "close" ? given : "\"\(given)\""
            let code = [number("code").map(String.init), word("name")].compactMap(\.self).joined(separator: " ")
            said = [code, reason].filter { !$0.isEmpty }.joined(separator: ": ")
        case "body", "data":
            form = row.form == .text ? "text" : row.form == .binary ? "binary" : nil
            said = Self.payload(row)
        case "request": said = [word("method"), word("target"), word("version")].compactMap(\.self).joined(separator: " ")
        case "response":
            let asked = [word("method"), word("target")].compactMap(\.self).joined(separator: " ")
            let status = [number("status").map(String.init), word("reason")].compactMap(\.self).joined(separator: " ")
            said = asked.isEmpty ? status : "\(status) (\(asked))"
        case "upgrade": said = [word("protocol"), word("subprotocol"), word("target")].compactMap(\.self).joined(separator: " ")
        case "opened": said = "\(end("client")) \u{2192} \(end("server"))"
        case "tls":
            said = [word("version"), word("serverName"), word("alpn"), word("cipher")].compactMap(\.self).joined(separator: " ")
        case "finding":
            severity = word("severity")
            said = [word("id"), word("detail")].compactMap(\.self).joined(separator: ": ")
        case "closed":
            let code = number("code").map { " \($0)" } ?? ""
            said = "\(word("how") ?? "closed")\(code), by \(word("by") ?? "unknown")"
        case "gap": said = word("cause") ?? ""
        case "control": said = [word("type"), word("detail")].compactMap(\.self).joined(separator: " ")
        case "frame": said = [word("opcode") ?? number("opcode").map { "opcode \($0)" }].compactMap(\.self).joined(separator: " ")
        case "capture":
            said = json?["source"]?["name"]?.string.map { String(decoding: $0, as: UTF8.self) } ?? ""
        case "end":
            said = "\(number("conversations") ?? 0) conversations, \(number("messages") ?? 0) messages, \(number("findings") ?? 0) findings"
        case _: break
        }
        text = Self.cut(said.visible)
    }

    /// The beginning of the payload: text as it is, other bytes in hexadecimal.
    private static func payload(_ row: StoredRow) -> String {
        guard row.form == .binary else { return String(decoding: row.beginning, as: UTF8.self) }
        let digits = Array("0123456789abcdef")
        var text = ""
        for byte in row.beginning.prefix(64) {
            if !text.isEmpty { text.append(" ") }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return row.stored > 64 ? text + " …" : text
    }

    private static func cut(_ text: String) -> String {
        guard text.unicodeScalars.count > most else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(most - 1))) + "…"
    }
}
