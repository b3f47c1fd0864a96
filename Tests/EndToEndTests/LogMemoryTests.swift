import Foundation
import Support
import Testing

/// A log that is read again stays within `--memory`, whoever wrote it.
@Suite(.serialized) struct LogMemoryTests {
    private static let mebibyte = 1 << 20

    /// Conversations that open, ask for something and never close; the first of them says something at the end.
    private static func log(conversations: Int) -> Data {
        var log = Data()
        for number in 1...conversations {
            let host = "host-\(number).example.org"
            log.append(
                contentsOf: """
                    {"kind":"opened","conversation":\(number),"time":"2026-11-20T21:48:00.000000000Z","client":{"address":"10.0.0.5","port":40000},\
                    "server":{"address":"10.0.0.9","port":80},"transport":"tcp","start":"handshake","roles":"handshake"}
                    {"kind":"request","conversation":\(number),"time":"2026-11-20T21:48:00.000000000Z","from":"client","offset":0,"exchange":1,\
                    "method":"GET","target":"/\(number)","version":"HTTP/1.1","headers":[["Host","\(host)"]]}

                    """.utf8)
        }
        let last = #"{"kind":"gap","conversation":1,"from":"client","offset":90,"length":4321,"cause":"missing"}"# + "\n"
        log.append(contentsOf: last.utf8)
        return log
    }

    /// Nothing where the system does not tell what a process takes.
    private func peak(_ arguments: [String], _ log: Data, _ what: String) throws -> (bytes: Int, lines: Int)? {
        guard let peak = try UnmaskProcess.peakMemory(of: ["read"] + arguments, reading: log) else {
            print("skipped: what \(what) cost (this system does not tell the memory of a process)")
            return nil
        }
        print("\(what) cost \(peak.bytes >> 20) MiB")
        return peak
    }

    @Test(arguments: [[], ["--format", "ndjson", "--decoded"], ["--ignore", "10.0.0.9"]])
    func `conversations that never close are given up`(options: [String]) throws {
        let log = Self.log(conversations: 40_000)
        guard let peak = try peak(["--memory", "16M"] + options, log, "40,000 conversations of a log \(options)") else { return }
        // With what the libraries of a debug build take.
        #expect(peak.bytes < (16 + 32 + 12) * Self.mebibyte)
    }

    @Test func `what is given up says so, and what comes later is shown`() throws {
        let log = Self.log(conversations: 40_000)
        let text = try UnmaskProcess.run(["read", "--memory", "16M", "-"], input: log)
        #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
        #expect(text.lines.count { $0.contains("given up, to stay within the limits of memory") } > 10_000)
        #expect(text.lines.contains { $0.contains("gap    4,321 bytes missing") })
        #expect(text.lines.last?.hasPrefix("40,000 conversations, ") == true, "\(text.lines.suffix(2))")
        let records = try UnmaskProcess.run(["read", "--memory", "16M", "--format", "ndjson", "--decoded", "-"], input: log)
        #expect(records.lines.contains { $0.contains(#""conversation":1,"#) && $0.contains(#""how":"evicted""#) })
        #expect(records.lines.suffix(10_000).contains { $0.contains(#""length":4321"#) })
        // With enough memory nothing is.
        #expect(try !UnmaskProcess.run(["read", "-"], input: log).text.contains("given up"))
    }

    @Test func `a line of 8 MB with keys that nobody knows is passed over`() throws {
        var line = #"{"kind":"gap","conversation":1,"from":"client","offset":0,"length":5,"cause":"missing""#
        var number = 0
        while line.utf8.count < 8_000_000 {
            line += ",\"unknown-\(number)\":{\"a\":[\(number),\"\(String(repeating: "x", count: 60))\",null],\"b\":{\"c\":[[true]]}}"
            number += 1
        }
        let log = Data((line + "}\n").utf8)
        let outcome = try UnmaskProcess.run(["read", "--format", "ndjson", "-"], input: log)
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
        #expect(outcome.lines.count { $0.contains(#""kind":"gap""#) } == 1)
        guard let peak = try peak(["--format", "ndjson"], log, "a line of 8 MB with unknown keys") else { return }
        #expect(peak.bytes < 64 * Self.mebibyte)
    }
}
