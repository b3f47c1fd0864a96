import Dissection
import Foundation
import Testing

/// Our reader against libpcap's over every capture at hand, which `UNMASK_CAPTURES` names.
///
/// Both have to tell the same packets and agree on whether the file is whole. Where we differ on purpose the file stands
/// in the table with the reason, and has to differ in that way and no other.
struct LibpcapComparisonTests {
    enum Difference: String {
        /// libpcap stops at the first interface whose link type or snapshot length is not the first one's.
        case severalInterfaces
        /// libpcap refuses a file without interfaces; to us it is a capture of nothing.
        case noInterface
        /// libpcap refuses blocks whose length leaves out their padding.
        case unpaddedLength
        /// libpcap gives simple packets, which have no time, the time 0.
        case noTime
        /// libpcap drops the bytes of a packet beyond the file's snapshot length; they are in the file, so we give them.
        case beyondSnapshotLength
        /// libpcap takes the seconds of a pcap file for signed; the format says unsigned (year 2106, not 1901).
        case unsignedSeconds
        /// The same for the fraction, which only a damaged record has so large.
        case unsignedFraction
        /// libpcap reads neither snoop nor Network Monitor files; `OtherFormatTests` holds ours against tshark's.
        case anotherFormat
        /// libpcap on Linux leaves link type 14 as it is, which is raw IP where OpenBSD wrote it.
        case rawIPNumber
    }

    static let table: [String: [Difference]] = [
        "gopacket/717bd6-test012.pcapng": [.noTime],
        "gopacket/test002.pcapng": [.noInterface],
        "gopacket/test006.pcapng": [.severalInterfaces],
        "gopacket/test008.pcapng": [.severalInterfaces],
        "gopacket/test011.pcapng": [.noTime],
        "gopacket/test012.pcapng": [.noTime],
        "gopacket/test014.pcapng": [.severalInterfaces],
        "gopacket/test018.pcapng": [.noTime],
        "gopacket/test101.pcapng": [.severalInterfaces],
        "gopacket/test202.pcapng": [.severalInterfaces],
        "libtrace/complex.pcapng": [.severalInterfaces],
        "ntopng/bgp-bgp_capabilities_print-oobr-1.pcap": [.beyondSnapshotLength],
        "ntopng/icmp-icmp_print-oobr-2.pcap": [.beyondSnapshotLength, .unsignedFraction],
        "ntopng/slip-sliplink_print-oobr.pcap": [.beyondSnapshotLength],
        "pcap-parser/test010-le.pcapng": [.noTime],
        "pcap-parser/test016-be.pcapng": [.noTime],
        "pcap-parser/test017-be.pcapng": [.noInterface],
        "pcapplusplus/BgpPackets.pcap": [.severalInterfaces],
        "pcapplusplus/clusterfuzz-testcase-minimized-FuzzTarget-5755755617189888": [.unsignedSeconds, .rawIPNumber],
        "pcapplusplus/gtp.pcap": [.severalInterfaces],
        "pcapplusplus/gtpv2.pcap": [.severalInterfaces],
        "pcapplusplus/ipsec.pcapng": [.severalInterfaces],
        "pcapplusplus/pcapng-example.pcapng.zst": [.severalInterfaces],
        "pcapplusplus/too_many_interfaces.pcapng": [.severalInterfaces],
        "wireshark-v2g/grpc_stream_reassembly_sample.pcapng.gz": [.severalInterfaces],
        "wireshark-v2g/many_interfaces.pcapng.2": [.severalInterfaces],
        "wireshark-v2g/many_interfaces.pcapng.3": [.severalInterfaces],
        "wireshark/20102008184715.pcap": [.anotherFormat],
        "wireshark/ICA.snoop": [.anotherFormat],
        "wireshark/Manolito2.cap": [.anotherFormat],
        "wireshark/Mixed1.cap": [.anotherFormat],
        "wireshark/WDM-avec-les-protocoles-OSPF-TE-et-RSVP-TE": [.severalInterfaces],
        "wireshark/cmp-trace.pcap.gz": [.anotherFormat],
        "wireshark/ggg.pcap": [.unsignedSeconds],
        "wireshark/http.littleendian.ntar": [.unpaddedLength],
        "wireshark/pcapng-example.pcapng": [.severalInterfaces],
        "wireshark/test001.ntar": [.noInterface],
        "wireshark/test006.ntar": [.unpaddedLength],
        "wireshark/tfp_capture": [.severalInterfaces],
        "zeek/gap-data-missing.pcapng": [.severalInterfaces],
    ]

    @Test func everyCapture() throws {
        guard let folder = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"] else {
            print("skipped: UNMASK_CAPTURES is not set, so there are no captures to compare libpcap on")
            return
        }
        var files = 0
        var packets = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder).sorted() {
            let path = folder + "/" + name
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            let ours = FileReading.byOurs(path)
            let theirs = FileReading.byLibpcap(path)
            let expected = Self.table[name] ?? []
            #expect(
                agree(ours, theirs, expected),
                "\(name) (\(expected)): \(ours.packets.count) packets \(ours.errors), libpcap \(theirs.packets.count) \(theirs.errors)")
            // An entry whose file no longer differs has to go.
            if !expected.isEmpty { #expect(!agree(ours, theirs, []), "\(name) does not differ any more") }
            files += 1
            packets += ours.packets.count
        }
        print("compared with libpcap: \(files) files, \(packets) packets")
    }

    private func agree(_ ours: FileReading, _ theirs: FileReading, _ differences: [Difference]) -> Bool {
        var adjusted = ours
        for difference in differences {
            switch difference {
            case .severalInterfaces:
                return ours.errors.isEmpty && theirs.errors.contains { $0.contains("different from the") }
                    && ours.packets.starts(with: theirs.packets)
            case .unpaddedLength:
                return ours.errors.isEmpty && theirs.errors.contains { $0.contains("not a multiple of 4") }
                    && ours.packets.starts(with: theirs.packets)
            case .anotherFormat:
                return ours.errors.isEmpty && !ours.packets.isEmpty && theirs.errors == ["unknown file format"]
            case .noInterface:
                return ours == FileReading() && theirs.errors == ["the capture file has no Interface Description Blocks"]
            case .noTime, .beyondSnapshotLength, .unsignedSeconds, .unsignedFraction, .rawIPNumber:
                guard ours.packets.count == theirs.packets.count else { return false }
                for index in adjusted.packets.indices {
                    adjust(&adjusted.packets[index], to: theirs.packets[index], difference)
                }
            }
        }
        return adjusted.packets == theirs.packets && adjusted.errors.isEmpty == theirs.errors.isEmpty
    }

    /// Takes the one difference, and nothing else, out of our packet.
    private func adjust(_ ours: inout PacketSummary, to theirs: PacketSummary, _ difference: Difference) {
        switch difference {
        case .severalInterfaces, .unpaddedLength, .noInterface, .anotherFormat: break
        case .noTime: ours.nanoseconds = ours.nanoseconds ?? 0
        case .beyondSnapshotLength:
            guard ours.captured > theirs.captured else { return }
            ours.captured = theirs.captured
            ours.hash = theirs.hash
        case .unsignedSeconds:
            guard let time = ours.nanoseconds, time >= 2_147_483_648_000_000_000 else { return }
            ours.nanoseconds = time - 4_294_967_296_000_000_000
        case .unsignedFraction:
            guard let time = ours.nanoseconds, time - 4_294_967_296_000 == theirs.nanoseconds else { return }
            ours.nanoseconds = theirs.nanoseconds
        case .rawIPNumber:
            if theirs.linkType.rawValue == 14, ours.linkType == .raw { ours.linkType = theirs.linkType }
        }
    }
}
