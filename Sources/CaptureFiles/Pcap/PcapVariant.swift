import Dissection

/// What the first four bytes of a pcap file say: byte order, resolution, and how long the headers are.
///
/// Besides the format of draft-ietf-opsawg-pcap these are its known relatives; libpcap's sf-pcap.c and Wireshark's
/// wiretap/libpcap.c describe them.
struct PcapVariant {
    var isSwapped: Bool
    /// Nanoseconds that one unit of the second timestamp field stands for.
    var fractionNanoseconds: UInt64
    var fileHeaderLength: Int
    var recordHeaderLength: Int
    /// Whether others wrote longer record headers under the same magic number.
    var hasRelatives = false

    init?(magic: UInt32) {
        for (candidate, isSwapped) in [(magic, false), (magic.byteSwapped, true)] {
            switch candidate {
            case 0xA1B2_C3D4: self.init(isSwapped, 1_000, 24, 16, hasRelatives: true)
            case 0xA1B2_3C4D: self.init(isSwapped, 1, 24, 16)
            // Alexey Kuznetzov's patches to libpcap: interface index, protocol and packet type in each record.
            case 0xA1B2_CD34: self.init(isSwapped, 1_000, 24, 24, hasRelatives: true)
            // Ixia lcap, captured in hardware and in software: the length of all records after the file header.
            case 0x1C00_01AC: self.init(isSwapped, 1, 28, 16)
            case 0x1C00_01AB: self.init(isSwapped, 1_000, 28, 16)
            default: continue
            }
            return
        }
        return nil
    }

    private init(
        _ isSwapped: Bool, _ fractionNanoseconds: UInt64, _ fileHeaderLength: Int, _ recordHeaderLength: Int,
        hasRelatives: Bool = false
    ) {
        self.hasRelatives = hasRelatives
        self.isSwapped = isSwapped
        self.fractionNanoseconds = fractionNanoseconds
        self.fileHeaderLength = fileHeaderLength
        self.recordHeaderLength = recordHeaderLength
    }

    /// Magic numbers that relatives of pcap are known to have used and whose records nobody documents.
    static func undocumentedName(magic: UInt32) -> String? {
        for candidate in [magic, magic.byteSwapped] {
            switch candidate {
            case 0xA1B2_34CD: return "a pcap file of Francisco Mesquita's modified tcpdump"
            case 0xA12B_3C4D: return "a pcap file of Navtel's modified tcpdump"
            case 0xA1B2_C3CB: return "a file of compiled BPF filters"
            case 0xA1E2_CB12: return "a pcap file of an undocumented variant"
            default: continue
            }
        }
        return nil
    }
}
