import CLibpcap
import Dissection

/// A BPF expression (pcap-filter(7)) that is run on packets of any link type, compiled once for each.
public struct PacketFilter: ~Copyable {
    public let expression: String
    private var programs: [Program] = []
    private var last = 0

    private struct Program {
        let linkType: LinkType
        let code: UnsafeMutablePointer<bpf_program>
    }

    /// Checks that the expression compiles for Ethernet or for raw IP, so that nonsense is told before the first packet.
    ///
    /// - Throws: `.badFilter` with libpcap's message.
    public init(_ expression: String) throws(LiveCaptureError) {
        self.expression = expression
        do {
            programs.append(try Self.compile(expression, .ethernet))
        } catch {
            guard let program = try? Self.compile(expression, .raw) else { throw error }
            programs.append(program)
        }
    }

    deinit {
        for program in programs {
            pcap_freecode(program.code)
            program.code.deallocate()
        }
    }

    /// Whether the expression accepts the packet.
    ///
    /// - Throws: `.badFilter` where it does not compile for the packet's link type.
    public mutating func accepts(_ packet: borrowing CapturedPacket) throws(LiveCaptureError) -> Bool {
        let code = try code(for: packet.linkType)
        var header = pcap_pkthdr()
        header.caplen = bpf_u_int32(clamping: packet.bytes.byteCount)
        header.len = packet.originalLength
        return packet.bytes.withUnsafeBytes { bytes in
            // libpcap wants a pointer even for no bytes.
            guard let start = bytes.baseAddress else {
                return withUnsafePointer(to: 0) { pcap_offline_filter(code, &header, $0) } != 0
            }
            return pcap_offline_filter(code, &header, start.assumingMemoryBound(to: UInt8.self)) != 0
        }
    }

    private mutating func code(for linkType: LinkType) throws(LiveCaptureError) -> UnsafeMutablePointer<bpf_program> {
        if programs[last].linkType == linkType { return programs[last].code }
        if let index = programs.firstIndex(where: { $0.linkType == linkType }) {
            last = index
            return programs[index].code
        }
        let program = try Self.compile(expression, linkType)
        // A file may name any number of link types; the place of the latest is given away when there are many.
        if programs.count == 64, let latest = programs.popLast() {
            pcap_freecode(latest.code)
            latest.code.deallocate()
        }
        programs.append(program)
        last = programs.count - 1
        return program.code
    }

    private static func compile(_ expression: String, _ linkType: LinkType) throws(LiveCaptureError) -> Program {
        guard let handle = pcap_open_dead(linkType.dataLink, LiveInterface.snapshotLength) else {
            throw LiveCaptureError(kind: .failed, description: "libpcap has no memory left")
        }
        defer { pcap_close(handle) }
        let code = UnsafeMutablePointer<bpf_program>.allocate(capacity: 1)
        code.initialize(to: bpf_program())
        guard pcap_compile(handle, code, expression, 1, bpf_u_int32.max) == 0 else {
            code.deallocate()
            throw LiveCaptureError(
                kind: .badFilter,
                description: "the filter \"\(expression)\" does not compile for link type \(linkType.name): "
                    + String(cString: pcap_geterr(handle))
                    + ". --filter is the packet filter (BPF), such as 'tcp port 8080'; -Y is the display filter")
        }
        return Program(linkType: linkType, code: code)
    }
}
