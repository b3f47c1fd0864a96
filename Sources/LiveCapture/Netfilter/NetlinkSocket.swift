#if os(Linux)
import Libc

/// A socket to netfilter, the packet filter of the kernel (netlink(7), nfnetlink.h). What the kernel has made for it goes when it is closed, however
/// the process ends.
struct NetlinkSocket: ~Copyable {
    /// What the kernel refuses, as `errno`; ETIMEDOUT where it does not reply.
    struct Refusal: Error { let code: Int32 }

    let descriptor: Int32
    private var sequence: UInt32 = 0

    /// AF_NETLINK and NETLINK_NETFILTER.
    private static let (family, netfilter): (Int32, Int32) = (16, 12)

    init() throws(Refusal) {
        descriptor = socket(Self.family, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), Self.netfilter)
        guard descriptor >= 0 else { throw Refusal(code: errno) }
    }

    deinit { close(descriptor) }

    /// One message to the kernel.
    struct Message {
        /// Subsystem and message of nfnetlink.
        var type: UInt16
        var flags: UInt16 = 0
        /// Such as `inet`; and a number of its own, which the subsystem has a use for.
        var family: UInt8 = 0
        var resource: UInt16 = 0
        var attributes: [UInt8] = []
    }

    /// NLM_F_REQUEST, NLM_F_ACK, NLM_F_CREATE and NLM_F_APPEND of netlink(7).
    static let (request, acknowledged, create, append): (UInt16, UInt16, UInt16, UInt16) = (0x1, 0x4, 0x400, 0x800)

    /// Sends messages at once, and waits for the kernel's reply to the last one of them that asks for it.
    mutating func send(_ messages: [Message]) throws(Refusal) {
        var bytes: [UInt8] = []
        var awaited: UInt32?
        for message in messages {
            sequence &+= 1
            if message.flags & Self.acknowledged != 0 { awaited = sequence }
            bytes += NetlinkAttribute.native(UInt32(20 + message.attributes.count)) + NetlinkAttribute.native(message.type)
            bytes += NetlinkAttribute.native(message.flags | Self.request) + NetlinkAttribute.native(sequence)
            bytes += NetlinkAttribute.native(UInt32(0)) + [message.family, 0]
            bytes += NetlinkAttribute.native(message.resource.bigEndian) + message.attributes
        }
        guard Libc.send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw Refusal(code: errno) }
        if let awaited { try receiveReply(to: awaited) }
    }

    /// NLMSG_ERROR; the number 0 in it is an acknowledgement.
    private static let error: UInt16 = 2

    private func receiveReply(to awaited: UInt32) throws(Refusal) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&request, 1, 5_000)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw Refusal(code: ETIMEDOUT) }
            let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
            if count < 0 {
                if errno == EINTR || errno == EAGAIN { continue }
                throw Refusal(code: errno)
            }
            var (rest, isAcknowledged, refusal) = (buffer[..<count], false, Int32(0))
            while rest.count >= 20 {
                let header = rest.withUnsafeBytes { bytes in
                    (
                        length: Int(bytes.loadUnaligned(as: UInt32.self)), type: bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self),
                        sequence: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self),
                        code: bytes.loadUnaligned(fromByteOffset: 16, as: Int32.self)
                    )
                }
                guard header.length >= 20 else { break }
                if header.type == Self.error {
                    // The first refusal is what is wrong; others follow from it.
                    if header.code != 0, refusal == 0 { refusal = -header.code }
                    if header.code == 0, header.sequence == awaited { isAcknowledged = true }
                }
                rest = rest.dropFirst((header.length + 3) & ~3)
            }
            if refusal != 0 { throw Refusal(code: refusal) }
            if isAcknowledged { return }
        }
    }
}
#endif
