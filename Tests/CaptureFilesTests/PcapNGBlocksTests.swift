import CaptureFiles
import Dissection
import Testing

/// pcapng files: sections, interfaces, packets of every kind, and what stands beside them.
struct PcapNGBlocksTests {
    @Test("Sections in both byte orders, each with its own interfaces of different link types")
    func sections() {
        var little = CaptureBytes()
        little.section()
        little.interface(link: 1)
        little.interface(link: 113, resolution: 9)
        little.enhancedPacket("ether", interface: 0)
        little.enhancedPacket("cooked", interface: 1)
        var big = CaptureBytes(isBigEndian: true)
        big.section()
        big.interface(link: 101)
        big.enhancedPacket("raw", interface: 0, original: 9)
        #expect(
            listing(of: little.bytes + big.bytes + little.bytes) == [
                "packet 1 1000002000 link 1 5/5 ether",
                "packet 2 1000002 link 113 6/6 cooked",
                "section",
                "packet 3 1000002000 link 101 3/9 raw",
                "section",
                "packet 4 1000002000 link 1 5/5 ether",
                "packet 5 1000002 link 113 6/6 cooked",
            ])
    }

    @Test("Times that nanoseconds do not reach are counted")
    func timesBeyond() throws {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.enhancedPacket("one", ticks: 1 << 62)
        file.enhancedPacket("two")
        #expect(listing(of: file.bytes).map { $0.contains("no time") } == [true, false])
        var reader = try CaptureReader(bytes: file.bytes)
        while let _ = try reader.next() {}
        #expect(reader.packetsBeyondTime == 1)
    }

    @Test("Simple packets have no time, and the snapshot length of the first interface cuts them")
    func simplePackets() {
        var file = CaptureBytes()
        file.section()
        file.interface(snapshotLength: 4)
        file.simplePacket("one")
        file.simplePacket("four", original: 99)
        #expect(listing(of: file.bytes) == ["packet 1 no time link 1 3/3 one", "packet 2 no time link 1 4/99 four"])
    }

    @Test func obsoletePacketBlock() {
        var file = CaptureBytes(isBigEndian: true)
        file.section()
        file.interface()
        file.interface(link: 228)
        file.block(2) {
            $0.add(1 as UInt16, 7)
            $0.add(0 as UInt32, 1_000_002, 3, 60)
            $0.add("old")
            $0.pad()
            $0.option(1, "a remark")
        }
        #expect(listing(of: file.bytes) == ["comment packet(1) a remark", "packet 1 1000002000 link 228 3/60 old"])
    }

    @Test("Comments on section, interface and packet come in order, the packet's right before it")
    func comments() {
        var file = CaptureBytes()
        file.section(comment: "the section")
        file.block(1) {
            $0.add(1 as UInt16, 0)
            $0.add(0 as UInt32)
            $0.option(1, "the interface")
            $0.option(2, "eth0")
        }
        file.enhancedPacket("plain")
        file.enhancedPacket("one", comments: ["first", "second"])
        #expect(
            listing(of: file.bytes) == [
                "comment section the section", "comment interface(0) the interface", "packet 1 1000002000 link 1 5/5 plain",
                "comment packet(2) first", "comment packet(2) second", "packet 2 1000002000 link 1 3/3 one",
            ])
    }

    @Test("An option that is no comment does not keep the packet up, and an end of options ends them")
    func otherOptions() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(6) {
            $0.add(0 as UInt32, 0, 1_000_002, 4, 4)
            $0.add("four")
            $0.option(2, "flag")
            $0.add(0 as UInt32)
            $0.option(1, "behind the end")
        }
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 4/4 four"])
    }

    @Test func secretsNamesAndStatistics() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(0x0A) {
            $0.add(0x544C_534B as UInt32, 6)
            $0.add("CLIENT")
            $0.pad()
            $0.option(1, "keys")
        }
        file.block(4) {
            $0.add(1 as UInt16, 14)
            $0.bytes += [10, 0, 0, 9]
            $0.add("ana\0bob.x\0")
            $0.pad()
            $0.add(2 as UInt16, 18)
            $0.bytes += [UInt8](repeating: 1, count: 16)
            $0.add("v\0")
            $0.pad()
            $0.add(0 as UInt32)
            $0.option(1, "names")
        }
        file.block(5) {
            $0.add(0 as UInt32, 0, 0)
            $0.add(4 as UInt16, 8)
            $0.add(10 as UInt64)
            $0.add(5 as UInt16, 8)
            $0.add(2 as UInt64)
            $0.add(7 as UInt16, 8)
            $0.add(3 as UInt64)
        }
        #expect(
            listing(of: file.bytes) == [
                "secrets \(0x544C_534B) CLIENT", "comment other keys", "name 10.0.0.9 ana", "name 10.0.0.9 bob.x",
                "name 1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1 v", "comment other names", "statistics 0 10 2 3",
            ])
    }

    @Test("Unknown blocks are passed over, however large")
    func unknownBlocks() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(0x0BAD) { $0.add(1 as UInt32) }
        file.block(0xBAD_F00D) { $0.bytes += [UInt8](repeating: 7, count: 20 << 20) }
        file.block(77) { _ in }
        file.enhancedPacket("one")
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 3/3 one"])
    }

    @Test func interfaceFacts() throws {
        var file = CaptureBytes()
        file.section()
        file.interface(link: 276, snapshotLength: 96, resolution: 0x8A, offset: -5, name: "wlan0")
        file.enhancedPacket("one", ticks: 1024 * 7 + 512)
        var reader = try CaptureReader(bytes: file.bytes)
        #expect(listing(of: &reader) == ["packet 1 2500000000 link 276 3/3 one"])
        #expect(
            reader.interfaces == [
                CaptureInterface(
                    linkType: .linuxSLL2, snapshotLength: 96, name: "wlan0", resolution: TimestampResolution(rawValue: 0x8A),
                    timestampOffset: -5)
            ])
    }

    @Test("Damage inside a block is told, and reading goes on after it")
    func damageInside() {
        var file = CaptureBytes()
        file.section()
        file.simplePacket("early")
        file.interface()
        file.enhancedPacket("lost", interface: 3)
        file.enhancedPacket("lost", captured: 5_000)
        file.enhancedPacket("lost", captured: .max)
        file.block(6) {
            $0.add(0 as UInt32, 0, 1_000_002, 4, 4)
            $0.add("kept")
            $0.add(1 as UInt16, 400)
        }
        file.block(0x0A) { $0.add(1 as UInt32, 400) }
        file.simplePacket("long", original: 4_000)
        file.block(4) { $0.add(1 as UInt16, 400) }
        file.enhancedPacket("one")
        #expect(
            listing(of: file.bytes) == [
                "damaged at 28, going on: a simple packet comes before any interface",
                "damaged at 72, going on: a packet names interface 3 of 1",
                "damaged at 108, going on: a packet of 5000 bytes is claimed in a block of 36",
                "damaged at 144, going on: a packet of 4294967295 bytes is claimed in a block of 36",
                "damaged at 180, going on: an option reaches past its block",
                "packet 1 1000002000 link 1 4/4 kept",
                "damaged at 220, going on: secrets of 400 bytes are claimed in a block of 20",
                "damaged at 240, going on: a simple packet of 4000 bytes is claimed in a block of 20",
                "damaged at 260, going on: a name record reaches past its block",
                "packet 2 1000002000 link 1 3/3 one",
            ])
    }

    @Test(
        "A block's length that cannot be ends the reading",
        arguments: [
            (8, "it has at least 32"), (0, "it has at least 32"), (31, "it has at least 32"),
            (0xFFFF_FFFC, "more than the 16908288 that are read"), (UInt32.max, "more than the 16908288 that are read"),
        ] as [(UInt32, String)])
    func hostileLengths(length: UInt32, why: String) {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.enhancedPacket("one")
        file.block(6, length: length) { $0.bytes += [UInt8](repeating: 0, count: 24) }
        #expect(
            listing(of: file.bytes) == [
                "packet 1 1000002000 link 1 3/3 one", "damaged at 84: a block of type 6 claims \(length) bytes, \(why)",
            ])
    }

    @Test("Early writers left the padding out of the length; the block is there whole")
    func unpaddedLength() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(99, length: 14) { $0.add("ab") }
        file.block(6, length: 35) {
            $0.add(0 as UInt32, 0, 1_000_002, 3, 3)
            $0.add("odd")
        }
        file.enhancedPacket("one")
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 3/3 odd", "packet 2 1000002000 link 1 3/3 one"])
        var wrong = CaptureBytes()
        wrong.section()
        wrong.interface()
        wrong.block(6, length: 37) { $0.bytes += [UInt8](repeating: 0, count: 24) }
        #expect(listing(of: wrong.bytes) == ["cutShort at 48: the last block is cut: 36 of 40 bytes"])
    }

    @Test("Where a block's two lengths differ the first is believed if a block follows by it")
    func trailingLength() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(6, trailing: 99) { $0.bytes += [UInt8](repeating: 0, count: 20) }
        let noted = "a block's two lengths differ: 32 before and 99 after it"
        #expect(listing(of: file.bytes) == ["damaged at 48: \(noted)"])
        file.enhancedPacket("one")
        #expect(listing(of: file.bytes) == ["damaged at 48, going on: \(noted)", "packet 1 1000002000 link 1 3/3 one"])
    }

    @Test("A packet block larger than is read is stepped over")
    func tooLargeBlock() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(6) { $0.bytes += [UInt8](repeating: 0, count: 17 << 20) }
        file.enhancedPacket("one")
        #expect(
            listing(of: file.bytes) == [
                "damaged at 48, going on: a block of type 6 claims \((17 << 20) + 12) bytes, more than the 16908288 that are read",
                "packet 1 1000002000 link 1 3/3 one",
            ])
    }

    @Test func sectionsThatCannotBeRead() {
        var future = CaptureBytes()
        future.section(version: 2)
        #expect(listing(of: future.bytes) == ["unsupported at 12: pcapng version 2.0 is not known"])
        var unordered = CaptureBytes()
        unordered.block(0x0A0D_0D0A) { $0.add(0 as UInt32, 0, 0, 0) }
        #expect(listing(of: unordered.bytes) == ["damaged at 0: a pcapng section has no byte order mark"])
    }
}
