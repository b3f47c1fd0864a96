import CaptureFiles
import Dissection
import Foundation
import Interception
import NIOCore
import Reports
import Support
import Testing

/// The recording as packets: what a reader of it meets.
@Suite("Packet recording") struct PacketRecordingTests {
    private static let ipv6 = IPAddress(ipv6High: 0x2001_0db8_0000_0000, low: 7)

    private func expectSame(_ run: RecorderRun, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
        let live = run.finish()
        let differences = try ComparableLog(live).differences(from: ComparableLog(run.readBack()))
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))", sourceLocation: sourceLocation)
        return live
    }

    private func talk(_ run: RecorderRun, _ number: UInt64, from start: Int64 = 10) {
        run.say("hello \(number)", .client, in: number, start)
        run.say("welcome \(number)", .server, in: number, start + 10)
        run.end(.server, in: number, start + 20)
        run.end(.client, in: number, start + 30)
    }

    @Test func `an IPv4 client of an IPv6 server, and the other way round`() throws {
        let run = try RecorderRun()
        let other = Endpoint(address: Self.ipv6, port: 443)
        talk(run, run.begin(RecorderRun.client, other))
        talk(run, run.begin(other, RecorderRun.server, at: 100), from: 110)
        // What a socket for both families calls an IPv4 client.
        let mapped = Endpoint(address: IPAddress(ipv6High: 0, low: 0xFFFF_7F00_0001), port: 50_124)
        talk(run, run.begin(mapped, other, at: 200), from: 210)
        let log = try expectSame(run)
        #expect(log.contains(#""client":{"address":"127.0.0.1","port":50123},"server":{"address":"2001:db8::7","port":443}"#))
        #expect(log.contains(#""client":{"address":"127.0.0.1","port":50124}"#))
        #expect(!log.contains("ffff"))
    }

    @Test func `Unix sockets on either end`() throws {
        let run = try RecorderRun()
        let nowhere = Endpoint(address: IPAddress(), port: 0)
        talk(run, run.begin(nowhere, nowhere, name: "/run/app.sock", transport: .unix))
        talk(run, run.begin(RecorderRun.client, nowhere, name: "/run/app.sock", transport: .unix, at: 100), from: 110)
        let log = try expectSame(run)
        #expect(
            log.contains(
                #""client":{"address":"0.0.0.0","port":1024},"server":{"address":"0.0.0.0","port":0,"name":"/run/app.sock"},"transport":"unix""#
            ))
        let text = try RecorderRun(TextSettings(width: nil))
        talk(text, text.begin(nowhere, nowhere, name: "/run/app.sock", transport: .unix))
        #expect(text.finish().contains(" 1  unix > unix:/run/app.sock   "))
    }

    @Test func `two conversations between the same ends at the same time`() throws {
        let run = try RecorderRun()
        let numbers = [run.begin(), run.begin(at: 5), run.begin(at: 6)]
        for round in 0..<20 {
            for number in numbers {
                run.say("\(number) in round \(round)", round % 2 == 0 ? .client : .server, in: number, Int64(10 + round))
            }
        }
        run.end(.client, in: 2, 50)
        run.end(.server, in: 2, 51)
        // The ports are taken again, while two others are still open.
        let again = run.begin(at: 60)
        talk(run, again, from: 61)
        for number in [numbers[0], numbers[2]] { run.recorder.reset(from: .client, in: number, at: RecorderRun.at(100)) }
        _ = try expectSame(run)
        let read = try ComparableLog(run.readBack())
        #expect(read.conversations.keys.sorted() == [1, 2, 3, 4])
        #expect(read.conversations[1]?.count == 22 && read.conversations[3]?.count == 22)
    }

    @Test func `ports that are taken again, after every manner of ending`() throws {
        let run = try RecorderRun()
        for (index, ending) in ["fin", "reset", "proxy", "connect"].enumerated() {
            let start = Int64(index) * 100
            let number = run.begin(at: start)
            run.say("a", .client, in: number, start + 1)
            switch ending {
            case "fin":
                run.end(.client, in: number, start + 2)
                run.end(.server, in: number, start + 3)
            case "reset": run.recorder.reset(from: .server, in: number, at: RecorderRun.at(start + 2))
            case "proxy": run.recorder.close(.shutdown, by: .proxy, in: number, at: RecorderRun.at(start + 2))
            default: run.recorder.close(.connectFailed, by: .proxy, reason: "refused", in: number, at: RecorderRun.at(start + 2))
            }
        }
        talk(run, run.begin(at: 1_000), from: 1_001)
        let live = run.finish()
        let read = try run.readBack()
        #expect(try ComparableLog(live).differences(from: ComparableLog(read)).filter { !$0.contains("proxy") } == [])
        #expect(!read.contains("port-reused") && read.contains("\"conversation\":5"))
    }

    @Test func `a run that is longer than a packet`() throws {
        let run = try RecorderRun()
        let number = run.begin()
        let long = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        run.recorder.received(ByteBuffer(bytes: long), from: .server, in: number, at: RecorderRun.at(5))
        run.recorder.received(ByteBuffer(bytes: long.prefix(65_536)), from: .client, in: number, at: RecorderRun.at(6))
        talk(run, number)
        let live = try expectSame(run)
        #expect(live.contains("\"length\":200000,") && live.contains("\"bytes\":200009,"))
    }

    @Test func `names, ways and reasons are in the recording for people`() throws {
        let run = try RecorderRun()
        let number = run.begin(name: "example.org", via: Via(mode: "http", target: "example.org:443"))
        run.recorder.secured(TLSSummary(alpn: "h2", version: 0x0304), in: number, at: RecorderRun.at(1))
        run.say("x", .client, in: number, 2)
        run.recorder.close(.limit, by: .proxy, reason: "too much", in: number, at: RecorderRun.at(3))
        run.finish()
        var reader = try CaptureReader(path: run.recordingPath)
        var said: [String] = []
        while let item = try reader.next() {
            switch item {
            case .comment(let comment): said.append(String(decoding: Transcript.copy(comment.text), as: UTF8.self))
            case .block: break
            case .name(let name):
                said.append(
                    Transcript.copy(name.address).map(String.init).joined(separator: ".") + " "
                        + String(decoding: Transcript.copy(name.name), as: UTF8.self))
            case .packet, .process, .secrets, .statistics, .section: break
            }
        }
        #expect(
            said == [
                "recorded by the proxy at 127.0.0.1:9000; payloads are as relayed", "10.0.0.9 example.org",
                "conversation 1, via http to example.org:443, server example.org", "TLS was terminated, TLS 1.3, speaks h2",
                "closed by proxy: limit: too much",
            ])
        #expect(reader.interfaces.map(\.name) == ["unmask proxy"])
        #expect(try FileManager.default.attributesOfItem(atPath: run.recordingPath)[.posixPermissions] as? Int == 0o600)
    }

    @Test func `a recording that cannot be created is said at once`() throws {
        let error = #expect(throws: OutputFileError.self) { try OutputFile(path: "/no/such/folder/talk.pcapng", from: .empty) }
        #expect(
            error?.description
                == "/no/such/folder/talk.pcapng: cannot be opened for writing: No such file or directory; the folder has to exist")
    }

    @Test func `tshark finds nothing wrong with checksums, lengths and sequence`() throws {
        let run = try RecorderRun()
        talk(run, run.begin())
        talk(run, run.begin(RecorderRun.client, Endpoint(address: Self.ipv6, port: 443), at: 100), from: 110)
        let odd = run.begin(at: 200)
        run.recorder.received(
            ByteBuffer(bytes: (0..<70_001).map { UInt8(truncatingIfNeeded: $0) }), from: .client, in: odd, at: RecorderRun.at(201))
        run.recorder.reset(from: .server, in: odd, at: RecorderRun.at(202))
        run.finish()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "tshark", "-r", run.recordingPath, "-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-T", "fields", "-e",
            "tcp.checksum.status", "-e", "ip.checksum.status", "-e", "_ws.expert.message",
        ]
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            print("skipped: what tshark says to a recording (no tshark)")
            return
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 20)
        for line in lines {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            // 1 is good; IPv6 has no checksum of its own.
            #expect(fields[0] == "1" && (fields[1] == "1" || fields[1].isEmpty), "\(line)")
            for word in ["retransmission", "out-of-order", "not captured", "bogus", "incorrect", "Malformed"] {
                #expect(!line.localizedCaseInsensitiveContains(word), "\(line)")
            }
        }
    }
}
