import CaptureFiles
import Dissection
import Foundation
import Testing

/// What lies between a reader and its input: reads of any size, compression, and inputs that end anywhere.
struct ByteSourceTests {
    /// A pcap and a pcapng file with a little of everything.
    private static let files: [[UInt8]] = {
        var pcap = CaptureBytes()
        pcap.pcapHeader()
        for word in ["one", "three", "", "eleven"] { pcap.pcapRecord(word) }
        var ng = CaptureBytes(isBigEndian: true)
        ng.section(comment: "made here")
        ng.interface(resolution: 9, name: "eth0")
        ng.enhancedPacket("one", comments: ["a", "b"])
        ng.block(99) { $0.add(1 as UInt32, 2, 3) }
        ng.simplePacket("two")
        ng.block(0x0A) {
            $0.add(1 as UInt32, 4)
            $0.add("keys")
        }
        ng.enhancedPacket("three")
        return [pcap.bytes, ng.bytes]
    }()

    @Test("However few bytes a read brings, the items are the same", arguments: files)
    func readSizes(file: [UInt8]) {
        let whole = listing(of: file)
        #expect(whole.count >= 4)
        for size in [1, 2, 3, 7, 64] { #expect(listing(of: file, bytesPerRead: size) == whole) }
        for compressed in [Compression.gzip(file), Compression.zstd(file)] {
            #expect(listing(of: compressed) == whole)
            #expect(listing(of: compressed, bytesPerRead: 1) == whole)
        }
    }

    @Test("Gzip members and zstd frames one after the other are one stream", arguments: files)
    func concatenated(file: [UInt8]) {
        let whole = listing(of: file)
        for cut in stride(from: 0, through: file.count, by: 5) {
            let (head, tail) = (Array(file[..<cut]), Array(file[cut...]))
            #expect(listing(of: Compression.gzip(head) + Compression.gzip(tail)) == whole)
            let skippable: [UInt8] = [0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 9, 9]
            #expect(listing(of: skippable + Compression.zstd(head) + skippable + Compression.zstd(tail)) == whole)
        }
        #expect(listing(of: Compression.gzip(file) + [UInt8](repeating: 0, count: 600), bytesPerRead: 7) == whole)
    }

    @Test("Cut at every byte: the whole packets before the cut, then one error that names the place", arguments: files)
    func cuts(file: [UInt8]) {
        let whole = listing(of: file)
        for count in 0..<file.count {
            let cut = listing(of: Array(file[..<count]))
            let packets = cut.dropLast()
            #expect(Array(packets) == Array(whole.prefix(packets.count)))
            guard let last = cut.last else {
                // Nothing but headers: a clean end right behind them.
                #expect(count == 24)
                continue
            }
            if count < 4 {
                #expect(last.hasPrefix("notACapture at 0"))
            } else if last.hasPrefix("cutShort at ") {
                let offset = Int(last.dropFirst(12).prefix { $0 != ":" })
                #expect(offset.map { $0 <= count && count - $0 < 64 } == true, "\(last)")
            } else {
                // Ends between two records, which nothing can tell from a whole file.
                #expect(cut == Array(whole.prefix(cut.count)), "\(last)")
            }
            #expect(listing(of: Array(file[..<count]), bytesPerRead: 1) == cut)
        }
    }

    @Test("The error for a cut packet says how much of it there is")
    func cutPacket() {
        let file = Self.files[0]
        #expect(listing(of: Array(file[..<50])).last == "cutShort at 43: the last packet's header is cut: 7 of 16 bytes")
        #expect(listing(of: Array(file[..<60])).last == "cutShort at 43: the last packet is cut: 1 of 5 bytes")
        #expect(listing(of: Array(Self.files[1][..<130])).last?.hasPrefix("cutShort at 80: the last block is cut: 50 of ") == true)
    }

    @Test("Compressed data that ends early: what was whole, then the reason", arguments: files)
    func cutCompression(file: [UInt8]) {
        let whole = listing(of: file)
        for compressed in [Compression.gzip(file), Compression.zstd(file)] {
            for count in stride(from: 4, to: compressed.count, by: 3) {
                let cut = listing(of: Array(compressed[..<count]))
                #expect(Array(cut.dropLast()) == Array(whole.prefix(cut.count - 1)))
                #expect(cut.last?.contains("data ends early") == true, "\(count) \(cut)")
            }
        }
    }

    @Test func damagedCompression() {
        var gzip = Compression.gzip(Self.files[0])
        gzip[gzip.count - 6] ^= 0xFF
        #expect(listing(of: gzip).last?.contains("the gzip data is damaged (incorrect data check)") == true)
        var zstd = Compression.zstd(Self.files[0])
        zstd[6] ^= 0xFF
        #expect(listing(of: zstd).last?.contains("the zstd data is damaged") == true)
        let trailed = listing(of: Compression.gzip(Self.files[0]) + Array("rest".utf8))
        #expect(trailed.dropLast() == listing(of: Self.files[0])[...])
        #expect(trailed.last?.contains("what follows the gzip data is not gzip") == true)
    }

    @Test("A packet larger than the buffer makes it grow, a small one after it does not")
    func largePackets() {
        var file = CaptureBytes()
        file.section()
        file.interface(link: 249)
        file.enhancedPacket(String(repeating: "x", count: 3 << 20))
        file.enhancedPacket("small")
        let expected = ["packet 1 1000002000 link 249 3145728/3145728 3145728 bytes", "packet 2 1000002000 link 249 5/5 small"]
        #expect(listing(of: file.bytes) == expected)
        #expect(listing(of: file.bytes, bytesPerRead: 10_000) == expected)
        #expect(listing(of: Compression.zstd(file.bytes)) == expected)
    }

    @Test("Any byte changed to anything: the reading ends, and never by a trap", arguments: files)
    func changedBytes(file: [UInt8]) {
        for index in file.indices {
            for value: UInt8 in [0, 1, 4, 0x7F, 0x80, 0xFC, 0xFF] {
                var changed = file
                changed[index] = value
                #expect(listing(of: changed).count < 40)
            }
        }
    }

    @Test("Progress counts the bytes of the input, compressed where it is compressed")
    func progress() throws {
        let compressed = Compression.gzip(Self.files[0])
        var reader = try CaptureReader(bytes: compressed)
        _ = listing(of: &reader)
        #expect(reader.inputBytes == UInt64(compressed.count))
        #expect(reader.inputSize == UInt64(compressed.count))
    }

    /// A named pipe that a thread writes `bytes` to and keeps open until the test is done.
    private func withPipe(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "capture-\(UUID().uuidString)"
        try #require(mkfifo(path, 0o600) == 0)
        defer { unlink(path) }
        let isDone = DispatchSemaphore(value: 0)
        let hasClosed = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let writer = open(path, O_WRONLY)
            _ = bytes.withUnsafeBytes { write(writer, $0.baseAddress, $0.count) }
            isDone.wait()
            close(writer)
            hasClosed.signal()
        }
        defer {
            isDone.signal()
            hasClosed.wait()
        }
        try body(path)
    }

    @Test("A packet from a live pipe is told as soon as it is there, and the stop flag ends the wait for more")
    func livePipe() throws {
        var file = CaptureBytes()
        file.pcapHeader()
        file.pcapRecord("one")
        try withPipe(file.bytes) { path in
            let stop = StopFlag()
            var reader = try CaptureReader(path: path, stop: stop)
            if case .packet(let packet)? = try reader.next() { #expect(packet.number == 1) } else { Issue.record("no packet") }
            #expect(reader.inputSize == nil)
            stop.stop()
            let isAtEnd = try reader.next() == nil
            #expect(isAtEnd)
        }
    }

    @Test func inputsThatCannotBeOpened() {
        #expect(throws: CaptureFileError.self) { _ = try CaptureReader(path: "/no/such/file") }
        do {
            _ = try CaptureReader(path: "/")
        } catch {
            #expect(error.description == "/: cannot read: Is a directory")
        }
    }
}
