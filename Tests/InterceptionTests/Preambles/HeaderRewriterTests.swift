import Dissection
import Support
import Testing

@testable import Interception

@Suite("Host and Origin are replaced, and nothing else") struct HeaderRewriterTests {
    /// What goes on to the server of what a client sent, and the changes that were told.
    private func run(_ sent: String, _ cutting: Cutting, host: String? = "inner", origin: String? = "https://inner") -> (String, [String]) {
        var rewriter = HeaderRewriter(host: host, origin: origin)
        var relayed: [UInt8] = []
        var changes: [String] = []
        var isTunnel = false
        for piece in cutting.pieces(of: Array(sent.utf8)) {
            var rest = piece[...]
            while !isTunnel {
                let bytes = Array(rest)
                let (consumed, action) = rewriter.take(bytes.rawBytes)
                rest = rest.dropFirst(consumed)
                switch action {
                case .head(_, let head, let change):
                    relayed += head
                    if let change { changes.append(change) }
                    continue
                case .relay:
                    relayed += bytes.prefix(consumed)
                    continue
                case .tunnel(let held):
                    relayed += held
                    isTunnel = true
                case .needMore: break
                }
                break
            }
            if isTunnel { relayed += rest }
        }
        relayed += rewriter.finish()
        return (String(decoding: relayed, as: UTF8.self), changes)
    }

    @Test("each request of a connection, bodies untouched", arguments: Cutting.allCases)
    func requests(cutting: Cutting) {
        let (relayed, changes) = run(
            "POST /a HTTP/1.1\r\nhOST:  outer \r\nContent-Length: 12\r\n\r\nHost: outer\nGET /b HTTP/1.1\r\nHost: outer\r\nOrigin: http://outer\r\n\r\n",
            cutting)
        #expect(
            relayed
                == "POST /a HTTP/1.1\r\nhOST:  inner \r\nContent-Length: 12\r\n\r\nHost: outer\nGET /b HTTP/1.1\r\nHost: inner\r\nOrigin: https://inner\r\n\r\n"
        )
        #expect(changes == ["Host: outer became inner", "Host: outer became inner; Origin: http://outer became https://inner"])
    }

    @Test("a user and password in Host are not repeated in what is said of the change", arguments: Cutting.allCases)
    func credentials(cutting: Cutting) {
        let (relayed, changes) = run("GET /a HTTP/1.1\r\nHost: ana:\(String(repeating: "x", count: 300))@outer\r\n\r\n", cutting)
        #expect(relayed == "GET /a HTTP/1.1\r\nHost: inner\r\n\r\n")
        #expect(changes == ["Host: ***@outer became inner"])
    }

    @Test("what follows an upgrade is not looked at", arguments: Cutting.allCases)
    func upgrade(cutting: Cutting) {
        let frames = "\u{1}\u{5}Host: outer\r\n\r\n"
        let (relayed, changes) = run(
            "GET / HTTP/1.1\r\nHost: outer\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + frames, cutting)
        #expect(relayed == "GET / HTTP/1.1\r\nHost: inner\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + frames)
        #expect(changes.count == 1)
    }

    @Test(
        "what is no request goes on as it is", arguments: Cutting.allCases,
        ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u{0}\u{1}Host: outer\r\n\r\n", "GET / HTTP/1.1\r\nHost: ou"])
    func foreign(cutting: Cutting, text: String) {
        let (relayed, changes) = run(text, cutting)
        #expect(relayed == text)
        #expect(changes.isEmpty)
    }
}
