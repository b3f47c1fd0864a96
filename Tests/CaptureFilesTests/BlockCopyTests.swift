import CaptureFiles
import Dissection
import Testing

/// Blocks of a pcapng file are copied as they stand there, with comments added.
@Suite struct BlockCopyTests {
    /// Copies a file block by block, with a comment on each packet.
    private static func copy(
        _ file: [UInt8], comments: [String] = [], keepsSecrets: Bool = true, bytesPerRead: Int = .max
    ) throws -> [UInt8] {
        var reader = try CaptureReader(bytes: file, name: "test", bytesPerRead: bytesPerRead)
        reader.keepsBlocks = true
        var encoder = PcapNGEncoder()
        while true {
            var isPacket = false
            do throws(CaptureFileError) {
                guard let item = try reader.next() else { break }
                switch item {
                case .block(let block): encoder.copy(block, keepsSecrets: keepsSecrets)
                case .packet: isPacket = true
                case .section, .comment, .process, .secrets, .name, .statistics: continue
                }
            } catch {
                if !error.canGoOn { break }
            }
            if isPacket { encoder.copy(packet: reader.packetBlock, comments: comments) }
        }
        return encoder.buffer
    }

    /// Everything that is known of blocks, in either byte order.
    private static func file(isBigEndian: Bool) -> [UInt8] {
        var file = CaptureBytes(isBigEndian: isBigEndian)
        file.section(comment: "of it all")
        file.interface(link: 1, snapshotLength: 96, resolution: 6, name: "eth0")
        file.block(0x0A) {
            $0.add(0x544C_534B as UInt32, 13)
            $0.add("CLIENT_RANDOM")
        }
        file.enhancedPacket("one", comments: ["known"])
        // Nobody knows what is in it.
        file.block(0x0BAD_F00D) { $0.add("anything") }
        file.interface(link: 101, resolution: 9)
        file.enhancedPacket("four", interface: 1, ticks: 77, original: 1_500)
        return file.bytes
    }

    @Test(arguments: [false, true]) func `a copy without anything added is the file`(isBigEndian: Bool) throws {
        let file = Self.file(isBigEndian: isBigEndian)
        #expect(try Self.copy(file) == file)
        #expect(try Self.copy(file, bytesPerRead: 7) == file)
    }

    @Test(arguments: [false, true]) func `comments stand with those that were there, each once`(isBigEndian: Bool) throws {
        let copied = try Self.copy(Self.file(isBigEndian: isBigEndian), comments: ["known", "new"])
        let expected = [
            "comment section of it all", "secrets 1414288203 CLIENT_RANDOM", "comment packet(1) known", "comment packet(1) new",
            "packet 1 1000002000 link 1 3/3 one", "comment packet(2) known", "comment packet(2) new", "packet 2 77 link 101 4/1500 four",
        ]
        #expect(listing(of: copied) == expected)
        // Once more adds nothing.
        #expect(try Self.copy(copied, comments: ["new"]) == copied)
    }

    @Test func `secrets are left out where that is asked for`() throws {
        let copied = try Self.copy(Self.file(isBigEndian: false), keepsSecrets: false)
        #expect(!listing(of: copied).contains { $0.hasPrefix("secrets") } && listing(of: copied).count == 4)
    }

    @Test func `a block that may not be copied is not, and a section's length goes`() throws {
        var file = CaptureBytes()
        file.block(0x0A0D_0D0A) {
            $0.add(0x1A2B_3C4D as UInt32)
            $0.add(1 as UInt16, 0)
            $0.add(4_711 as UInt64)
        }
        file.interface()
        file.block(0x4000_0BAD) { $0.add(7 as UInt32, 8) }
        file.enhancedPacket("one")
        let copied = try Self.copy(file.bytes)
        #expect(copied.count == file.bytes.count - 20)
        #expect(copied[16..<24].allSatisfy { $0 == 0xFF })
    }

    @Test func `a section of a version that is not read is left out`() throws {
        let file = Self.file(isBigEndian: false)
        var next = CaptureBytes()
        next.block(0x0A0D_0D0A) {
            $0.add(0x1A2B_3C4D as UInt32)
            $0.add(2 as UInt16, 0)
            $0.add(UInt64.max)
        }
        #expect(try Self.copy(file + next.bytes) == file)
    }

    @Test func `an option that reaches past its block is left out of the copy`() throws {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(6) {
            $0.add(0 as UInt32, 0, 5, 4, 4)
            $0.add("four")
            $0.option(1, "good")
            $0.add(1 as UInt16, 900)
        }
        let copied = try Self.copy(file.bytes)
        #expect(listing(of: copied) == ["comment packet(1) good", "packet 1 5000 link 1 4/4 four"])
        // A second section, in the other order.
        let both = try Self.copy(file.bytes + Self.file(isBigEndian: true), comments: ["x"])
        #expect(listing(of: both).count(where: { $0.hasPrefix("packet") }) == 3)
    }
}
