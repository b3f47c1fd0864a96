import Foundation
import Support
import Testing

/// `unmask stats`, run as a user runs it.
@Suite struct StatsCommandTests {
    @Test(arguments: ["chromium-websocket", "curl-nginx-http", "websockets-heartbeat", "messaging-mqtt", "http2-grpc"])
    func `a capture and its log have the same numbers, which are those of their records`(fixture: String) throws {
        let capture = GoldenTests.capture(fixture)
        let records = try UnmaskProcess.run(["read", "--format", "ndjson", capture])
        let ofCapture = try UnmaskProcess.run(["stats", "--format", "json", capture])
        let ofLog = try UnmaskProcess.run(["stats", "--format", "json", "-"], input: records.output)
        #expect(ofCapture.status == 0 && ofCapture.text == ofLog.text, "\(ofCapture.errors)\(ofLog.errors)")
        let object = try #require(JSONSerialization.jsonObject(with: ofCapture.output) as? [String: Any])
        let total = try #require(object["total"] as? [String: Any])
        let told = LogRecords(lines: records.output.split(separator: 0x0A).map { Data($0) })
        let messages = try #require(total["messages"] as? [String: Int])
        let ofCalls = told.all("body").count { $0["element"] as? String == "message" }
        #expect(messages.values.reduce(0, +) == told.all("message").count + ofCalls)
        #expect(told.all("end").last?["messages"] as? Int == told.all("message").count + ofCalls)
        #expect(total["requests"] as? Int == told.all("request").count)
        #expect(total["conversations"] as? Int == told.all("closed").count)
        let trips = (told.all("pong") + told.all("control")).count { $0["roundTrip"] != nil }
        #expect((total["ping"] as? [String: Any])?["count"] as? Int ?? 0 == trips)
    }

    @Test func `text has the scopes that are wanted, within the width`() throws {
        let capture = GoldenTests.capture("chromium-websocket")
        let outcome = try UnmaskProcess.run(["stats", capture], environment: ["COLUMNS": "80"])
        #expect(outcome.status == 0 && outcome.lines.allSatisfy { $0.count <= 80 }, "\(outcome.text)")
        #expect(outcome.text.contains(" HOST\n") && outcome.text.contains(" CONVERSATION\n"))
        #expect(try !UnmaskProcess.run(["stats", "--by", "host", capture]).text.contains("CONVERSATION"))
        #expect(try UnmaskProcess.run(["stats", "nowhere.pcap"]).status == 2)
    }
}
