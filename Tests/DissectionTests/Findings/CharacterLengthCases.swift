import Dissection
import Support

/// What is found where a Content-Length counts characters.
extension FindingCase {
    private static let get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func head(_ length: Int, _ more: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(more)Content-Length: \(length)\r\n\r\n"
    }

    /// A response with a length, and the end of the connection.
    private static func response(_ body: String, length: Int, _ more: String = "") -> Talk {
        Talk([.client(get), .server(head(length, more) + body), .finish(.server), .finish(.client)])
    }

    private static func found(_ length: Int, _ bytes: Int) -> [String] {
        let place = head(length).utf8.count + length
        return [
            "< @\(place) http.start-line-invalid: expected a start line, found other data",
            "< @\(place) http.length-in-characters: the Content-Length \(length) of the message before this counts characters; "
                + "its body has \(bytes) bytes",
        ]
    }

    private static func lengthInCharacters(_ found: [String], _ fires: Talk, nearly: Talk) -> FindingCase {
        FindingCase("http.length-in-characters", found, fires: fires, nearly: nearly)
    }

    private static let name = #"{"a":"é","b":"ü€"}"#

    static let lengthsInCharacters: [FindingCase] = FindingCase.table {
        // Its length in bytes is right; in characters it is not.
        lengthInCharacters(
            found(name.count, name.utf8.count), response(name, length: name.count), nearly: response(name, length: name.utf8.count))
        // One byte less or more is another fault.
        lengthInCharacters(
            found(name.count, name.utf8.count), response(name, length: name.count), nearly: response(name, length: name.count - 1))
        lengthInCharacters(
            found(name.count, name.utf8.count), response(name, length: name.count), nearly: response(name, length: name.count + 1))
        // All of it is ASCII, and something else follows.
        lengthInCharacters(
            found(name.count, name.utf8.count), response(name, length: name.count), nearly: response(#"{"a":"e"}xx"#, length: 9))
        // A character beyond the first plane is two units of UTF-16.
        lengthInCharacters(
            found(10, 12), response(#"{"a":"😀"}"#, length: 10), nearly: response(#"{"a":"😀"}"#, length: 11))
        // The next response follows.
        lengthInCharacters(
            found(9, 10),
            Talk([.client(get + get), .server(head(9) + #"{"a":"é"}"# + head(2) + "{}")]),
            nearly: Talk([.client(get + get), .server(head(10) + #"{"a":"é"}"# + head(2) + "{}")]))
    }
}
