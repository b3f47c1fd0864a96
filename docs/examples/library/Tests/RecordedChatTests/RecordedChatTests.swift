import Testing
import UnmaskConversations

/// What an app and its server said to each other in a recording, as a test of the app's protocol would hold it.
@Suite struct RecordedChatTests {
    private let recording = CaptureReading(path: Fixture.path("manner-socketrocket/capture.pcap"))

    @Test func `the app joins a room before it says anything`() async throws {
        var sent: [String] = []
        for try await event in recording {
            if case .message(let message) = event.content, event.sender == .client { sent.append(message.text ?? "(binary)") }
        }
        #expect(sent == [#"{"type":"join","room":7,"name":"ana"}"#, #"{"type":"text","text":"hello everybody"}"#, "(binary)"])
    }

    @Test func `each ping is answered within 10 ms`() async throws {
        var roundTrips: [Duration] = []
        for try await event in recording {
            if case .pong(let pong) = event.content, let roundTrip = pong.roundTrip { roundTrips.append(roundTrip) }
        }
        #expect(roundTrips.count == 2 && roundTrips.allSatisfy { $0 < .milliseconds(10) })
    }

    @Test func `the server breaks one rule, and the client closes for it`() async throws {
        let check = try await recording.check(from: .violation)
        #expect(check.findings.map(\.id) == ["websocket.utf8-invalid"])
        #expect(check.findings.first?.sender == .server)
        #expect(check.findings.first?.reference == "RFC 6455 8.1")

        for try await event in recording {
            guard case .closed(let closed) = event.content else { continue }
            #expect(closed.by == .client && closed.how == .closeFrame && closed.code == 1007)
        }
    }

    @Test func `a file that is not a capture says what it is`() async {
        await #expect(throws: CaptureError.self) {
            for try await event in CaptureReading(path: #filePath) { Issue.record("\(event)") }
        }
    }
}
