import Foundation
import Support
import Testing

/// Streams of HTTP/2 that run side by side: what belongs to a request is looked for in its stream.
@Suite struct StreamPathTests {
    private static let fixtures = [
        "http2-nghttp", "http2-curl", "http2-grpc", "http2-websocket", "chromium-http2-websocket", "upgrade-h2c",
    ]

    private static func records(_ arguments: [String]) throws -> [[String: Any]] {
        try UnmaskProcess.run(["read", "--format", "ndjson"] + arguments).lines.compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }

    private struct Stream: Hashable {
        let conversation: Int
        let stream: Int

        init(_ record: [String: Any]) {
            conversation = record["conversation"] as? Int ?? 0
            stream = record["stream"] as? Int ?? 0
        }
    }

    private static let ofExchanges: Set = ["response", "body", "message", "ping", "pong", "close"]

    /// Records of exchanges as text, whatever order their keys have.
    private static func exchanges(_ records: [[String: Any]], where isWanted: (Stream) -> Bool) throws -> [String] {
        try records.filter { ofExchanges.contains($0["kind"] as? String ?? "") && isWanted(Stream($0)) }.map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self)
        }
    }

    @Test("a path picks the responses, bodies and messages of the streams that asked for it, and no others", arguments: fixtures)
    func paths(fixture: String) throws {
        let capture = GoldenTests.capture(fixture)
        let all = try Self.records([capture])
        var streams: [String: Set<Stream>] = [:]
        for record in all where record["kind"] as? String == "request" {
            let target = (record["target"] as? String ?? "").prefix { $0 != "?" }
            streams[String(target), default: []].insert(Stream(record))
            // Stream 1 answers what asked for HTTP/2.
            if fixture == "upgrade-h2c" { streams[String(target)]?.insert(Stream(record.merging(["stream": 1]) { $1 })) }
        }
        try #require(!streams.isEmpty)
        for (path, ofPath) in streams where !path.isEmpty && !path.contains("*") {
            let wanted = try Self.exchanges(all) { $0.stream != 0 && ofPath.contains($0) }
            #expect(try Self.exchanges(Self.records(["--path", path, capture])) { $0.stream != 0 } == wanted, "--path \(path)")
            let byField = try Self.exchanges(Self.records(["-Y", #"path == "\#(path)""#, capture])) { $0.stream != 0 }
            #expect(byField == wanted, "path == \(path)")
        }
    }

    @Test("bodies of streams that run side by side are files of their own, each whole and with its own request", arguments: fixtures)
    func files(fixture: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-streams-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let capture = GoldenTests.capture(fixture)
        let outcome = try UnmaskProcess.run(["extract", "--to", folder.path, capture])
        var sizes: [Int: Int] = [:]
        for record in try Self.records(["--payload-limit", "16777216", capture]) where record["kind"] as? String == "body" {
            var key = Hasher()
            key.combine(Stream(record))
            key.combine(record["from"] as? String)
            sizes[key.finalize(), default: 0] += record["length"] as? Int ?? 0
        }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let written = try files.reduce(0) {
            try $0 + (FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent($1).path)[.size] as? Int ?? 0)
        }
        #expect(outcome.status == 0 && written >= sizes.values.reduce(0, +), "\(outcome.text)")
        #expect(!files.contains { $0.contains("incomplete") }, "\(files)")
    }
}

/// Filters of which several are given: all have to hold.
@Suite struct JoinedFilterTests {
    /// Conversations 3 and 6 of it have a warning.
    private static let capture = GoldenTests.capture("chromium-websocket")

    @Test("--problems beside a server or a path picks nothing of conversations with others", arguments: ["--host", "--path"])
    func problems(option: String) throws {
        for command in [["list", "--format", "ndjson"], ["check"], ["read", "--format", "ndjson"]] {
            let none = try UnmaskProcess.run(command + ["--problems", option, "/nothing", Self.capture])
            #expect(none.status == 0 && !none.text.contains(#""conversation":"#), "\(command): \(none.text)")
        }
        let all = try UnmaskProcess.run(["list", "--format", "ndjson", "--problems", option, "*", Self.capture])
        #expect(all.lines.count == 2, "\(all.text)")
    }
}
