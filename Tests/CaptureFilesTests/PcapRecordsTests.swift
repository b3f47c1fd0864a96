import CaptureFiles
import Dissection
import Testing

/// pcap files of every variant, in both byte orders.
struct PcapRecordsTests {
    @Test(arguments: [false, true])
    func microseconds(isBigEndian: Bool) {
        var file = CaptureBytes(isBigEndian: isBigEndian)
        file.pcapHeader()
        file.pcapRecord("one", seconds: 7, fraction: 500_000)
        file.pcapRecord("two", seconds: 8, fraction: 1, original: 1_500)
        #expect(
            listing(of: file.bytes) == [
                "packet 1 7500000000 link 1 3/3 one",
                "packet 2 8000001000 link 1 3/1500 two",
            ])
    }

    @Test(arguments: [false, true])
    func nanoseconds(isBigEndian: Bool) {
        var file = CaptureBytes(isBigEndian: isBigEndian)
        file.pcapHeader(magic: 0xA1B2_3C4D)
        file.pcapRecord("one", seconds: 7, fraction: 123_456_789)
        #expect(listing(of: file.bytes) == ["packet 1 7123456789 link 1 3/3 one"])
    }

    @Test("Times after 2038 are unsigned, and the largest one fits")
    func lateTimes() {
        var file = CaptureBytes()
        file.pcapHeader()
        file.pcapRecord("late", seconds: .max, fraction: .max)
        #expect(listing(of: file.bytes) == ["packet 1 4294971589967295000 link 1 4/4 late"])
    }

    @Test("Kuznetzov's records have eight more bytes of header", arguments: [false, true])
    func modified(isBigEndian: Bool) {
        var file = CaptureBytes(isBigEndian: isBigEndian)
        file.pcapHeader(magic: 0xA1B2_CD34)
        file.pcapRecord("one", extra: [0, 0, 0, 1, 8, 0, 4, 0])
        file.pcapRecord("two", extra: [0, 0, 0, 1, 8, 0, 4, 0])
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 3/3 one", "packet 2 1000002000 link 1 3/3 two"])
    }

    @Test(
        "Longer record headers under a common magic number are found by the first records",
        arguments: [
            (0xA1B2_C3D4 as UInt32, 20), (0xA1B2_C3D4, 24), (0xA1B2_CD34, 28),
        ])
    func longerHeaders(magic: UInt32, headerLength: Int) {
        let extra: [UInt8] = [0, 0, 0, 1, 8, 0, 4, 0, 0, 0, 0, 0]
        var file = CaptureBytes()
        file.pcapHeader(magic: magic)
        for word in ["first", "second", "third"] { file.pcapRecord(word, extra: Array(extra.prefix(headerLength - 16))) }
        let expected = [
            "packet 1 1000002000 link 1 5/5 first", "packet 2 1000002000 link 1 6/6 second",
            "packet 3 1000002000 link 1 5/5 third",
        ]
        #expect(listing(of: file.bytes) == expected)
        #expect(listing(of: file.bytes, bytesPerRead: 1) == expected)
    }

    @Test(
        "Ixia's files have four more bytes of file header",
        arguments: [
            (0x1C00_01AC as UInt32, 1_000_000_002), (0x1C00_01AB, 1_000_002_000),
        ])
    func ixia(magic: UInt32, time: Int) {
        for isBigEndian in [false, true] {
            var file = CaptureBytes(isBigEndian: isBigEndian)
            file.pcapHeader(magic: magic)
            file.add(19 as UInt32)
            file.pcapRecord("one")
            #expect(listing(of: file.bytes) == ["packet 1 \(time) link 1 3/3 one"])
        }
    }

    @Test("Before version 2.3 the original length stands first")
    func oldLengthOrder() {
        for version: (UInt16, UInt16) in [(2, 0), (2, 2), (543, 0)] {
            var file = CaptureBytes()
            file.pcapHeader(version: version)
            file.add(1 as UInt32, 2, 60, 3)
            file.add("one")
            #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 3/60 one"])
        }
    }

    @Test("Version 2.3 was written both ways: the smaller length is the captured one")
    func eitherLengthOrder() {
        var file = CaptureBytes()
        file.pcapHeader(version: (2, 3))
        file.add(1 as UInt32, 2, 60, 3)
        file.add("one")
        file.add(1 as UInt32, 2, 3, 60)
        file.add("two")
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 3/60 one", "packet 2 1000002000 link 1 3/60 two"])
    }

    @Test("AIX counts nanoseconds and numbers its interfaces as RFC 1573 does")
    func aix() {
        var file = CaptureBytes()
        file.pcapHeader(version: (2, 2), network: 6)
        file.add(1 as UInt32, 2, 3, 3)
        file.add("one")
        #expect(listing(of: file.bytes) == ["packet 1 1000000002 link 1 3/3 one"])
    }

    @Test("The upper bits of the link type are the frame check sequence's length")
    func frameCheckSequence() throws {
        var file = CaptureBytes()
        file.pcapHeader(network: 0x2400_0001)
        file.pcapRecord("one")
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 3/3 one"])
        let reader = try CaptureReader(bytes: file.bytes)
        #expect(
            reader.interfaces == [
                CaptureInterface(linkType: .ethernet, snapshotLength: 65_535, frameCheckSequenceLength: 4)
            ])
    }

    @Test("The numbers that BSD systems use for raw IP", arguments: [12, 14] as [UInt32])
    func rawIP(number: UInt32) {
        var file = CaptureBytes()
        file.pcapHeader(network: number)
        file.pcapRecord("E")
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 101 1/1 E"])
    }

    @Test func unknownVersions() {
        for version: (UInt16, UInt16) in [(1, 4), (2, 5), (3, 0), (0, 0)] {
            var file = CaptureBytes()
            file.pcapHeader(version: version)
            file.pcapRecord("one")
            #expect(listing(of: file.bytes) == ["unsupported at 4: pcap version \(version.0).\(version.1) is not known"])
        }
    }

    @Test("A length that no packet has is damage, and no memory is taken for it")
    func hostileLength() {
        for length: UInt32 in [262_145, 0x7FFF_FFFF, .max] {
            var file = CaptureBytes()
            file.pcapHeader()
            file.pcapRecord("one")
            file.add(1 as UInt32, 2, length, length)
            file.add("two")
            #expect(
                listing(of: file.bytes) == [
                    "packet 1 1000002000 link 1 3/3 one",
                    "damaged at 43: a packet of \(length) bytes is claimed, link type 1 has 262144 at most",
                ])
        }
    }

    @Test func numbersGoOnThroughSeveralInputs() throws {
        var file = CaptureBytes()
        file.pcapHeader()
        file.pcapRecord("one")
        var first = try CaptureReader(bytes: file.bytes)
        #expect(listing(of: &first).count == 1)
        #expect(first.nextPacketNumber == 2)
        #expect(
            listing(of: file.bytes, firstPacketNumber: first.nextPacketNumber) == ["packet 2 1000002000 link 1 3/3 one"])
    }
}
