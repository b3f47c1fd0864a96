import Dissection

/// Encodes a pcapng file into a buffer (draft-ietf-opsawg-pcapng), little-endian, times in nanoseconds.
///
/// Opens and writes nothing itself: write `buffer` to a file and call `removeAll` on it, whenever that suits.
/// Texts are cut at 65,532 bytes at a character's boundary.
public struct PcapNGEncoder: Sendable {
    /// What was encoded and not yet taken away.
    public var buffer: [UInt8] = []
    /// Interfaces described so far; the next one gets this index.
    public private(set) var interfaceCount = 0
    /// Which of them have times in microseconds; the others have nanoseconds.
    private var areMicroseconds: [Bool] = []

    /// Starts with nothing: for those who begin a section later, or copy one.
    public init() {}

    /// Starts with a section.
    ///
    /// - Parameter application: the program that writes, as shb_userappl.
    /// - Parameter comments: comments on the section.
    public init(application: String, comments: [String] = []) { beginSection(application: application, comments: comments) }

    /// Begins a section, which has interfaces of its own.
    public mutating func beginSection(application: String, comments: [String] = []) {
        interfaceCount = 0
        areMicroseconds = []
        let start = beginBlock(.sectionHeader)
        append(0x1A2B_3C4D as UInt32)
        append(1 as UInt16)
        append(0 as UInt16)
        append(UInt64.max)
        for comment in comments { appendOption(OptionCode.comment, comment) }
        appendOption(4, application)
        endOptions()
        endBlock(start)
    }

    /// Describes an interface and gives the index that its packets name.
    ///
    /// - Parameters:
    ///   - resolution: of the times of its packets: microseconds, or else nanoseconds.
    ///   - frameCheckSequenceLength: bytes at the end of each packet that are no part of what was sent, where that is known.
    public mutating func addInterface(
        linkType: LinkType, snapshotLength: UInt32 = 0, name: String? = nil, resolution: TimestampResolution = .nanoseconds,
        frameCheckSequenceLength: Int? = nil, comments: [String] = []
    ) -> Int {
        let start = beginBlock(.interfaceDescription)
        append(UInt16(truncatingIfNeeded: linkType.rawValue))
        append(0 as UInt16)
        append(snapshotLength)
        for comment in comments { appendOption(OptionCode.comment, comment) }
        if let name { appendOption(OptionCode.interfaceName, name) }
        append(OptionCode.timestampResolution)
        append(1 as UInt16)
        let unit: TimestampResolution = resolution == .microseconds ? .microseconds : .nanoseconds
        append(UInt32(unit.rawValue))
        if let frameCheckSequenceLength {
            append(OptionCode.frameCheckSequenceLength)
            append(1 as UInt16)
            append(UInt32(UInt8(clamping: frameCheckSequenceLength)))
        }
        endOptions()
        endBlock(start)
        interfaceCount += 1
        areMicroseconds.append(unit == .microseconds)
        return interfaceCount - 1
    }

    /// Adds a packet that came through `interface`. Without a time it gets the time 0, since an Enhanced Packet Block
    /// cannot do without. No more than 16 MiB of its bytes are kept.
    ///
    /// - Parameter payload: more bytes of the packet, after those of `bytes`, for who has them apart.
    public mutating func addPacket(
        _ bytes: RawSpan, payload: RawSpan = RawSpan(), interface: Int, time: Timestamp?, originalLength: UInt32? = nil,
        comments: [String] = []
    ) {
        let kept = bytes.extracting(0..<min(bytes.byteCount, 16 << 20))
        let more = payload.extracting(0..<min(payload.byteCount, (16 << 20) - kept.byteCount))
        let start = beginBlock(.enhancedPacket)
        // Times before 1970 cannot be written.
        let ticks = ticks(of: time, at: interface)
        append(UInt32(truncatingIfNeeded: interface))
        append(UInt32(truncatingIfNeeded: ticks >> 32))
        append(UInt32(truncatingIfNeeded: ticks))
        append(UInt32(kept.byteCount + more.byteCount))
        append(originalLength ?? UInt32(clamping: bytes.byteCount + payload.byteCount))
        buffer.append(copying: kept)
        buffer.append(copying: more)
        pad()
        if !comments.isEmpty {
            for comment in comments { appendOption(OptionCode.comment, comment) }
            endOptions()
        }
        endBlock(start)
    }

    /// Adds secrets for the packets that follow; no more than 16 MiB are kept.
    public mutating func addSecrets(_ type: SecretsType, _ bytes: RawSpan) {
        let kept = bytes.extracting(0..<min(bytes.byteCount, 16 << 20))
        let start = beginBlock(.decryptionSecrets)
        append(type.rawValue)
        append(UInt32(kept.byteCount))
        buffer.append(copying: kept)
        pad()
        endBlock(start)
    }

    /// Names an address (a Name Resolution Block, draft-ietf-opsawg-pcapng section 4.5). A name is cut at 1,024 bytes, and
    /// left out where it has a zero in it.
    public mutating func addName(_ name: String, of address: IPAddress) {
        let text = Array(name.utf8.prefix(1_024))
        guard !text.isEmpty, !text.contains(0), address.family != .none else { return }
        let start = beginBlock(.nameResolution)
        let addressLength = address.family == .ipv4 ? 4 : 16
        append(address.family == .ipv4 ? 1 as UInt16 : 2)
        append(UInt16(addressLength + text.count + 1))
        if address.family == .ipv6 { append(address.high.byteSwapped) }
        if address.family == .ipv6 { append(address.low.byteSwapped) } else { append(UInt32(truncatingIfNeeded: address.low).byteSwapped) }
        buffer.append(contentsOf: text)
        buffer.append(0)
        pad()
        append(0 as UInt32)
        endBlock(start)
    }

    /// Adds what `interface` counted.
    public mutating func addStatistics(_ statistics: InterfaceStatistics, time: Timestamp, comments: [String] = []) {
        let start = beginBlock(.interfaceStatistics)
        let ticks = ticks(of: time, at: statistics.interface)
        append(UInt32(truncatingIfNeeded: statistics.interface))
        append(UInt32(truncatingIfNeeded: ticks >> 32))
        append(UInt32(truncatingIfNeeded: ticks))
        for comment in comments { appendOption(OptionCode.comment, comment) }
        appendOption(OptionCode.statisticsReceived, statistics.received)
        appendOption(OptionCode.statisticsInterfaceDrops, statistics.droppedByInterface)
        appendOption(OptionCode.statisticsSystemDrops, statistics.droppedBySystem)
        endOptions()
        endBlock(start)
    }

    // MARK: Pieces

    private func ticks(of time: Timestamp?, at interface: Int) -> UInt64 {
        let nanoseconds = UInt64(max(0, time?.nanoseconds ?? 0))
        return areMicroseconds.indices.contains(interface) && areMicroseconds[interface] ? nanoseconds / 1_000 : nanoseconds
    }

    private mutating func beginBlock(_ type: BlockType) -> Int {
        let start = buffer.count
        append(type.rawValue)
        append(0 as UInt32)
        return start
    }

    /// Writes the block's length at both its ends.
    private mutating func endBlock(_ start: Int) {
        let length = UInt32(buffer.count - start + 4)
        append(length)
        for index in 0..<4 { buffer[start + 4 + index] = buffer[buffer.count - 4 + index] }
    }

    private mutating func appendOption(_ code: UInt16, _ value: UInt64?) {
        guard let value else { return }
        append(code)
        append(8 as UInt16)
        append(value)
    }

    private mutating func appendOption(_ code: UInt16, _ text: String) {
        var bytes = Array(text.utf8.prefix(65_533))
        if bytes.count > 65_532 {
            // Back to the start of the character that would be cut.
            while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
        }
        append(code)
        append(UInt16(bytes.count))
        buffer.append(contentsOf: bytes)
        pad()
    }

    private mutating func endOptions() { append(0 as UInt32) }

    private mutating func pad() {
        while buffer.count & 3 != 0 { buffer.append(0) }
    }

    private mutating func append<Integer: FixedWidthInteger>(_ value: Integer) {
        var rest = value
        for _ in 0..<Integer.bitWidth / 8 {
            buffer.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
