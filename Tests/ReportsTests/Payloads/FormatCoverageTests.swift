import Dissection
import Foundation
import Support
import Testing

@testable import Reports

/// That no format is left out where all of them are tried: by changed payloads, and by the fuzzer with its seeds.
@Suite struct FormatCoverageTests {
    @Test func `each format has a sample that is cut and changed`() {
        var tried = Set(MutatedPayloadTests.samples.map(\.format))
        for sample in PayloadMutationTests.samples {
            var memory = PayloadMemory()
            let decoded = PayloadTable.standard.decode(sample.bytes.rawBytes, in: sample.context, memory: &memory)
            tried.insert(decoded?.format.description ?? "")
        }
        // Carries Socket.IO; the row of SignalR in MessagePack has the name of the other.
        tried.remove("engine.io")
        #expect(Set(PayloadFuzzing.formats).subtracting(tried) == [])
        #expect(tried.subtracting(PayloadFuzzing.formats) == [])
        #expect(PayloadMutationTests.samples.contains { $0.name == "signalr pack" })
    }

    @Test func `the fuzzer's seeds name each format, in the order of the table`() throws {
        let script = try String(contentsOf: UnmaskProcess.project.appendingPathComponent("scripts/fuzz_seeds.py"), encoding: .utf8)
        let list = try #require(script.split(separator: "FORMATS = \"\"\"").last?.split(separator: "\"\"\"").first)
        #expect(list.split(whereSeparator: \.isWhitespace).map(String.init) == PayloadFuzzing.formats)
    }
}
