#if os(Linux)
// Its module is the first that has timespec.
import CLibpcap
import CaptureFiles
import Dissection
import Libc

/// A group of NFLOG (nfnetlink_log.h): copies of packets that rules of the kernel ask for, from the IP header on.
struct PacketLog: ~Copyable {
    private var socket: NetlinkSocket
    let group: UInt16
    private var buffer = [UInt8](repeating: 0, count: 128 << 10)
    private var received: UInt64 = 0
    /// Packets that the kernel numbered and that did not come.
    private var lost: UInt64 = 0
    private var next: UInt32?
    /// It ran out of room, and no packet has come since that would say how many are missing.
    private var hasOverrun = false

    private static let (packet, config): (UInt16, UInt16) = (4 << 8, 4 << 8 | 1)
    /// Bytes of a packet that fit into an attribute.
    private static let copied: UInt32 = 65_531
    /// Bytes that the kernel keeps for us.
    private static let room: Int32 = 32 << 20
    private static let roomOption: Int32 = 33

    /// Takes a group that nothing else has.
    ///
    /// - Throws: `NetlinkSocket.Refusal`.
    init() throws(NetlinkSocket.Refusal) {
        var socket = try NetlinkSocket()
        var room = Self.room
        // SO_RCVBUFFORCE: beyond what the system allows everybody.
        if setsockopt(socket.descriptor, SOL_SOCKET, Self.roomOption, &room, 4) != 0 {
            setsockopt(socket.descriptor, SOL_SOCKET, SO_RCVBUF, &room, 4)
        }
        let group = try Self.bind(&socket)
        // NFULNL_COPY_PACKET; numbers of packets (NFULNL_CFG_F_SEQ).
        let mode = NetlinkAttribute.bytes(2, NetlinkAttribute.native(Self.copied.bigEndian) + [2, 0])
        try socket.send([Self.message(group, mode + NetlinkAttribute.number(6, UInt16(1)))])
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

    var statistics: InterfaceStatistics {
        InterfaceStatistics(interface: 0, received: received, droppedBySystem: lost == 0 && hasOverrun ? 1 : lost)
    }

    /// Takes one message, without waiting for it.
    ///
    /// - Parameter body: takes each packet in it, with the time at which it was read.
    /// - Returns: Whether there was one.
    mutating func receive(_ body: (UnsafeRawBufferPointer, Timestamp) -> Void) throws(NetlinkSocket.Refusal) -> Bool {
        let count = recv(socket.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        if count < 0 {
            switch errno {
            case EAGAIN, EINTR: return false
            // The next packet's number says how many are missing.
            case ENOBUFS:
                hasOverrun = true
                return true
            default: throw NetlinkSocket.Refusal(code: errno)
            }
        }
        let time = Self.now
        var numbers: [UInt32?] = []
        buffer.withUnsafeBytes { bytes in
            var rest = UnsafeRawBufferPointer(rebasing: bytes[..<min(count, bytes.count)])
            while rest.count >= 20 {
                let length = Int(rest.loadUnaligned(as: UInt32.self))
                guard length >= 20, length <= rest.count else { break }
                if rest.loadUnaligned(fromByteOffset: 4, as: UInt16.self) == Self.packet {
                    numbers.append(Self.take(UnsafeRawBufferPointer(rebasing: rest[20..<length])) { body($0, time) })
                }
                rest = UnsafeRawBufferPointer(rebasing: rest[min((length + 3) & ~3, rest.count)...])
            }
        }
        for number in numbers { account(number) }
        return true
    }

    private mutating func account(_ number: UInt32?) {
        received += 1
        guard let number else { return }
        if let next { lost += UInt64(number &- next) }
        (next, hasOverrun) = (number &+ 1, hasOverrun && lost == 0)
    }

    /// Finds NFULA_PAYLOAD (9) and NFULA_SEQ (12) among the attributes.
    ///
    /// - Returns: The packet's number.
    private static func take(_ attributes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) -> UInt32? {
        var (offset, number) = (0, UInt32?.none)
        while offset + 4 <= attributes.count {
            let length = Int(attributes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            guard length >= 4, offset + length <= attributes.count else { break }
            let value = UnsafeRawBufferPointer(rebasing: attributes[offset + 4..<offset + length])
            switch attributes.loadUnaligned(fromByteOffset: offset + 2, as: UInt16.self) & 0x3FFF {
            case 9: body(value)
            case 12 where value.count == 4: number = UInt32(bigEndian: value.loadUnaligned(as: UInt32.self))
            default: break
            }
            offset += (length + 3) & ~3
        }
        return number
    }

    private static var now: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}
#endif
