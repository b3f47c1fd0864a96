import Foundation
import Reports
import Support
import Testing

/// What apps say, as `unmask explain` explains it: each entry is held by a recording.
@Suite("Symptoms") struct SymptomTests {
    private static let recordings = Set(Symptom.all.map(\.recording)).sorted()

    /// The text of a recording with each line unbroken.
    private static func text(of recording: String) throws -> String {
        let outcome = try UnmaskProcess.run(["read", "fixtures/\(recording)"])
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test("what a symptom promises is printed of its recording", arguments: recordings)
    func shown(recording: String) throws {
        let text = try Self.text(of: recording)
        for symptom in Symptom.all where symptom.recording == recording {
            #expect(text.contains(symptom.shows), "\(symptom.said[0]): \(symptom.shows)")
        }
    }

    @Test("there are sixty symptoms and more, each with a meaning and a finding that exists where it names one")
    func table() throws {
        #expect(Symptom.all.count >= 60)
        let titles = Symptom.all.map { $0.said[0] }
        #expect(Set(titles).count == titles.count)
        let ids = try UnmaskProcess.run(["findings"]).lines.map { $0.prefix { $0 != " " } }
        for symptom in Symptom.all {
            #expect(!symptom.means.isEmpty && !symptom.look.isEmpty, "\(symptom.said[0])")
            for word in symptom.look.split(whereSeparator: { " ,;:".contains($0) })
            where word.firstMatch(of: /^(websocket|http2?|tls|tcp|connection)\.[a-z-]+$/) != nil {
                #expect(ids.contains(word), "\(symptom.said[0]) names \(word)")
            }
        }
    }

    @Test("the first words of each symptom, and all others that are said, find it")
    func found() {
        for symptom in Symptom.all {
            for said in symptom.said {
                let found = SymptomSearch.symptoms(for: said).map { $0.said[0] }
                #expect(found.prefix(3).contains(symptom.said[0]), "\(said): \(found)")
            }
        }
    }

    @Test(
        "codes, words and whole lines of logs are explained",
        arguments: [
            ("1006", "1006"), ("close code 1006 (abnormal closure)", "1006"),
            (
                "Error: Invalid WebSocket frame: RSV1 must be clear\n    at Receiver.getInfo (node_modules/ws/lib/receiver.js:1)",
                "RSV1 must be clear"
            ),
            ("be clear must RSV1", "RSV1 must be clear"), ("error socket hang up code: 'ECONNRESET'", "socket hang up"),
            ("Error Domain=NSURLErrorDomain Code=-1005 \"The network connection was lost.\"", "socket hang up"),
            (
                "io.netty.handler.codec.TooLongFrameException: Adjusted frame length exceeds 1048576: 369295620 - discarded",
                "TooLongFrameException 369295620"
            ),
            (
                "WebSocket connection to 'wss://app.example/' failed: Error during WebSocket handshake: Unexpected response code: 403",
                "Unexpected response code: 403"
            ),
        ])
    func explained(asked: String, title: String) throws {
        let outcome = try UnmaskProcess.run(["explain", asked])
        #expect(outcome.status == 0 && outcome.lines.first == title, "\(outcome.text)\(outcome.errors)")
    }

    @Test("what is not known ends with 1 and names what is near; the name of a finding is explained as such")
    func unknown() throws {
        let outcome = try UnmaskProcess.run(["explain", "flux capacitor refused"])
        #expect(outcome.status == 1 && outcome.text.isEmpty && outcome.errors.contains("explain --list has what is"), "\(outcome.errors)")
        #expect(try UnmaskProcess.run(["explain", "-1202"]).status == 0)
        #expect(try UnmaskProcess.run(["explain"]).status == 2)
        let finding = try UnmaskProcess.run(["explain", "websocket.mask-missing"])
        #expect(finding.status == 0 && finding.text.hasPrefix("websocket.mask-missing"))
        #expect(try UnmaskProcess.run(["explain", "--list"]).lines.filter { $0.hasPrefix("  ") }.count == Symptom.all.count)
    }

    @Test("docs/symptoms.md is what the program prints")
    func page() throws {
        let page = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("docs/symptoms.md"), encoding: .utf8)
        #expect(try UnmaskProcess.run(["explain", "--markdown"]).text == page, "run make docs")
    }
}
