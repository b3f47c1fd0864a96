import Foundation
import Testing
import UnmaskConversations
import UnmaskDecryption

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A capture as a sequence: how far it is read, how it ends, what it keeps.
@Suite struct CaptureReadingTests {
    /// A pcap file of Ethernet without packets, and packets of one byte each, which no conversation is made of.
    private static func capture(packets: Int) -> [UInt8] {
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) } }
        let header = word(0xA1B2_C3D4) + [2, 0, 4, 0] + word(0) + word(0) + word(65_535) + word(1)
        let packet = word(1) + word(0) + word(1) + word(60) + [0]
        return header + (0..<packets).flatMap { _ in packet }
    }

    @Test func `a file is read no further than events are asked for`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).pcap").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let head = try Fixture.bytes("manner-socketrocket")
        let rest = Array(Self.capture(packets: 400_000).dropFirst(24))
        try Data(head + rest).write(to: URL(fileURLWithPath: path))
        var events = CaptureReading(path: path).makeAsyncIterator()
        let first = try await events.next()
        #expect(first?.kind == "opened")
        // One buffer of the reader, or what 64 events take.
        let read = await events.inputBytes
        #expect(read > 0 && read < 1 << 20 && read < head.count + rest.count, "\(read) bytes were read")
    }

    @Test func `each iteration reads the capture from its beginning`() async throws {
        let reading = CaptureReading(bytes: try Fixture.bytes("pipelined"))
        var lengths: [Int] = []
        for _ in 0..<2 { lengths.append(try await reading.reduce(into: 0) { count, _ in count += 1 }) }
        #expect(lengths[0] > 10 && lengths[0] == lengths[1])
    }

    @Test func `a task that is cancelled stops waiting for a pipe`() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString).fifo").path
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        // Open for both, so that neither side waits for the other to open it.
        let writer = open(path, O_RDWR | O_CLOEXEC)
        try #require(writer >= 0)
        defer { close(writer) }
        // As far as the first events, and not to the end: the reading waits for more.
        let start = try Fixture.bytes("manner-socketrocket").prefix(600)
        #expect(start.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) } == start.count)

        let (begun, beginning) = AsyncStream.makeStream(of: String.self)
        let task = Task {
            for try await event in CaptureReading(path: path) { beginning.yield(event.kind) }
        }
        for await kind in begun where kind == "opened" { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `a capture that is cut gives what there is, then its end, then the error`() async throws {
        let bytes = try Fixture.bytes("manner-socketrocket")
        var kinds: [String] = []
        do {
            for try await event in CaptureReading(bytes: Array(bytes.dropLast(10)), name: "cut") { kinds.append(event.kind) }
            Issue.record("no error")
        } catch let error as CaptureError {
            #expect(error.kind == .cutShort && error.input == "cut" && error.offset != nil, "\(error)")
        }
        #expect(kinds.contains("message") && kinds.suffix(2) == ["closed", "end"], "\(kinds)")
    }

    @Test func `what is not a capture is refused with its name`() async throws {
        let reading = CaptureReading(bytes: Array("hello, this is no capture".utf8), name: "letter")
        let error = await #expect(throws: CaptureError.self) { for try await _ in reading {} }
        #expect(error?.kind == .notACapture && error?.description.hasPrefix("letter: ") == true)
        let absent = await #expect(throws: CaptureError.self) { for try await _ in CaptureReading(path: "/absent/capture.pcap") {} }
        #expect(absent?.kind == .unreadable)
    }

    @Test func `limits cut payloads, and give up conversations`() async throws {
        var options = ReadingOptions()
        options.limits.payloadBytes = 4
        let message = try await Fixture.events("manner-socketrocket", options).lazy.compactMap(\.message).first
        #expect(message?.payload == Array(#"{"ty"#.utf8) && message?.length == 37)
        options.limits.conversations = 1
        let events = try await Fixture.events("chromium-websocket", options)
        #expect(events.compactMap(\.closed).contains { $0.how == .evicted })
    }

    @Test func `a key log decrypts what is without bytes otherwise`() async throws {
        let keys = Fixture.folder.appendingPathComponent("tls-keys/keys.log").path
        var options = ReadingOptions()
        #expect(try await Fixture.events("tls-keys").contains { $0.kind == "message" } == false)
        options.keyLog = try TLSKeyLog(paths: [keys])
        let events = try await Fixture.events("tls-keys", options)
        #expect(events.contains { $0.message?.text?.isEmpty == false && $0.depth == 1 })
        #expect(throws: CaptureError.self) { try TLSKeyLog(paths: ["/absent/keys.log"]) }
    }

    @Test func `a check gives what the events say, as many as are wanted`() async throws {
        let reading = CaptureReading(path: try #require(Fixture.capture("http-oddities")))
        let whole = try await reading.check()
        let found = try await Fixture.events("http-oddities").compactMap { event -> ConversationFinding? in
            if case .finding(let finding) = event.content { finding } else { nil }
        }
        #expect(whole.findings == found && found.count > 3 && whole.omitted == 0 && whole.totals?.findings == found.count)
        let some = try await reading.check(from: .violation, most: 1)
        let violations = found.count { $0.severity == .violation }
        #expect(some.findings.count == 1 && some.omitted == violations - 1)
        #expect(found.allSatisfy { ConversationFinding.catalogue.contains($0.rule) })
    }
}
