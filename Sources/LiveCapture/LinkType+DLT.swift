import CLibpcap
import Dissection

/// libpcap names link types by DLT_ numbers, which differ between systems for a few; files carry LINKTYPE_ ones.
extension LinkType {
    /// The link type of a DLT_ number of this system's libpcap.
    package init(dataLink: Int32) {
        switch dataLink {
        case DLT_RAW: self = .raw
        case DLT_ATM_RFC1483: self.init(rawValue: 100)
        case DLT_SLIP_BSDOS: self.init(rawValue: 102)
        case DLT_PPP_BSDOS: self.init(rawValue: 103)
        case DLT_LOOP: self = .loop
        case DLT_ENC: self.init(rawValue: 109)
        case DLT_ATM_CLIP: self.init(rawValue: 106)
        case DLT_PFSYNC: self.init(rawValue: 246)
        default: self.init(rawValue: UInt32(bitPattern: dataLink))
        }
    }

    /// The DLT_ number of this system's libpcap.
    package var dataLink: Int32 {
        switch rawValue {
        case 101: DLT_RAW
        case 100: DLT_ATM_RFC1483
        case 102: DLT_SLIP_BSDOS
        case 103: DLT_PPP_BSDOS
        case 108: DLT_LOOP
        case 109: DLT_ENC
        case 106: DLT_ATM_CLIP
        case 246: DLT_PFSYNC
        default: Int32(truncatingIfNeeded: rawValue)
        }
    }

    /// The registry's name, such as `EN10MB`, or the number.
    package var name: String {
        pcap_datalink_val_to_name(dataLink).map { String(cString: $0) } ?? "\(rawValue)"
    }
}
