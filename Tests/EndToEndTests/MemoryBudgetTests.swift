import Foundation
import Support
import Testing

/// `--memory`: what the program needs stays within what it may have and 32 MiB more, whatever comes, and what is given up for
/// it is told.
@Suite(.serialized) struct MemoryBudgetTests {
    private static let server: UInt32 = 0x0B00_0001
    private static let mebibyte = 1 << 20

    /// A capture of packets that are the same for each of so many clients, but for the client's address.
    private static func capture(clients: Int, _ packets: [[UInt8]], isIPv6: Bool = false) -> Data {
        var file = Data(PacketBuilder.pcap([]))
        let records = packets.map { packet -> (bytes: [UInt8], address: Int) in
            let record = Array(PacketBuilder.pcap([.init(packet)]).dropFirst(24))
            // The first address or the second; the client's has 0x0A where the server's has something else.
            let (first, length) = isIPv6 ? (16 + 14 + 8, 16) : (16 + 14 + 12, 4)
            return (record, record[first] == 0x0A ? first + length : first + 2 * length)
        }
        file.reserveCapacity(24 + clients * records.reduce(0) { $0 + $1.bytes.count })
        for number in 0..<clients {
            for var record in records {
                for byte in 0..<3 { record.bytes[record.address - 1 - byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
                file.append(contentsOf: record.bytes)
            }
        }
        return file
    }

    private static func packet(fromClient: Bool, _ payload: [UInt8] = [], at position: UInt32, ack: UInt32 = 0, flags: UInt8) -> [UInt8] {
        PacketBuilder.ethernet(
            PacketBuilder.ipv4(
                from: fromClient ? 0x0A00_0000 : server, to: fromClient ? server : 0x0A00_0000,
                PacketBuilder.tcp(
                    from: fromClient ? 40_000 : 80, to: fromClient ? 80 : 40_000, sequence: position, acknowledgement: ack, flags: flags,
                    payload)))
    }

    /// Reads a capture and looks at the most memory that it took. Nothing where the system does not tell.
    private func peak(_ arguments: [String], _ capture: Data, _ what: String) throws -> (bytes: Int, lines: Int)? {
        guard let peak = try UnmaskProcess.peakMemory(of: ["read"] + arguments, reading: capture) else {
            print("skipped: what \(what) cost (this system does not tell the memory of a process)")
            return nil
        }
        print("\(what) cost \(peak.bytes >> 20) MiB")
        return peak
    }

    @Test func `250,000 half-open connections take less than 96 MiB`() throws {
        let capture = Self.capture(clients: 250_000, [Self.packet(fromClient: true, at: 5, flags: 0x02)])
        guard let peak = try peak(["--format", "ndjson"], capture, "250,000 half-open connections") else { return }
        #expect(peak.bytes < 96 * Self.mebibyte)
        // What begins and ends the log, and each connection's own beginning and end.
        #expect(peak.lines == 500_002)
    }

    @Test func `250,000 half-open connections over IPv6 take less than 78 MiB beside the program itself, as text too`() throws {
        let client: [UInt8] = [0x0A] + Array(repeating: 0, count: 15)
        let packet = PacketBuilder.ethernet(
            PacketBuilder.ipv6(from: client, PacketBuilder.tcp(from: 40_000, to: 80, sequence: 5, flags: 0x02)), type: 0x86DD)
        let capture = Self.capture(clients: 250_000, [packet], isIPv6: true)
        guard let peak = try peak([], capture, "250,000 half-open connections over IPv6, as text,") else { return }
        // The libraries that a build for debugging loads take more than those of a release, whatever is read.
        // An empty capture is read in no time: it is looked at while its input is still open.
        let nothing = try #require(try UnmaskProcess.peakMemory(reading: Data(PacketBuilder.pcap([])), until: 1))
        print("An empty capture cost \(nothing >> 20) MiB")
        #expect(nothing > Self.mebibyte)
        #expect(peak.bytes - nothing < 78 * Self.mebibyte)
        // One line for each, because nothing was said, and the totals.
        #expect(peak.lines == 250_002)
    }

    @Test(arguments: [["--format", "ndjson"], [], ["--follow"]])
    func `open HTTP connections stay within the memory, and the quiet ones are given up`(format: [String]) throws {
        let request = Array("GET /a HTTP/1.1\r\nHost: www.example.org\r\nUser-Agent: probe\r\nAccept: */*\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
        let (asked, answered) = (UInt32(6 + request.count), UInt32(10 + answer.count))
        let capture = Self.capture(
            clients: 40_000,
            [
                Self.packet(fromClient: true, at: 5, flags: 0x02), Self.packet(fromClient: false, at: 9, ack: 6, flags: 0x12),
                Self.packet(fromClient: true, request, at: 6, ack: 10, flags: 0x18),
                Self.packet(fromClient: false, answer, at: 10, ack: asked, flags: 0x18),
                Self.packet(fromClient: true, at: asked, ack: answered, flags: 0x10),
            ])
        guard let peak = try peak(["--memory", "32M"] + format, capture, "40,000 open HTTP connections \(format)") else { return }
        // 32 MiB, as much again, and what the libraries of a debug build take.
        #expect(peak.bytes < (64 + 12) * Self.mebibyte)
        #expect(peak.lines >= 4 * 40_000)
    }

    /// A capture of 256 MiB of zeros, compressed with a window of 128 MiB: a frame of zstd written by hand (RFC 8878).
    private static func longWindow() -> Data {
        var file = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, (27 - 10) << 3])
        func block(_ kind: Int, _ size: Int, isLast: Bool = false) -> [UInt8] {
            let header = size << 3 | kind << 1 | (isLast ? 1 : 0)
            return [UInt8(truncatingIfNeeded: header), UInt8(truncatingIfNeeded: header >> 8), UInt8(truncatingIfNeeded: header >> 16)]
        }
        let header = PacketBuilder.pcap([])
        file.append(contentsOf: block(0, header.count) + header)
        let record = Array(PacketBuilder.pcap([.init([UInt8](repeating: 0, count: 128 << 10))]).dropFirst(24).prefix(16))
        for _ in 0..<2_048 { file.append(contentsOf: block(0, 16) + record + block(1, 128 << 10) + [0]) }
        file.append(contentsOf: block(0, 0, isLast: true))
        return file
    }

    @Test func `the window of a compressed file counts`() throws {
        let file = Self.longWindow()
        #expect(file.count < 64 << 10)
        guard let peak = try peak(["--format", "ndjson"], file, "a window of 128 MiB") else { return }
        #expect(peak.bytes < (256 + 32) * Self.mebibyte)
        let refused = try UnmaskProcess.run(["read", "--memory", "64M", "-"], input: file)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("needs a window of more than 32 MiB of memory; allow more with --memory, or unpack it first"))
    }

    /// WebSocket messages of 16 MiB each, of a control character that JSON writes in six bytes.
    private static func longMessages() -> Data {
        let length = 16 << 20
        var stream = [UInt8]()
        for _ in 0..<2 {
            stream +=
                [0x81, 127] + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) } + [UInt8](repeating: 1, count: length)
        }
        var packets = [packet(fromClient: true, at: 5, flags: 0x02), packet(fromClient: false, at: 9, ack: 6, flags: 0x12)]
        var position = 0
        while position < stream.count {
            let end = min(stream.count, position + 60_000)
            // The payload comes behind headers that were made for it: checksums are not judged, and would take long here.
            let segment = PacketBuilder.tcp(from: 80, to: 40_000, sequence: UInt32(10 + position), acknowledgement: 6, flags: 0x18)
            packets.append(
                PacketBuilder.ethernet(
                    PacketBuilder.ipv4(from: server, to: 0x0A00_0000, segment, totalLength: 40 + end - position) + stream[position..<end]))
            position = end
        }
        return Data(PacketBuilder.pcap(packets.map { .init($0) }))
    }

    @Test(arguments: [["--format", "ndjson"], ["--full"]])
    func `messages of 16 MiB that are shown in full stay within the memory`(format: [String]) throws {
        let arguments = ["--decode-as", "tcp.port=80,websocket", "--payload-limit", "16777216"] + format
        guard let peak = try peak(arguments, Self.longMessages(), "messages of 16 MiB \(format)") else { return }
        #expect(peak.bytes < (256 + 32) * Self.mebibyte)
    }

    @Test func `a size is understood, or refused with what is expected`() throws {
        let capture = Self.capture(clients: 1, [Self.packet(fromClient: true, at: 5, flags: 0x02)])
        for size in ["64M", "1G", "256MiB", "64m", "16777216", "65536K", "20mb"] {
            #expect(try UnmaskProcess.run(["read", "--memory", size, "-"], input: capture).status == 0, "\(size)")
        }
        for size in ["", "M", "64X", "-64M", "6 4M", "64MM", "99999999999999999999"] {
            let outcome = try UnmaskProcess.run(["read", "--memory=\(size)", "-"], input: capture)
            #expect(outcome.status == 64 || outcome.status == 2, "\(size)")
            #expect(outcome.errors.contains("--memory"), "\(size)")
        }
        for size in ["15M", "0", "9999999999999G", "1025G"] {
            let outcome = try UnmaskProcess.run(["read", "--memory=\(size)", "-"], input: capture)
            #expect(outcome.errors.contains("--memory takes a size from 16M to 1024G."), "\(size)")
        }
        let tooLong = try UnmaskProcess.run(["read", "--memory", "64M", "--payload-limit", "16777216", "-"], input: capture)
        #expect(tooLong.errors.contains("--payload-limit 16777216 needs at least --memory 256M"))
    }
}
