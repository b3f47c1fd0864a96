import Dissection
import Foundation
import Testing

/// The TCP segments of classic pcap files among the captures at hand, held against tshark's count.
///
/// The numbers come from tshark 4.0.17, `-Y 'tcp && !icmp && !icmpv6'` (headers that ICMP quotes are no segments).
@Suite("TCP segments in captures, as tshark counts them")
struct CapturedSegmentTests {
    @Test(arguments: SegmentCount.all)
    func count(_ row: SegmentCount) throws {
        guard let folder = ProcessInfo.processInfo.environment["UNMASK_CAPTURES"] else {
            print("skipped: UNMASK_CAPTURES is not set, so there is no \(row.capture)")
            return
        }
        guard let file = FileManager.default.contents(atPath: folder + "/" + row.capture) else {
            print("skipped: \(row.capture) is not in UNMASK_CAPTURES")
            return
        }
        var decoder = PacketDecoder()
        var segments = 0
        for (number, packet) in ClassicCapture(Array(file)).packets.enumerated() {
            let decoded = decoder.decode(
                packet.bytes, link: packet.linkType, number: UInt64(number + 1), time: packet.nanoseconds,
                originalLength: packet.originalLength)
            if decoded.segment != nil { segments += 1 }
        }
        #expect(segments == row.ours)
    }
}

/// What one capture holds.
struct SegmentCount: Sendable, CustomStringConvertible {
    var capture: String
    var tshark: Int
    /// Ours, where it is not tshark's, and why.
    var difference: (ours: Int, reason: String)?
    var ours: Int { difference?.ours ?? tshark }
    var description: String { capture }

    init(_ capture: String, _ tshark: Int, ours: Int? = nil, _ reason: String = "") {
        self.capture = capture
        self.tshark = tshark
        if let ours { difference = (ours, reason) }
    }

    static let all: [SegmentCount] = [
        SegmentCount("aircrack-ng/pmkid-not-recognized.cap", 0),
        SegmentCount("arkime/arkime_synthetic.pcap", 733),
        SegmentCount("arkime/cassandra1.pcap", 4),
        SegmentCount("arkime/irc-cap-req.pcap", 26),
        SegmentCount("arkime/irc.pcap", 29),
        SegmentCount("arkime/nflog.pcap", 10),
        SegmentCount("arkime/tcpseq_synthetic.pcap", 39),
        SegmentCount("arkime/wireshark-retrans.pcap", 108),
        SegmentCount("libpcap/AH-IPcomp-IPv4.pcap", 10, ours: 6, "four packets are compressed (IPComp), which tshark inflates"),
        SegmentCount("libpcap/http_PPI.pcap", 1),
        SegmentCount("libpcap/pcap-invalid-version-1.pcap", 0),
        SegmentCount("libpcap/pcap-invalid-version-2.pcap", 0),
        SegmentCount("libtrace/100_packetsns.pcap", 92),
        SegmentCount("mercury/emix.pcap", 5571),
        SegmentCount("mercury/redis.pcap", 34),
        SegmentCount("mercury/redis_exposed_creds.pcap", 1),
        SegmentCount("ndpi/BGP_Cisco_hdlc_slarp.pcap", 14),
        SegmentCount("ndpi/BGP_redist.pcap", 2),
        SegmentCount("ndpi/KakaoTalk_chat.pcap", 310),
        SegmentCount("ndpi/WebattackSQLinj.pcap", 94),
        SegmentCount("ndpi/ajp.pcap", 38),
        SegmentCount("ndpi/amqp.pcap", 160),
        SegmentCount("ndpi/emotet.pcap", 169),
        SegmentCount("ndpi/fuzz-2006-09-29-28586.pcap", 117, ours: 114, "three TCP headers longer than their packets"),
        SegmentCount("ndpi/fuzz-2021-10-13.pcap", 0),
        SegmentCount("ndpi/http-lines-split.pcap", 14),
        SegmentCount("ndpi/http_auth.pcap", 33),
        SegmentCount("ndpi/http_connect.pcap", 98),
        SegmentCount("ndpi/mpeg-dash.pcap", 13),
        SegmentCount("ndpi/nats.pcap", 27),
        SegmentCount("ndpi/quickplay.pcap", 155),
        SegmentCount("ndpi/rsync.pcap", 30),
        SegmentCount("ndpi/websocket.pcap", 5),
        SegmentCount("ndpi/whatsapp_voice_and_message.pcap", 217),
        SegmentCount("ndpi/whatsappfiles.pcap", 620),
        SegmentCount("ndpi/xss.pcap", 11),
        SegmentCount("nfstream/cassandra.pcap", 286),
        SegmentCount("nfstream/skype.pcap", 2564),
        SegmentCount("nfstream/webex.pcap", 1542),
        SegmentCount("ntopng/beep-oobr.pcap", 1),
        SegmentCount(
            "ntopng/bgp-bgp_capabilities_print-oobr-1.pcap", 1, ours: 0, "a first fragment alone, its length off the boundary of eight bytes"),
        SegmentCount("ntopng/hoobr_nfs_printfh.pcap", 1),
        SegmentCount("packetnet/80211_qos_data_frame_ipv4_tcp.pcap", 1),
        SegmentCount("packetnet/gre_custom_protocol.pcap", 1),
        SegmentCount("pcap4j/IpV4HelperTest.pcap", 0),
        SegmentCount("pcapflowlab/01_pbb_ipv4_tcp.pcap", 1),
        SegmentCount("pcapflowlab/02_ipv4_eoip_inner_ipv4_tcp.pcap", 1),
        SegmentCount("pcapflowlab/10_outer_qinq_ipv6_in_ipv4_tcp.pcap", 1),
        SegmentCount("pcapflowlab/11_vxlan_inner_ipv4_tcp_bidirectional.pcap", 2),
        SegmentCount("pcapflowlab/20_geneve_outer_tagged_contexts.pcap", 1),
        SegmentCount("pcapflowlab/tls_1_0_badssl_baseline_12.pcap", 26),
        SegmentCount("pcapplusplus/650HttpResponses.pcap", 682),
        SegmentCount("pcapplusplus/clusterfuzz-testcase-FuzzTarget-6207688043397120", 0),
        SegmentCount("pcapplusplus/clusterfuzz-testcase-minimized-FuzzTarget-4683685084594176", 0),
        SegmentCount("pcapplusplus/clusterfuzz-testcase-minimized-FuzzTarget-5165538295939072", 1),
        SegmentCount("pcapplusplus/clusterfuzz-testcase-minimized-FuzzTarget-5643903448645632", 1),
        SegmentCount("pcapplusplus/clusterfuzz-testcase-minimized-FuzzTarget-5755755617189888", 1),
        SegmentCount("pcapplusplus/clusterfuzz-testcase-minimized-FuzzTarget-5766899836387328", 0),
        SegmentCount("pcapplusplus/crash-8534c61cdf5987482365d7877ade12eef5aaf8b7", 0),
        SegmentCount("pcapplusplus/crash-invalid-asn-record-len", 1),
        SegmentCount("pcapplusplus/nanosecs_big_endian.pcap", 10),
        SegmentCount("pcapplusplus/packet_trailer.pcap", 1),
        SegmentCount("suricata-verify/0235d2-input.pcap", 52),
        SegmentCount("suricata-verify/14b9e1-input.pcap", 7),
        SegmentCount("suricata-verify/1b26c9-input.pcap", 9),
        SegmentCount("suricata-verify/627a44-input.pcap", 50),
        SegmentCount("suricata-verify/631f3d-input.pcap", 19),
        SegmentCount("suricata-verify/8ca4ba-input.pcap", 48),
        SegmentCount("suricata-verify/9d980f-input.pcap", 60),
        SegmentCount("suricata-verify/a73b63-input.pcap", 6, ours: 5, "a TCP header of eight bytes"),
        SegmentCount("suricata-verify/ac571a-input.pcap", 46),
        SegmentCount("suricata-verify/ae59cb-input.pcap", 8),
        SegmentCount("suricata-verify/aeab50-input.pcap", 5),
        SegmentCount("suricata-verify/b2340b-input.pcap", 2982),
        SegmentCount("suricata-verify/b48e18-input.pcap", 3),
        SegmentCount("suricata-verify/backwards.pcap", 28),
        SegmentCount("suricata-verify/da1cfe-input.pcap", 2696),
        SegmentCount("suricata-verify/dns_over_https_POST.pcap", 147),
        SegmentCount("suricata-verify/eff3cc-input.pcap", 10),
        SegmentCount("suricata-verify/fb073f-input.pcap", 8),
        SegmentCount("suricata-verify/frag-ppp-ipv6-tcp.pcap", 1),
        SegmentCount("suricata-verify/fuzz.pcap", 0),
        SegmentCount("suricata-verify/http2-range.pcap", 116),
        SegmentCount("suricata-verify/http2_deflate.pcap", 30),
        SegmentCount("suricata-verify/http2_userinfo_in_authority_1.pcap", 9),
        SegmentCount("suricata-verify/input.pcap", 1),
        SegmentCount("suricata-verify/sample_10.62.112.41_62227.pcap", 24),
        SegmentCount("suricata-verify/tcp-overlap.pcap", 7),
        SegmentCount("tcpdump/beep-oobr.pcap", 1),
        SegmentCount("tcpdump/bgp-shutdown-msg-variations.pcap", 3),
        SegmentCount("tcpdump/gso-ipv4-geneve-ipv4.pcap", 1),
        SegmentCount("tcpdump/gso-ipv6-vxlan-ipv6.pcap", 1),
        SegmentCount("tcpdump/ipv4_tcp_http_xml.pcap", 1),
        SegmentCount("tcpdump/tcp-auth-heapoverflow.pcap", 1),
        SegmentCount("tcpflow/test-gzip.pcap", 7),
        SegmentCount("tcpreplay/test.rewrite_dlthdlc", 116),
        SegmentCount(
            "tcpreplay/test.rewrite_efcs", 116, ours: 110,
            "the frames lost their last four bytes, and six of them part of the TCP header with it"),
        SegmentCount("tcpreplay/test2.rewrite_dltuser", 116),
        SegmentCount("wireshark-v2g/trunc.pcap", 1),
        SegmentCount("wireshark/ApplyMegacoInFilter.pcap", 3965),
        SegmentCount("wireshark/MINET-SAC-Traces.pcap", 903),
        SegmentCount("wireshark/Ping-1600-bytes.pcap", 0),
        SegmentCount("wireshark/S5066-HFChat-1.pcap", 44),
        SegmentCount("wireshark/anoop.pcap", 70),
        SegmentCount("wireshark/dssetup_DsRoleGetPrimaryDomainInformation_ad_dc.cap", 7),
        SegmentCount("wireshark/echi12.pcap", 2347),
        SegmentCount("wireshark/ejemplo.pcap", 1, ours: 0, "a TCP header of no bytes"),
        SegmentCount("wireshark/fix.pcap", 485),
        SegmentCount("wireshark/ggg.pcap", 2),
        SegmentCount("wireshark/ipv4frags.pcap", 0),
        SegmentCount("wireshark/jul23-fastbusy-at-ccm-when-flex-oh-hook_1.pcap", 3174),
        SegmentCount("wireshark/kev", 287),
        SegmentCount("wireshark/mka-windows-xp-tracert.pcap", 3),
        SegmentCount("wireshark/monitoreo-trafico.pcap", 559),
        SegmentCount("wireshark/nb6-startup.pcap", 116),
        SegmentCount("wireshark/nflog.pcap", 13),
        SegmentCount("wireshark/openwire_sample.pcap", 217),
        SegmentCount("wireshark/probe.cap", 18),
        SegmentCount("wireshark/shark.pcap", 3213),
        SegmentCount("wireshark/ssl.dump.pcap", 14),
        SegmentCount("wireshark/websocket.pcap", 19),
        SegmentCount("wireshark/xxcc.pcap", 4545),
        SegmentCount("zeek-training/03-tables-basic-usage.pcap", 996),
        SegmentCount("zeek/bigtransfer.pcap", 83),
        SegmentCount("zeek/connect-with-header.pcap", 58),
        SegmentCount("zeek/docker-http-upgrade.pcap", 200),
        SegmentCount("zeek/geneve-47101.pcap", 24),
        SegmentCount("zeek/gtp2_different_udp_port.pcap", 78),
        SegmentCount("zeek/irc-dcc-send-malformed-port.pcap", 1),
        SegmentCount("zeek/mpls-in-vlan.pcap", 3),
        SegmentCount("zeek/pbb.pcap", 8),
        SegmentCount("zeek/reply-ping-coalesced.pcap", 16),
        SegmentCount("zeek/smtp.pcap", 118),
        SegmentCount("zeek/smuggle-http-request.pcap", 23),
        SegmentCount("zeek/two-binary-fragments.pcap", 18),
        SegmentCount("zeek/variant-09-te_obs_fold.pcap", 8),
        SegmentCount("zeek/vlan-collisions.pcap", 42),
        SegmentCount("zeek/vntag_vlan_sandwich_clean.pcap", 1),
        SegmentCount("zeek/websocket.pcap", 27),
        SegmentCount("zeek/websocket_baseline.pcap", 15),
        SegmentCount("zeek/websocket_compressed.pcap", 15),
        SegmentCount("zeek/wrong-accept-header.pcap", 12),
        SegmentCount("zeek/wstunnel-https.pcap", 124),
        SegmentCount("zeek/wstunnel-ssh.pcap", 258),
        SegmentCount("zeek/xmpp-starttls.pcap", 34),
    ]
}

/// Just enough of a reader for this test: pcap of both byte orders, as far as it is whole.
struct ClassicCapture {
    struct Packet {
        var linkType: LinkType
        var nanoseconds: Int64
        var originalLength: Int
        var bytes: [UInt8]
    }

    private(set) var packets: [Packet] = []

    init(_ file: [UInt8]) {
        guard file.count >= 24 else { return }
        let magic = Self.number(file, 0, bigEndian: true)
        let isBig = magic == 0xA1B2_C3D4 || magic == 0xA1B2_3C4D
        let unit: Int64 = magic == 0xA1B2_3C4D || magic == 0x4D3C_B2A1 ? 1 : 1_000
        let linkType = LinkType(rawValue: UInt32(Self.number(file, 20, bigEndian: isBig) & 0xFFFF))
        var offset = 24
        while offset + 16 <= file.count {
            let length = Self.number(file, offset + 8, bigEndian: isBig)
            guard offset + 16 + length <= file.count else { return }
            let seconds = Int64(Self.number(file, offset, bigEndian: isBig))
            let fraction = Int64(Self.number(file, offset + 4, bigEndian: isBig))
            packets.append(
                Packet(
                    linkType: linkType, nanoseconds: seconds * 1_000_000_000 + fraction * unit,
                    originalLength: Self.number(file, offset + 12, bigEndian: isBig),
                    bytes: Array(file[offset + 16..<offset + 16 + length])))
            offset += 16 + length
        }
    }

    private static func number(_ file: [UInt8], _ offset: Int, bigEndian: Bool) -> Int {
        let bytes = file[offset..<offset + 4]
        return (bigEndian ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}
