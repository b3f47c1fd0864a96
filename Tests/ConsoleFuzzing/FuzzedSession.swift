import CaptureFiles
import Dissection
import Libc
import Reports
import Sessions
import WebConsole

/// The session file that the console is fuzzed with: a few conversations, of which every record has a word that no request may have without the token.
struct FuzzedSession: Sendable {
    /// Stands in all that the session has to say, and nowhere in the console itself.
    static let secret = "wQ7vX3"

    let store: ConsoleStore

    /// A session that cannot be made.
    struct Failure: Error { let words: String }

    init() throws {
        let temporary = try TemporarySession()
        let file = try SessionFile(path: temporary.path, appends: false)
        var settings = SessionSettings(payload: .full)
        settings.makeStore = { file.makeStore() }
        var report = SessionReport(settings)
        var teller = LogTeller()
        teller.begin(CaptureSource(kind: .file, name: Self.secret, tool: "unmask"), after: Totals())
        for line in Self.log {
            let bytes = Array(line.utf8)
            let outcome = teller.tell(bytes.rawBytes, into: &report) { source, report in report.begin(source) }
            guard case .told = outcome else { throw Failure(words: "\(outcome) \(line)") }
        }
        let counted = teller.finish()
        report.finish(teller.totals(with: counted))
        // It has no name from here on, and so takes no notes: each input finds the same session.
        store = try ConsoleStore(
            path: temporary.path, isOwn: false, isTemporary: true,
            origin: ConsoleStore.Origin(tool: "unmask", inputs: [Self.secret]))
    }

    private static var log: [String] {
        var lines = [#"{"kind":"capture","version":1,"tool":"unmask","source":{"type":"file","name":"\#(secret)"},"firstPacket":1}"#]
        for number in 1...3 {
            let place = { (second: Int) in
                #""conversation":\#(number),"time":"2026-11-20T21:4\#(number):0\#(second).000000000Z","packets":[\#(second),\#(second)]"#
            }
            lines += [
                #"{"kind":"opened",\#(place(0)),"client":{"address":"10.0.0.5","port":1\#(number)},"server":{"address":"10.0.0.9","port":80,"name":"\#(secret).example"},"transport":"tcp","start":"handshake","roles":"handshake"}"#,
                #"{"kind":"request",\#(place(1)),"from":"client","offset":0,"exchange":1,"method":"GET","target":"/\#(secret)","version":"HTTP/1.1","headers":[["Host","\#(secret)"],["Upgrade","websocket"]]}"#,
                #"{"kind":"response",\#(place(2)),"from":"server","offset":0,"exchange":1,"method":"GET","target":"/\#(secret)","status":101,"reason":"Switching","version":"HTTP/1.1","headers":[["Upgrade","websocket"]],"latency":0.001}"#,
                #"{"kind":"upgrade",\#(place(2)),"from":"server","protocol":"websocket","accepted":true,"host":"\#(secret)","target":"/\#(secret)","subprotocol":"chat"}"#,
                #"{"kind":"message",\#(place(3)),"from":"client","offset":90,"opcode":"text","length":17,"wireLength":23,"fragments":1,"compressed":false,"text":"{\"word\":\"\#(secret)\"}"}"#,
                #"{"kind":"message",\#(place(4)),"from":"server","offset":90,"opcode":"binary","length":3,"wireLength":5,"fragments":1,"compressed":false,"base64":"AAEC"}"#,
                #"{"kind":"ping",\#(place(5)),"from":"client","offset":120,"text":"\#(secret)"}"#,
                #"{"kind":"pong",\#(place(5)),"from":"server","offset":100,"text":"\#(secret)","roundTrip":0.002}"#,
                #"{"kind":"close",\#(place(6)),"from":"client","offset":140,"code":1000,"reason":"\#(secret)"}"#,
                #"{"kind":"closed",\#(place(7)),"by":"client","how":"fin","ends":{"client":"fin","server":"fin"},"duration":7.0,"client":{"bytes":160,"messages":1,"frames":3,"missing":0},"server":{"bytes":120,"messages":1,"frames":2,"missing":0}}"#,
            ]
        }
        lines.append(#"{"kind":"end","conversations":3,"messages":6,"findings":0,"bytes":840,"packets":21}"#)
        return lines
    }
}
