import Dissection

/// Reads pcap and pcapng, snoop and Network Monitor files, plain or compressed with gzip or zstd, from a file, standard
/// input or memory.
///
///     var reader = try CaptureReader(path: "talk.pcapng")
///     while let item = try reader.next() {
///         switch item { case .packet(let packet): … }
///     }
///
/// Nothing is copied: an item's bytes lie in the reader's buffer and are lent until the next call. Memory is the
/// buffer (256 KiB, or the largest record up to 16 MiB), the decompressor's window, and what is known of at most
/// 65,536 interfaces.
public struct CaptureReader: ~Copyable {

    private var source: ByteSource
    /// Set for a pcap file; `other` or `blocks` is used otherwise.
    private let pcap: PcapRecords?
    /// Set for a file of another family.
    private var other: OtherFormat?
    private var blocks: PcapNGBlocks
    private var hasEnded = false
    /// The number that the next packet gets: hand it to the reader of the next file.
    public private(set) var nextPacketNumber: UInt64

    /// Opens the file at `path`, or standard input for `-`, and reads its header.
    ///
    /// - Parameter firstPacketNumber: the number of the first packet, more than 1 for a second input.
    /// - Parameter stop: raised to end the reading early, also of a pipe that brings nothing; the end counts as a clean one.
    /// - Parameter windowBytes: what a decompressor may keep in memory; a file that needs more is an error. 128 MiB unless told.
    /// - Throws: `.unreadable` where the system refuses, `.notACapture`, `.unsupported`, `.cutShort` or `.damaged` where
    ///   the header does not make sense.
    public init(
        path: String, firstPacketNumber: UInt64 = 1, stop: StopFlag? = nil, windowBytes: Int = 128 << 20
    ) throws(CaptureFileError) {
        let source = try Self.openSource(path, stop, windowBytes)
        try self.init(source: source, firstPacketNumber: firstPacketNumber)
    }

    /// Reads a capture that lies in memory.
    ///
    /// - Parameter bytesPerRead: how many bytes one read brings at most, as a pipe might.
    public init(
        bytes: [UInt8], name: String = "memory", firstPacketNumber: UInt64 = 1, bytesPerRead: Int = .max
    ) throws(CaptureFileError) {
        let input = InputDescriptor(bytes: bytes, bytesPerRead: bytesPerRead)
        try self.init(source: ByteSource(name: name, input: input), firstPacketNumber: firstPacketNumber)
    }

    init(source: consuming ByteSource, firstPacketNumber: UInt64) throws(CaptureFileError) {
        var source = source
        (pcap, other, blocks) = try Self.readHeader(&source)
        self.source = source
        nextPacketNumber = firstPacketNumber
    }

    private static func readHeader(
        _ source: inout ByteSource
    ) throws(CaptureFileError) -> (PcapRecords?, OtherFormat?, PcapNGBlocks) {
        guard source.ensure(4) else { throw refusal(of: &source, magic: nil) }
        let magic = source.integer(ByteOrder(isSwapped: false), at: source.start, as: UInt32.self)
        if let variant = PcapVariant(magic: magic) {
            return (try PcapRecords(variant, source: &source), nil, PcapNGBlocks())
        }
        if let other = try OtherFormat(magic: magic, source: &source) { return (nil, other, PcapNGBlocks()) }
        guard magic == BlockType.sectionHeader.rawValue else { throw refusal(of: &source, magic: magic) }
        var blocks = PcapNGBlocks()
        try blocks.readFirstHeader(&source)
        return (nil, nil, blocks)
    }

    static func openSource(_ path: String, _ stop: StopFlag?, _ windowBytes: Int) throws(CaptureFileError) -> ByteSource {
        let name = path == "-" ? "standard input" : path
        do {
            return ByteSource(name: name, input: try InputDescriptor(path: path, stop: stop), windowBytes: windowBytes)
        } catch {
            throw CaptureFileError(
                kind: .unreadable, input: name, offset: 0, problem: "cannot open: \(error.text)",
                advice: "check the name, and the right to read it")
        }
    }

    /// The next item, nil at the end.
    ///
    /// - Throws: a `CaptureFileError`; where its `canGoOn` is true the next call goes on after the damage, otherwise it
    ///   gives nil.
    @_lifetime(&self)
    public mutating func next() throws(CaptureFileError) -> CaptureItem? {
        guard !hasEnded, let located = try locate() else { return nil }
        switch located {
        case .packet(let packet):
            let number = nextPacketNumber
            nextPacketNumber = number &+ 1
            let bytes = source.buffer.rawBytes.extracting(packet.start..<packet.start + packet.count)
            return .packet(
                CapturedPacket(
                    number: number, time: packet.time, linkType: packet.linkType, originalLength: packet.originalLength,
                    bytes: bytes))
        case .comment(let subject, let at):
            return .comment(
                CaptureComment(subject: subject, text: source.buffer.rawBytes.extracting(at.start..<at.start + at.count)))
        case .secrets(let type, let at):
            return .secrets(
                CaptureSecrets(type: type, bytes: source.buffer.rawBytes.extracting(at.start..<at.start + at.count)))
        case .name(let address, let name):
            let bytes = source.buffer.rawBytes
            return .name(
                NameRecord(
                    address: bytes.extracting(address.start..<address.start + address.count),
                    name: bytes.extracting(name.start..<name.start + name.count)))
        case .statistics(let statistics):
            return .statistics(statistics)
        case .process(let process, let packet): return .process(process, packet: packet)
        case .section: return .section
        case .block(let at):
            return .block(
                CaptureBlock(
                    bytes: source.buffer.rawBytes.extracting(at.start..<at.start + at.count), isSwapped: blocks.order.isSwapped))
        }
    }

    /// Whether blocks are handed out as they stand in the file, for those who copy them. To be set before the first item is taken; a file that is not
    /// pcapng has none.
    public var keepsBlocks: Bool {
        get { blocks.keepsBlocks }
        set { blocks.keepsBlocks = newValue }
    }

    /// Whether the input is compressed, so that it can be read from its beginning to its end alone.
    package var isCompressed: Bool { source.isCompressed }

    /// Whether the file consists of blocks, as pcapng does.
    public var hasBlocks: Bool { pcap == nil && other == nil }

    /// The block of the packet that was the last item; only where blocks are kept.
    public var packetBlock: CaptureBlock {
        @_lifetime(borrow self)
        get {
            let at = blocks.packetBlock
            return CaptureBlock(
                bytes: source.buffer.rawBytes.extracting(at.start..<at.start + at.count), isSwapped: blocks.order.isSwapped)
        }
    }

    @inline(__always)
    private mutating func locate() throws(CaptureFileError) -> Located? {
        do {
            if let pcap {
                if let packet = try pcap.next(&source) { return .packet(packet) }
            } else if other != nil {
                if let packet = try other?.next(&source) { return .packet(packet) }
            } else if let located = try blocks.next(&source, nextPacketNumber: nextPacketNumber) {
                return located
            }
            hasEnded = true
            return nil
        } catch {
            if !error.canGoOn { hasEnded = true }
            // Stopped in the middle of a record: that is where the user wanted it to end.
            if error.kind == .cutShort && source.wasStopped { return nil }
            throw error
        }
    }

    /// Packets so far whose time lies outside the years 1677 to 2262, which nanoseconds in 64 bits cannot tell.
    public var packetsBeyondTime: UInt64 { blocks.packetsBeyondTime }

    /// The interfaces described so far in this section; a file that is not pcapng has one.
    public var interfaces: [CaptureInterface] {
        if let pcap { [pcap.interface] } else if let other { [other.interface] } else { blocks.interfaces }
    }

    /// Bytes of memory that the reader takes at the moment: its buffers, the decompressor's window, the interfaces and processes.
    public var heldBytes: Int { source.heldBytes + blocks.heldBytes }

    /// Bytes taken from the input so far, compressed ones where it is compressed.
    public var inputBytes: UInt64 { source.inputBytes }
    /// Size of the input, where it is a file.
    public var inputSize: UInt64? { source.inputSize }

    private static func refusal(of source: inout ByteSource, magic: UInt32?) -> CaptureFileError {
        if let failure = source.failure { return failure }
        _ = source.ensure(16)
        var refusal = CaptureFileError(kind: .notACapture, input: source.name, offset: 0, problem: "")
        if source.available == 0 {
            refusal.problem = source.isCompressed ? "decompresses to nothing" : "is empty"
            return refusal
        }
        if let magic, let name = PcapVariant.undocumentedName(magic: magic) {
            refusal.kind = .unsupported
            refusal.problem = "this is \(name), which is not read here"
            return refusal
        }
        let head = source.buffer.rawBytes.extracting(source.start..<source.start + min(source.available, 256))
        if let known = ForeignFormat.recognise(head) {
            refusal.problem = "is not pcap or pcapng but looks like \(known.name)"
            refusal.advice = known.advice
            return refusal
        }
        refusal.problem = "is not pcap or pcapng: it starts with the bytes"
        for index in 0..<min(head.byteCount, 8) {
            refusal.problem += (head[index] < 16 ? " 0" : " ") + String(head[index], radix: 16)
        }
        return refusal
    }
}
