import Testing
import UnmaskConversations
import UnmaskDecryption

/// The samples of the documentation.
@Suite struct SampleTests {
    private let path = Fixture.path("manner-socketrocket/capture.pcap")

    @Test func `messages are printed`() async throws {
        for try await event in CaptureReading(path: path) {
            if case .message(let message) = event.content { print(message.text ?? "\(message.length) bytes") }
        }
    }

    @Test func `violations are printed`() async throws {
        for finding in try await CaptureReading(path: path).check(from: .violation).findings { print(finding) }
    }

    @Test func `a payload is printed`() {
        let decoded = DecodedPayload([0x81, 0xA2, 0x68, 0x69, 0x05], as: "msgpack")
        print(decoded?.json ?? "unknown")  // {"as":"msgpack","value":{"hi":5}}
    }

    @Test func `limits cut what is kept`() async throws {
        var options = ReadingOptions()
        options.limits.memoryBytes = 32 << 20
        options.limits.payloadBytes = 4 << 10
        options.decodesPayloads = false
        var longest = 0
        for try await event in CaptureReading(path: path, options: options) {
            if case .message(let message) = event.content { longest = max(longest, message.payload.count) }
        }
        #expect(longest == 4 << 10)
    }

    @Test func `TLS is decrypted with a key log`() async throws {
        let (keys, path) = (Fixture.path("tls-keys/keys.log"), Fixture.path("tls-keys/capture.pcapng"))
        var options = ReadingOptions()
        options.keyLog = try TLSKeyLog(paths: [keys])
        var requests: [String] = []
        for try await event in CaptureReading(path: path, options: options) {
            if case .request(let request) = event.content, event.depth > 0 { requests.append(request.method) }
        }
        #expect(requests.count > 3)
    }
}
