import CLibpcap

/// An interface of this machine that libpcap can listen to.
public struct NetworkInterface: Hashable, Sendable {
    /// The system's name, such as `eth0`.
    public var name: String
    /// libpcap's words about it, where it has some.
    public var detail: String?
    public var isLoopback: Bool
    public var isUp: Bool

    /// Every interface that libpcap knows, in its order (the likely ones first).
    public static func all() throws(LiveCaptureError) -> [NetworkInterface] {
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        var first: UnsafeMutablePointer<pcap_if_t>?
        guard pcap_findalldevs(&first, &message) == 0 else {
            throw LiveCaptureError(kind: .failed, description: "cannot list the interfaces: \(text(of: message))")
        }
        defer { pcap_freealldevs(first) }
        var found: [NetworkInterface] = []
        var next = first
        while let device = next?.pointee {
            found.append(
                NetworkInterface(
                    name: String(cString: device.name), detail: device.description.map { String(cString: $0) },
                    isLoopback: device.flags & UInt32(PCAP_IF_LOOPBACK) != 0, isUp: device.flags & UInt32(PCAP_IF_UP) != 0))
            next = device.next
        }
        return found
    }

    /// The message in a buffer that libpcap wrote to.
    static func text(of message: [CChar]) -> String {
        String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
