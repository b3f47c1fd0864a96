import CLibpcap
import CaptureFiles
import Dissection
import Libc

/// A network interface that is listened to through libpcap.
///
///     var live = try LiveInterface(name: "lo", filter: "tcp port 8080")
///     while !stop.isStopped {
///         if let packet = try live.next(waitingMilliseconds: 100) { … } else { /* nothing came; a moment to flush */ }
///     }
public struct LiveInterface: ~Copyable {
    /// Bytes of a packet that are kept.
    public static let snapshotLength: Int32 = 262_144

    public let name: String
    public let linkType: LinkType
    /// Whether the kernel's times are in nanoseconds; in microseconds otherwise.
    public let hasNanoseconds: Bool
    /// The number that the next packet gets.
    public private(set) var nextPacketNumber: UInt64 = 1
    private let handle: OpaquePointer
    private let descriptor: Int32

    /// Starts to listen.
    ///
    /// - Parameter isPromiscuous: whether the interface also takes packets that are for others.
    /// - Parameter filter: a BPF expression (pcap-filter(7)); packets that it refuses are not delivered.
    public init(name: String, isPromiscuous: Bool = false, filter: String? = nil) throws(LiveCaptureError) {
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        guard let handle = pcap_create(name, &message) else {
            throw LiveCaptureError(kind: .failed, description: "\(name): \(NetworkInterface.text(of: message))")
        }
        pcap_set_snaplen(handle, Self.snapshotLength)
        pcap_set_promisc(handle, isPromiscuous ? 1 : 0)
        // The kernel hands over what it has gathered this often, which is how late a packet may be seen.
        pcap_set_timeout(handle, 50)
        pcap_set_buffer_size(handle, 16 << 20)
        pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO)
        do throws(LiveCaptureError) {
            try Self.activate(handle, name)
            if let filter { try Self.set(filter, on: handle, name) }
            guard pcap_setnonblock(handle, 1, &message) == 0 else {
                throw LiveCaptureError(kind: .failed, description: "\(name): \(NetworkInterface.text(of: message))")
            }
        } catch {
            pcap_close(handle)
            throw error
        }
        self.name = name
        self.handle = handle
        linkType = LinkType(dataLink: pcap_datalink(handle))
        hasNanoseconds = pcap_get_tstamp_precision(handle) == PCAP_TSTAMP_PRECISION_NANO
        descriptor = pcap_get_selectable_fd(handle)
    }

    deinit { pcap_close(handle) }

    /// Delivers only what a BPF expression accepts from now on, in the place of the one before.
    public mutating func restrict(to filter: String) throws(LiveCaptureError) { try Self.set(filter, on: handle, name) }

    /// The next packet, lent until the next call; nil when none came within the time.
    ///
    /// A signal ends the wait early, with nil. The wait is at most one second.
    @_lifetime(&self)
    public mutating func next(waitingMilliseconds: Int32 = 100) throws(LiveCaptureError) -> CapturedPacket? {
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var data: UnsafePointer<UInt8>?
        var status = pcap_next_ex(handle, &header, &data)
        if status == 0, waitForPackets(min(max(0, waitingMilliseconds), 1_000)) {
            status = pcap_next_ex(handle, &header, &data)
        }
        guard status >= 0 else {
            throw LiveCaptureError(kind: .failed, description: "\(name): \(String(cString: pcap_geterr(handle)))")
        }
        guard status == 1, let header, let data else { return nil }
        let fraction = Int128(header.pointee.ts.tv_usec) * (hasNanoseconds ? 1 : 1_000)
        let nanoseconds = Int128(header.pointee.ts.tv_sec) * 1_000_000_000 + fraction
        let time = Int64(exactly: nanoseconds).map(Timestamp.init(nanoseconds:))
        let number = nextPacketNumber
        nextPacketNumber += 1
        let linkType = linkType
        // libpcap leaves the packet where it is until the next call on the handle, which only `self` makes.
        let bytes = _overrideLifetime(
            RawSpan(_unsafeStart: UnsafeRawPointer(data), byteCount: Int(header.pointee.caplen)), mutating: &self)
        return CapturedPacket(
            number: number, time: time, linkType: linkType, originalLength: header.pointee.len, bytes: bytes)
    }

    private func waitForPackets(_ milliseconds: Int32) -> Bool {
        guard descriptor >= 0 else {
            usleep(UInt32(min(milliseconds, 10)) * 1_000)
            return true
        }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }

    /// What the kernel counted since the start: packets that passed the filter, and those it dropped for want of room
    /// or that the interface dropped.
    public func statistics() -> InterfaceStatistics? {
        var counted = pcap_stat()
        guard pcap_stats(handle, &counted) == 0 else { return nil }
        return InterfaceStatistics(
            interface: 0, received: UInt64(counted.ps_recv), droppedByInterface: UInt64(counted.ps_ifdrop),
            droppedBySystem: UInt64(counted.ps_drop))
    }

    private static func activate(_ handle: OpaquePointer, _ name: String) throws(LiveCaptureError) {
        let status = pcap_activate(handle)
        guard status < 0 else { return }
        let words = String(cString: pcap_geterr(handle))
        switch status {
        case PCAP_ERROR_PERM_DENIED, PCAP_ERROR_PROMISC_PERM_DENIED:
            throw LiveCaptureError(kind: .notPermitted, description: "\(name): \(missingRight)")
        case PCAP_ERROR_NO_SUCH_DEVICE:
            let names = ((try? NetworkInterface.all()) ?? []).map(\.name).joined(separator: ", ")
            throw LiveCaptureError(
                kind: .noSuchInterface,
                description: "there is no interface \(name)" + (names.isEmpty ? "" : "; there are \(names)"))
        default:
            let reason = words.isEmpty ? String(cString: pcap_statustostr(status)) : words
            throw LiveCaptureError(kind: .failed, description: "\(name): \(reason)")
        }
    }

    private static func set(_ filter: String, on handle: OpaquePointer, _ name: String) throws(LiveCaptureError) {
        var program = bpf_program()
        guard pcap_compile(handle, &program, filter, 1, bpf_u_int32.max) == 0 else {
            throw LiveCaptureError(
                kind: .badFilter,
                description: "the filter \"\(filter)\" does not compile: \(String(cString: pcap_geterr(handle)))")
        }
        defer { pcap_freecode(&program) }
        guard pcap_setfilter(handle, &program) == 0 else {
            throw LiveCaptureError(
                kind: .badFilter, description: "\(name) refuses the filter: \(String(cString: pcap_geterr(handle)))")
        }
    }

    #if os(Linux)
    private static let missingRight =
        "the right to capture (CAP_NET_RAW) is missing; run as root, or give it to the program once: "
        + "sudo setcap cap_net_raw+eip \"$(readlink -f \"$(command -v unmask)\")\""
    #else
    private static let missingRight =
        "the right to read /dev/bpf* is missing; run as root, or install Wireshark's ChmodBPF"
    #endif
}
