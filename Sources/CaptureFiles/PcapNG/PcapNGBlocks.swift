import Dissection

/// Walks the blocks of a pcapng file (draft-ietf-opsawg-pcapng) inside the source's buffer.
///
/// A block that holds several items, such as comments and a packet, stays in the buffer until all are told.
struct PcapNGBlocks {
    /// Blocks that are read are at most this long; larger ones are passed over with an error.
    static let maximumLength: UInt32 = (16 << 20) + (128 << 10)
    /// Interfaces and processes of a section that are kept.
    static let (maximumInterfaces, maximumProcesses) = (65_536, 16_384)

    private(set) var interfaces: [CaptureInterface] = []
    /// By their order in the section; nil where one says nothing.
    private var processes: [PacketProcess?] = []
    /// Bytes of memory that interfaces and processes take at most.
    var heldBytes: Int { interfaces.count * CaptureInterface.mostBytes + processes.count * MemoryLayout<PacketProcess?>.stride }
    private var clocks: [InterfaceClock] = []
    private(set) var order = ByteOrder(isSwapped: false)
    private var open: OpenBlock? { didSet { hasOpenBlock = open != nil } }
    /// `open != nil`, which the path of every packet asks.
    private var hasOpenBlock = false
    private var hasSection = false
    /// Packets whose time is outside of what nanoseconds in 64 bits reach.
    private(set) var packetsBeyondTime: UInt64 = 0

    /// Whether blocks are told as they stand.
    var keepsBlocks = false
    /// The block of the last packet, where they are.
    private(set) var packetBlock = LocatedBytes(start: 0, count: 0)
    /// The header of the first section has been told as it stands: it was opened before anybody could ask for it.
    private var hasToldFirst = false
    /// The block that comes next has been told as it stands.
    private var hasToldBlock = false

    /// A block some of whose items were told.
    private struct OpenBlock {
        var length: Int
        var phase: Phase
        var options: OptionList
        var subject: CaptureComment.Subject
        /// Told after the comments.
        var packet: LocatedPacket?
    }

    private enum Phase {
        case first(Located)
        case names(NameList)
        case options
    }

    /// Reads the Section Header Block that the input starts with.
    mutating func readFirstHeader(_ source: inout ByteSource) throws(CaptureFileError) {
        guard source.ensure(12) else { throw source.endError("the first block's header is cut") }
        guard try openBlock(&source, nextPacketNumber: 0) == nil else { return }
    }

    /// The next item, nil at a clean end.
    @inline(__always)
    mutating func next(_ source: inout ByteSource, nextPacketNumber: UInt64) throws(CaptureFileError) -> Located? {
        while true {
            if keepsBlocks, let block = try nextBlock(&source) { return .block(block) }
            if hasOpenBlock {
                if let item = try continueBlock(&source) { return item }
                continue
            }
            guard source.ensure(12) else {
                if source.available == 0 {
                    if let failure = source.failure { throw failure }
                    return nil
                }
                throw source.endError("the last block's header is cut: \(source.available) of 12 bytes")
            }
            if let packet = try openBlock(&source, nextPacketNumber: nextPacketNumber) { return .packet(packet) }
        }
    }

    /// The block that the source stands at, unless it was told, is a packet, or is not one that can be read: then what it holds says why.
    @inline(never)
    private mutating func nextBlock(_ source: inout ByteSource) throws(CaptureFileError) -> LocatedBytes? {
        if let open {
            defer { hasToldFirst = true }
            return hasToldFirst ? nil : LocatedBytes(start: source.start, count: open.length)
        }
        hasToldFirst = true
        if hasToldBlock {
            hasToldBlock = false
            return nil
        }
        guard source.ensure(12) else { return nil }
        let type = BlockType(rawValue: source.integer(order, at: source.start))
        switch type {
        case .enhancedPacket, .packet, .simplePacket: return nil
        case .sectionHeader: try readByteOrder(source)
        default: break  // Others do not change how the block is read.
        }
        let claimed = source.integer(order, at: source.start + 4, as: UInt32.self)
        guard claimed >= type.fixedLength.map({ UInt32($0) + 4 }) ?? 12, claimed <= Self.maximumLength else { return nil }
        let length = Self.paddedLength(claimed)
        guard source.ensure(length), source.integer(order, at: source.start + length - 4, as: UInt32.self) == claimed else { return nil }
        if type == .sectionHeader, source.integer(order, at: source.start + 12, as: UInt16.self) != Self.majorVersion { return nil }
        hasToldBlock = true
        return LocatedBytes(start: source.start, count: length)
    }

    /// Takes the block that the source stands at. Gives its packet if that is all it holds; otherwise consumes it, or
    /// leaves it open where it has items to tell.
    @inline(__always)
    private mutating func openBlock(
        _ source: inout ByteSource, nextPacketNumber: UInt64
    ) throws(CaptureFileError) -> LocatedPacket? {
        let type = BlockType(rawValue: source.integer(order, at: source.start))
        if type == .sectionHeader { try readByteOrder(source) }
        let claimed = source.integer(order, at: source.start + 4, as: UInt32.self)
        guard let fixedLength = type.fixedLength else {
            try passOver(claimed, type, &source)
            return nil
        }
        let minimum = fixedLength + 4
        guard claimed <= Self.maximumLength, claimed >= minimum else {
            throw try lengthError(claimed, minimum: minimum, type, &source)
        }
        let length = Self.paddedLength(claimed)
        guard source.ensure(length) else {
            throw source.endError("the last block is cut: \(source.available) of \(length) bytes")
        }
        let trailing = source.integer(order, at: source.start + length - 4, as: UInt32.self)
        guard trailing == claimed else { throw trailerError(claimed, trailing, &source) }
        switch type {
        case .enhancedPacket: return try readPacket(length, isEnhanced: true, &source, nextPacketNumber)
        case .packet: return try readPacket(length, isEnhanced: false, &source, nextPacketNumber)
        case .simplePacket: return try readSimplePacket(length, &source)
        case .interfaceDescription: try readInterface(length, &source)
        case .sectionHeader: try readSection(length, source)
        case .nameResolution:
            let names = NameList(from: source.start + 8, to: source.start + length - 4, order: order)
            open = OpenBlock(
                length: length, phase: .names(names), options: optionList(source, from: length - 4, length), subject: .other)
        case .interfaceStatistics: readStatistics(length, source)
        case .decryptionSecrets: try readSecrets(length, &source)
        case .process: readProcess(length, &source)
        default: source.consume(length)
        }
        return nil
    }

    /// Early writers left the padding to four bytes out of a block's length, though it is there.
    @inline(__always)
    static func paddedLength(_ claimed: UInt32) -> Int { (Int(claimed) + 3) & ~3 }

    private func optionList(_ source: borrowing ByteSource, from offset: Int, _ length: Int) -> OptionList {
        OptionList(from: source.start + offset, to: source.start + length - 4, order: order)
    }

    // MARK: Packets

    @inline(__always)
    private mutating func readPacket(
        _ length: Int, isEnhanced: Bool, _ source: inout ByteSource, _ number: UInt64
    ) throws(CaptureFileError) -> LocatedPacket? {
        let at = source.start
        let index =
            isEnhanced
            ? Int(source.integer(order, at: at + 8, as: UInt32.self)) : Int(source.integer(order, at: at + 8, as: UInt16.self))
        let captured = Int(source.integer(order, at: at + 20, as: UInt32.self))
        guard index < clocks.count else {
            throw damage("a packet names interface \(index) of \(clocks.count)", stepOver: length, &source)
        }
        guard captured <= length - 32, captured <= PcapNGBlocks.maximumLength else {
            throw damage("a packet of \(captured) bytes is claimed in a block of \(length)", stepOver: length, &source)
        }
        let high = source.integer(order, at: at + 12, as: UInt32.self)
        let low = source.integer(order, at: at + 16, as: UInt32.self)
        let ticks = UInt64(high) << 32 | UInt64(low)
        let time = clocks[index].time(ofTicks: ticks)
        if time == nil { packetsBeyondTime &+= 1 }
        let packet = LocatedPacket(
            start: at + 28, count: captured, originalLength: source.integer(order, at: at + 24), linkType: clocks[index].linkType,
            time: time)
        if keepsBlocks { packetBlock = LocatedBytes(start: at, count: length) }
        let options = 28 + (captured + 3) & ~3
        if length - 4 - options >= 4 {
            let list = optionList(source, from: options, length)
            let (isTold, process) = look(through: list, source)
            if isTold || process != nil {
                open = OpenBlock(
                    length: length, phase: process.map { .first(.process($0, packet: number)) } ?? .options, options: list,
                    subject: .packet(number), packet: packet)
                return nil
            }
        }
        source.consume(length)
        return packet
    }

    /// Whether there is a comment or damage among the options of a packet, and its process.
    private func look(through list: OptionList, _ source: borrowing ByteSource) -> (isTold: Bool, PacketProcess?) {
        var (list, isTold, process) = (list, false, PacketProcess?.none)
        while true {
            switch list.next(source) {
            case .option(let option) where option.code == OptionCode.comment: isTold = true
            case .option(let option) where option.code == OptionCode.packetProcess && option.value.count == 4:
                let index = source.integer(order, at: option.value.start, as: UInt32.self)
                if index < processes.count { process = processes[Int(index)] }
            case .option: continue
            case .overrun: return (true, process)
            case .end: return (isTold, process)
            }
        }
    }

    /// A simple packet has no time and no captured length of its own: the snapshot length of interface 0 decides.
    private mutating func readSimplePacket(
        _ length: Int, _ source: inout ByteSource
    ) throws(CaptureFileError) -> LocatedPacket? {
        guard let clock = clocks.first else {
            throw damage("a simple packet comes before any interface", stepOver: length, &source)
        }
        let original = source.integer(order, at: source.start + 8, as: UInt32.self)
        let room = UInt32(length - 16)
        var captured = original
        if clock.snapshotLength > 0 { captured = min(captured, clock.snapshotLength) }
        let packet = LocatedPacket(
            start: source.start + 12, count: Int(min(captured, room)), originalLength: original, linkType: clock.linkType)
        if keepsBlocks { packetBlock = LocatedBytes(start: source.start, count: length) }
        guard captured <= room else {
            throw damage("a simple packet of \(captured) bytes is claimed in a block of \(length)", stepOver: length, &source)
        }
        source.consume(length)
        return packet
    }

    // MARK: Sections and interfaces

    /// The byte order of the section that starts here; the block's length is written in it already.
    private mutating func readByteOrder(_ source: borrowing ByteSource) throws(CaptureFileError) {
        switch source.integer(ByteOrder(isSwapped: false), at: source.start + 8, as: UInt32.self) {
        case 0x1A2B_3C4D: order.isSwapped = false
        case 0x4D3C_2B1A: order.isSwapped = true
        default:
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
                problem: "a pcapng section has no byte order mark",
                advice: "the file may have been altered by a transfer in text mode")
        }
    }

    /// The version that is read (draft-ietf-opsawg-pcapng section 4.1).
    private static let majorVersion: UInt16 = 1

    private mutating func readSection(_ length: Int, _ source: borrowing ByteSource) throws(CaptureFileError) {
        let major = source.integer(order, at: source.start + 12, as: UInt16.self)
        let minor = source.integer(order, at: source.start + 14, as: UInt16.self)
        guard major == Self.majorVersion else {
            throw CaptureFileError(
                kind: .unsupported, input: source.name, offset: source.offset + 12, isDecompressed: source.isCompressed,
                problem: "pcapng version \(major).\(minor) is not known", advice: "version 1 is read")
        }
        interfaces.removeAll(keepingCapacity: true)
        clocks.removeAll(keepingCapacity: true)
        processes.removeAll(keepingCapacity: true)
        open = OpenBlock(
            length: length, phase: hasSection ? .first(.section) : .options, options: optionList(source, from: 24, length),
            subject: .section)
        hasSection = true
    }

    private mutating func readInterface(_ length: Int, _ source: inout ByteSource) throws(CaptureFileError) {
        guard interfaces.count < Self.maximumInterfaces else {
            throw damage("a section describes more than \(Self.maximumInterfaces) interfaces", stepOver: length, &source)
        }
        var interface = CaptureInterface(
            linkType: LinkType(inFile: UInt32(source.integer(order, at: source.start + 8, as: UInt16.self))),
            snapshotLength: source.integer(order, at: source.start + 12))
        var list = optionList(source, from: 16, length)
        while case .option(let option) = list.next(source) {
            let value = option.value
            switch option.code {
            case OptionCode.interfaceName:
                interface.name = String(copying: source.buffer.rawBytes.extracting(value.start..<value.start + min(value.count, 256)))
            case OptionCode.timestampResolution where value.count >= 1:
                interface.resolution = TimestampResolution(rawValue: source.byte(at: value.start))
            case OptionCode.frameCheckSequenceLength where value.count >= 1:
                // The draft says bits and gives 4 as the example; writers write bytes.
                let length = Int(source.byte(at: value.start))
                interface.frameCheckSequenceLength = length < 8 ? length : length / 8
            case OptionCode.timestampOffset where value.count >= 8:
                interface.timestampOffset = source.integer(order, at: value.start, as: Int64.self)
            default: continue
            }
        }
        open = OpenBlock(
            length: length, phase: .options, options: optionList(source, from: 16, length),
            subject: .interface(interfaces.count))
        interfaces.append(interface)
        clocks.append(InterfaceClock(interface))
    }

    /// A process by its number and name. Of more than are kept, and of a block for another use that has this type, packets have none.
    private mutating func readProcess(_ length: Int, _ source: inout ByteSource) {
        defer { source.consume(length) }
        guard processes.count < Self.maximumProcesses, length >= 16 else { return }
        let identifier = source.integer(order, at: source.start + 8, as: UInt32.self)
        var name = LocatedBytes(start: source.start, count: 0)
        var list = optionList(source, from: 12, length)
        while case .option(let option) = list.next(source) {
            if option.code == OptionCode.processName { name = option.value }
        }
        let bytes = source.buffer.rawBytes.extracting(name.start..<name.start + name.count)
        processes.append(PacketProcess(identifier: identifier, name: bytes))
    }

    // MARK: Statistics and secrets

    private mutating func readStatistics(_ length: Int, _ source: borrowing ByteSource) {
        var statistics = InterfaceStatistics(interface: Int(source.integer(order, at: source.start + 8, as: UInt32.self)))
        var list = optionList(source, from: 20, length)
        while case .option(let option) = list.next(source) {
            guard option.value.count >= 8 else { continue }
            let value = source.integer(order, at: option.value.start, as: UInt64.self)
            switch option.code {
            case OptionCode.statisticsReceived: statistics.received = value
            case OptionCode.statisticsInterfaceDrops: statistics.droppedByInterface = value
            case OptionCode.statisticsSystemDrops: statistics.droppedBySystem = value
            default: continue
            }
        }
        open = OpenBlock(
            length: length, phase: .first(.statistics(statistics)), options: optionList(source, from: 20, length), subject: .other)
    }

    private mutating func readSecrets(_ length: Int, _ source: inout ByteSource) throws(CaptureFileError) {
        let count = Int(source.integer(order, at: source.start + 12, as: UInt32.self))
        guard count <= length - 20 else {
            throw damage("secrets of \(count) bytes are claimed in a block of \(length)", stepOver: length, &source)
        }
        let type = SecretsType(rawValue: source.integer(order, at: source.start + 8))
        let secrets = Located.secrets(type, LocatedBytes(start: source.start + 16, count: count))
        open = OpenBlock(
            length: length, phase: .first(secrets), options: optionList(source, from: 16 + (count + 3) & ~3, length),
            subject: .other)
    }

    // MARK: Blocks with several items

    /// The next item of the open block, nil when it has no more; it is closed then.
    private mutating func continueBlock(_ source: inout ByteSource) throws(CaptureFileError) -> Located? {
        guard var block = open else { return nil }
        switch block.phase {
        case .first(let item):
            block.phase = .options
            open = block
            return item
        case .names(var names):
            let step = names.next(source)
            block.phase = .names(names)
            switch step {
            case .name(let address, let name):
                open = block
                return .name(address: address, name: name)
            case .end:
                block.options = OptionList(from: names.cursor, to: source.start + block.length - 4, order: order)
                block.phase = .options
                open = block
                return nil
            case .damaged:
                open = nil
                throw damage("a name record reaches past its block", stepOver: block.length, &source)
            }
        case .options:
            while true {
                switch block.options.next(source) {
                case .option(let option):
                    guard option.code == OptionCode.comment else { continue }
                    open = block
                    return .comment(block.subject, option.value)
                case .overrun:
                    // Nothing more can be told of the options; the packet beside them is whole.
                    block.options = OptionList(from: 0, to: 0, order: order)
                    open = block
                    throw damage("an option reaches past its block", stepOver: 0, &source)
                case .end:
                    open = nil
                    source.consume(block.length)
                    return block.packet.map(Located.packet)
                }
            }
        }
    }
}

extension String {
    /// The text in `bytes`, with U+FFFD where it is not UTF-8.
    init(copying bytes: RawSpan) {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        self.init(decoding: copy, as: UTF8.self)
    }
}
