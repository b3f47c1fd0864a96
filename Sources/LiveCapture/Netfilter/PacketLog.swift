#if os(Linux)
// Its module is the first that has timespec.
import CLibpcap
import Dissection
import Libc

/// A group of NFLOG (nfnetlink_log.h): copies of packets that rules of the kernel ask for, from the IP header on.
struct PacketLog: ~Copyable {
    private var socket: NetlinkSocket
    let group: UInt16
    private var buffer = [UInt8](repeating: 0, count: 128 << 10)

    private static let (packet, config): (UInt16, UInt16) = (4 << 8, 4 << 8 | 1)
    /// Bytes of a packet that fit into an attribute.
    private static let copied: UInt32 = 65_531
    /// Bytes that the kernel keeps for us while we read what came before. It counts twice as much, and packets by the memory that they take.
    private static let room: Int32 = 64 << 20
    /// SO_RCVBUFFORCE and SO_MEMINFO of asm-generic/socket.h; SOL_NETLINK, and NETLINK_NO_ENOBUFS of linux/netlink.h.
    private static let (roomOption, memoryOption, netlink, noOverrun): (Int32, Int32, Int32, Int32) = (33, 55, 270, 5)

    /// Takes a group that nothing else has.
    ///
    /// - Throws: `NetlinkSocket.Refusal`.
    init() throws(NetlinkSocket.Refusal) {
        var socket = try NetlinkSocket()
        var room = Self.room
        // Beyond what the system allows everybody.
        if setsockopt(socket.descriptor, SOL_SOCKET, Self.roomOption, &room, 4) != 0 {
            setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &room, 4)
        }
        // What finds no room is dropped and counted; otherwise all that follows would be dropped too, until everything is read.
        var isOn: Int32 = 1
        setsockopt(socket.descriptor, Self.netlink, Self.noOverrun, &isOn, 4)
        let group = try Self.bind(&socket)
        // NFULNL_COPY_PACKET.
        let mode = NetlinkAttribute.bytes(2, NetlinkAttribute.native(Self.copied.bigEndian) + [2, 0])
        try socket.send([Self.message(group, mode)])
        self.group = group
        self.socket = socket
    }

    private static func bind(_ socket: inout NetlinkSocket) throws(NetlinkSocket.Refusal) -> UInt16 {
        var tries = 16
        while true {
            let group = UInt16.random(in: 0x4000...0xFFF0)
            do throws(NetlinkSocket.Refusal) {
                try socket.send([message(group, NetlinkAttribute.bytes(1, [1]))])
                return group
            } catch {
                tries -= 1
                guard error.code == EBUSY, tries > 0 else { throw error }
            }
        }
    }

    private static func message(_ group: UInt16, _ attributes: [UInt8]) -> NetlinkSocket.Message {
        .init(type: config, flags: NetlinkSocket.acknowledged, resource: group, attributes: attributes)
    }

    var descriptor: Int32 { socket.descriptor }

    /// Packets for which the kernel had no room; may be asked on any thread.
    static func dropped(at descriptor: Int32) -> UInt64 { memory(of: descriptor).map { UInt64($0[8]) } ?? 0 }

    /// How much of the room is taken that the kernel has for packets: 1 where it is full.
    static func waiting(at descriptor: Int32) -> Double {
        memory(of: descriptor).map { Double($0[0]) / Double(max($0[1], 1)) } ?? 0
    }

    /// SK_MEMINFO_RMEM_ALLOC, SK_MEMINFO_RCVBUF, …, SK_MEMINFO_DROPS of linux/sock_diag.h.
    private static func memory(of descriptor: Int32) -> InlineArray<9, UInt32>? {
        var numbers = InlineArray<9, UInt32>(repeating: 0)
        var length = socklen_t(MemoryLayout.size(ofValue: numbers))
        let code = withUnsafeMutableBytes(of: &numbers) { getsockopt(descriptor, SOL_SOCKET, memoryOption, $0.baseAddress, &length) }
        return code == 0 && length >= 36 ? numbers : nil
    }

    /// Takes one message, without waiting for it.
    ///
    /// - Parameter body: takes each packet in it, with the time at which it was read.
    /// - Returns: Whether there was one.
    mutating func receive(_ body: (UnsafeRawBufferPointer, Timestamp) -> Void) throws(NetlinkSocket.Refusal) -> Bool {
        let count = recv(socket.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 {
            if errno == EAGAIN || errno == EINTR { return false }
            // An older kernel says so all the same, and counts them.
            if errno == ENOBUFS { return true }
            throw NetlinkSocket.Refusal(code: errno)
        }
        let time = Self.now
        buffer.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)])
            while rest.count >= 20 {
                let length = Int(rest.loadUnaligned(as: UInt32.self))
                guard length >= 20, length <= rest.count else { break }
                if rest.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == Self.packet {
                    Self.take(UnsafeRawBufferPointer(rebasing: rest[20..<length])) { body($0, time) }
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[min((length + 3) & ~3, rest.count)...])
            }
        }
        return true
    }

    /// Finds NFULA_PAYLOAD (9) among the attributes.
    private static func take(_ attributes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        var offset = 0
        while offset + 4 <= attributes.count {
            let length = Int(attributes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            guard length >= 4, offset + length <= attributes.count else { return }
            if attributes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self) & 0x3FFF == 9 {
                return body(UnsafeRawBufferPointer(rebasing: attributes[offset + 4..<offset + length]))
            }
            offset += (length + 3) & ~3
        }
    }

    private static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
#endif
