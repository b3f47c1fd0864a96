import Dissection
import Foundation
import Query
import Reports
import Support
import Testing

@Suite("the keys of payloads")
struct FormatKeyTests {
    private static let project = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL

    /// The formats of what is decoded, with the keys at the top of each, those of several in one payload included.
    private func keys(of value: Any, into found: inout [String: Set<String>], as outer: String? = nil) {
        if let list = value as? [Any] { for element in list { keys(of: element, into: &found, as: outer) } }
        guard let object = value as? [String: Any], let format = object["as"] as? String ?? outer else { return }
        // What SockJS carries is the app's own where no format knows it.
        if format == "sockjs", object["as"] == nil { return }
        for (key, value) in object where key != "as" {
            found[format, default: []].insert(key)
            if ["messages", "packets", "frames", "events"].contains(key) { keys(of: value, into: &found, as: format) }
            if key == "payload", let inner = value as? [String: Any], inner["as"] is String { keys(of: inner, into: &found) }
        }
    }

    @Test("of every capture of messages are fields of the filter")
    func captures() throws {
        var found: [String: Set<String>] = [:]
        let fixtures = Self.project.appending(path: "fixtures")
        for name in try FileManager.default.contentsOfDirectory(atPath: fixtures.path).sorted() where name.hasPrefix("messaging-") {
            var settings = RecordSettings()
            settings.payloads = .standard
            var report = RecordReport(Output(), settings: settings)
            try tell(capture: fixtures.appending(path: "\(name)/capture.pcapng").path, to: &report)
            for line in Data(report.takeBytes()).split(separator: 0x0a) {
                let record = try JSONSerialization.jsonObject(with: line) as? [String: Any]
                if let decoded = record?["decoded"] { keys(of: decoded, into: &found) }
            }
        }
        for format in ["amqp", "graphql-ws", "grpc", "irc", "mqtt", "nats", "redis", "signalr", "sockjs", "stomp", "wamp", "xmpp"] {
            // What they carry for sure.
            let keys = try #require(found[format], "\(format)")
            for key in keys {
                let field = "\(format.filter { $0 != "." && $0 != "-" }).\(key)"
                #expect(throws: Never.self, "\(field)") { try DisplayFilter(field) }
            }
        }
    }
}
