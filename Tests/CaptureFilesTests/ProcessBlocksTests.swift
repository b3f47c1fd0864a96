import CaptureFiles
import Testing

/// Processes in pcapng files of macOS: a block names one, and a packet has its number in the section (pcap/pcap-ng.h of Apple's libpcap).
struct ProcessBlocksTests {
    @Test(arguments: [false, true])
    func `a packet comes after its process, whatever the byte order`(isBigEndian: Bool) {
        var file = CaptureBytes(isBigEndian: isBigEndian)
        file.section()
        file.interface()
        file.process(711, name: "curl")
        file.enhancedPacket("one", process: 0)
        file.process(402, name: "Messages")
        file.enhancedPacket("two", comments: ["said"], process: 1)
        file.enhancedPacket("three", process: 0)
        file.enhancedPacket("four")
        #expect(
            listing(of: file.bytes) == [
                "process 711 curl of packet 1", "packet 1 1000002000 link 1 3/3 one",
                "process 402 Messages of packet 2", "comment packet(2) said", "packet 2 1000002000 link 1 3/3 two",
                "process 711 curl of packet 3", "packet 3 1000002000 link 1 5/5 three",
                "packet 4 1000002000 link 1 4/4 four",
            ])
    }

    @Test func `a number without a block says nothing, and neither does a block without number and name`() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.enhancedPacket("before", process: 0)
        file.process(.max, name: nil)
        file.enhancedPacket("unknown", process: 0)
        file.enhancedPacket("beyond", process: 1)
        file.process(0, name: "kernel_task")
        file.enhancedPacket("kernel", process: 1)
        #expect(
            listing(of: file.bytes) == [
                "packet 1 1000002000 link 1 6/6 before", "packet 2 1000002000 link 1 7/7 unknown", "packet 3 1000002000 link 1 6/6 beyond",
                "process 0 kernel_task of packet 4", "packet 4 1000002000 link 1 6/6 kernel",
            ])
    }

    @Test func `a section has processes of its own`() {
        var file = CaptureBytes()
        for name in ["one", nil] {
            file.section()
            file.interface()
            if let name { file.process(1, name: name) }
            file.enhancedPacket("packet", process: 0)
        }
        #expect(
            listing(of: file.bytes) == [
                "process 1 one of packet 1", "packet 1 1000002000 link 1 6/6 packet", "section", "packet 2 1000002000 link 1 6/6 packet",
            ])
    }

    @Test func `a block of another use that has the same type is passed over`() {
        var file = CaptureBytes()
        file.section()
        file.interface()
        file.block(0x8000_0001) { _ in }
        file.enhancedPacket("packet", process: 0)
        #expect(listing(of: file.bytes) == ["packet 1 1000002000 link 1 6/6 packet"])
    }
}
