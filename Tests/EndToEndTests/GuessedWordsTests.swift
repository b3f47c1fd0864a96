import Dissection
import Foundation
import Reports
import Support
import Testing

/// What users write who guess: it works, or the error names what they meant.
@Suite struct GuessedWordsTests {
    @Test(arguments: [
        (["proxy", "--upsteam", "ws://localhost:9000"], "--upsteam", "--upstream"), (["proxy", "--port", "80"], "--port", "--listen-port"),
        (["read", "--folow", "x"], "--folow", "--follow"), (["read", "--convesation=3", "x"], "--convesation", "--conversation"),
        (["run", "--lgo", "x", "true", "--no"], "--lgo", "--log"), (["ca", "install", "--dryrun"], "--dryrun", "--dry-run"),
        (["capture", "--conut", "3"], "--conut", "--count"), (["read", "--json", "x"], "--json", "--format json"),
    ])
    func anUnknownOptionProposesTheNearest(arguments: [String], written: String, nearest: String) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("Error: Unknown option '\(written)'. Did you mean '\(nearest)'?"), "\(outcome.errors)")
    }

    @Test("a filter of packets that is none names the option of the other filter")
    func otherFilter() throws {
        let outcome = try UnmaskProcess.run(["read", "-f", "http.host", "fixtures/pipelined/capture.pcapng"])
        #expect(outcome.errors.contains("--filter is the packet filter (BPF)") && outcome.errors.contains("-Y"), "\(outcome.errors)")
    }

    @Test("a port alone is that of a server on this machine")
    func portAlone() throws {
        let outcome = try UnmaskProcess.run(["proxy", "9000"])
        #expect(outcome.errors.contains("“9000” is not a valid URL; write for example ws://localhost:9000"), "\(outcome.errors)")
    }

    @Test func nothingIsProposedThatIsFar() throws {
        let outcome = try UnmaskProcess.run(["read", "--xyzzy", "x"])
        #expect(outcome.status == 2 && outcome.errors.hasPrefix("Error: Unknown option '--xyzzy'.\n"), "\(outcome.errors)")
    }

    @Test func aURLAloneIsTheServer() throws {
        // The folder of the socket does not exist: the proxy ends where it would listen.
        let outcome = try UnmaskProcess.run(["proxy", "ws://127.0.0.1:1/chat?x", "--listen", "unix:/dev/null/x"])
        #expect(outcome.errors.contains("ws://127.0.0.1:1: the path /chat?x is ignored"), "\(outcome.errors)")
        #expect(outcome.errors.contains("/dev/null/x") && !outcome.errors.contains("Name the server"), "\(outcome.errors)")
        #expect(try UnmaskProcess.run(["proxy"]).errors.contains("Name the server, such as unmask proxy ws://localhost:9000"))
    }

    @Test func findingsAreListedByGroup() throws {
        let lines = try UnmaskProcess.run(["findings", "websocket"]).lines.filter { !$0.isEmpty }
        #expect(lines.count > 10 && lines.allSatisfy { $0.hasPrefix("websocket.") })
        for (written, meant) in [("websocket.mask-mising", "websocket.mask-missing"), ("websockt", "websocket")] {
            let outcome = try UnmaskProcess.run(["findings", written])
            #expect(outcome.status == 2 && outcome.errors.contains("Did you mean '\(meant)'?"), "\(outcome.errors)")
        }
        #expect(try UnmaskProcess.run(["findings", "websocket.mask-missing"]).text.hasPrefix("websocket.mask-missing"))
    }

    @Test func aFindingIsExplainedInWords() throws {
        // A process for each of them would take long.
        for row in FindingCatalogue.rows.enumerated().filter({ $0.offset % 8 == 0 }).map(\.element) {
            guard row.pattern.contains("{") else { continue }
            let text = try UnmaskProcess.run(["findings", row.id]).text
            #expect(!text.contains("{") && !text.contains("[") && text.contains(" stand"), "\(text)")
        }
        #expect(try UnmaskProcess.run(["findings", "tcp.data-after-close"]).text.contains("\n  (N and M stand for numbers)\n"))
        let text = try UnmaskProcess.run(["findings", "websocket.utf8-invalid"]).text
        #expect(text.contains("text that is not UTF-8, first bad byte N\n  (N stands for a number)\n"), "\(text)")
    }
}
