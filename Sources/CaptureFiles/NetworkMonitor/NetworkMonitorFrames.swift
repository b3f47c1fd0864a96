import Dissection

/// Walks the frames of a Microsoft Network Monitor file inside the source's buffer.
///
///     header (128 bytes) | frames, as a rule one after the other | table of their offsets | other tables
///
/// The table has the last word on where a frame lies and in which order they come. It stands at the end, so it is
/// followed where the input is a plain file. What comes through a pipe or compressed is read as it lies; when the table
/// comes it has to name the same places.
struct NetworkMonitorFrames {
    private static let headerLength = 128
    private static let order = ByteOrder(isSwapped: 1.littleEndian != 1)
    /// Entries of the table in one reading.
    private static let piece = 1_024

    private let version: NetworkMonitorVersion
    private let linkType: LinkType
    private let start: Int64?
    private let tableOffset: UInt64
    private let frameCount: UInt64
    let interface: CaptureInterface

    /// Whether the table is followed.
    private let followsTable: Bool
    private var frame: UInt64 = 0
    /// Entries of the table from `tablePosition` on, four bytes each.
    private var table: [UInt8] = []
    private var tablePosition: UInt64 = 0
    /// Bytes of frames that were read by the table: more than the file has, and the same ones are read over and over.
    private var bytesRead: UInt64 = 0
    /// Of the offsets as the frames lay, for the comparison with the table.
    private var offsets = OffsetSum()

    /// Reads the file header that `source` stands at.
    init(source: inout ByteSource) throws(CaptureFileError) {
        guard source.ensure(Self.headerLength) else {
            throw source.endError("the Network Monitor file header is cut: \(source.available) of \(Self.headerLength) bytes")
        }
        let (at, order) = (source.start, Self.order)
        version = NetworkMonitorVersion(major: source.byte(at: at + 5), minor: source.byte(at: at + 4))
        guard 1...2 ~= version.major else {
            throw CaptureFileError(
                kind: .unsupported, input: source.name, offset: 4, isDecompressed: source.isCompressed,
                problem: "Network Monitor version \(version.major).\(version.minor) is not known", advice: "versions 1 and 2 are read")
        }
        switch NetworkMonitorVersion.medium(source.integer(order, at: at + 6)) {
        case .packet(let type): linkType = type
        case .note: linkType = .ethernet
        }
        start = NetworkMonitorVersion.start(source, order, at: at + 8)
        tableOffset = UInt64(source.integer(order, at: at + 24, as: UInt32.self))
        let tableLength = UInt64(source.integer(order, at: at + 28, as: UInt32.self))
        frameCount = tableLength / 4
        interface = CaptureInterface(linkType: linkType)
        followsTable =
            source.canSeek && tableOffset >= UInt64(Self.headerLength) && tableOffset + tableLength <= source.inputSize ?? 0
        source.consume(Self.headerLength)
    }

    /// The next packet, nil at a clean end.
    mutating func next(_ source: inout ByteSource) throws(CaptureFileError) -> LocatedPacket? {
        while true {
            guard try moveToNextFrame(&source) else { return nil }
            if let packet = try readFrame(&source) { return packet }
        }
    }

    // MARK: Where the next frame lies

    private mutating func moveToNextFrame(_ source: inout ByteSource) throws(CaptureFileError) -> Bool {
        guard followsTable else { return try stillBeforeTable(&source) }
        guard frame < frameCount else { return false }
        let index = Int(frame - tablePosition) * 4
        if index >= table.count {
            tablePosition = frame
            table = source.readAside(at: tableOffset + frame * 4, count: Int(min(frameCount - frame, UInt64(Self.piece))) * 4)
            guard table.count >= 4 else {
                frame = frameCount
                throw source.endError("the table of the frames is cut")
            }
            return try moveToNextFrame(&source)
        }
        let offset = UInt64(UInt32(littleEndian: table.rawBytes.nativeInteger(at: index, as: UInt32.self)))
        frame += 1
        guard offset >= UInt64(Self.headerLength), source.seek(to: offset) else {
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: tableOffset + (frame - 1) * 4,
                problem: "frame \(frame) is claimed to lie at byte \(offset)", advice: "reading goes on with the next frame",
                canGoOn: true)
        }
        return true
    }

    /// Whether there is a frame before the table, where frames are read as they lie.
    private mutating func stillBeforeTable(_ source: inout ByteSource) throws(CaptureFileError) -> Bool {
        guard source.offset != tableOffset else {
            if let failure = source.failure { throw failure }
            return try compareWithTable(&source)
        }
        guard tableOffset < UInt64(Self.headerLength) || source.offset < tableOffset else {
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
                problem: "frames reach into their table, which begins at byte \(tableOffset)", advice: Self.readPlain)
        }
        guard source.ensure(1) else {
            throw source.endError("the capture ends at byte \(source.offset) without the table of its frames")
        }
        offsets.add(source.offset)
        return true
    }

    private static let readPlain = "give the file itself, not compressed and not through a pipe: its table may lead on"

    /// Reads the table after the last frame. What follows it is not looked at.
    private mutating func compareWithTable(_ source: inout ByteSource) throws(CaptureFileError) -> Bool {
        var named = OffsetSum()
        for _ in 0..<frameCount {
            guard source.ensure(4) else { throw source.endError("the table of the frames is cut") }
            named.add(UInt64(source.integer(Self.order, at: source.start, as: UInt32.self)))
            source.consume(4)
        }
        guard named == offsets else {
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: tableOffset, isDecompressed: source.isCompressed,
                problem: "the frames do not lie in the order of their table", advice: Self.readPlain)
        }
        // Other tables may follow; a pipe's writer should not meet a closed end.
        while source.skip(64 << 10) {}
        return false
    }

    // MARK: Frames

    /// Takes the frame that the source stands at; nil for one that is no packet.
    private mutating func readFrame(_ source: inout ByteSource) throws(CaptureFileError) -> LocatedPacket? {
        let (order, headerLength) = (Self.order, version.frameHeaderLength)
        guard source.ensure(headerLength) else {
            throw source.endError("the last packet's header is cut: \(source.available) of \(headerLength) bytes")
        }
        let at = source.start
        let (original, captured, time): (UInt32, Int, Timestamp?)
        if version.major == 1 {
            original = UInt32(source.integer(order, at: at + 4, as: UInt16.self))
            captured = Int(source.integer(order, at: at + 6, as: UInt16.self))
            time = timestamp(nanoseconds: Int64(source.integer(order, at: at, as: UInt32.self)) * 1_000_000)
        } else {
            original = source.integer(order, at: at + 8, as: UInt32.self)
            captured = Int(source.integer(order, at: at + 12, as: UInt32.self))
            // Microseconds without a sign, times 10 with one: so a frame can be from before the beginning.
            let tenths = Int64(bitPattern: source.integer(order, at: at, as: UInt64.self) &* 10)
            let (nanoseconds, overflows) = tenths.multipliedReportingOverflow(by: 100)
            time = overflows ? nil : timestamp(nanoseconds: nanoseconds)
        }
        guard captured <= linkType.maximumPacketLength else { throw lengthError(captured, source) }
        let length = headerLength + captured + version.trailerLength
        guard source.ensure(length) else {
            throw source.endError(
                "the last packet is cut: \(max(0, source.available - headerLength)) of \(captured) \(captured == 1 ? "byte" : "bytes")")
        }
        bytesRead += UInt64(length)
        if followsTable, bytesRead > source.inputSize ?? .max {
            frame = frameCount
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: source.offset, problem: "the table leads to the same frames again",
                advice: "what follows cannot be found again")
        }
        var packet = LocatedPacket(
            start: source.start + headerLength, count: captured, originalLength: original, linkType: linkType, time: time)
        let trailer = source.start + headerLength + captured
        if version.trailerLength > 0 {
            switch NetworkMonitorVersion.medium(source.integer(order, at: trailer)) {
            case .packet(let type): packet.linkType = type
            case .note:
                source.consume(length)
                return nil
            }
            if version.hasUniversalTimes {
                packet.time = NetworkMonitorVersion.universalTime(source.integer(order, at: trailer + 6))
            }
        }
        source.consume(length)
        return packet
    }

    private func timestamp(nanoseconds: Int64) -> Timestamp? {
        guard let start else { return nil }
        let (sum, overflows) = start.addingReportingOverflow(nanoseconds)
        return overflows ? nil : Timestamp(nanoseconds: sum)
    }

    private func lengthError(_ captured: Int, _ source: borrowing ByteSource) -> CaptureFileError {
        CaptureFileError(
            kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
            problem: "a packet of \(captured) bytes is claimed, more than the \(linkType.maximumPacketLength) that one has at most",
            advice: followsTable ? "reading goes on with the next frame" : "what follows cannot be found again",
            canGoOn: followsTable)
    }
}

/// How many offsets there were and, in their order, which: FNV-1a over whole numbers.
private struct OffsetSum: Equatable {
    private var count: UInt64 = 0
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ offset: UInt64) {
        count += 1
        hash = (hash ^ offset) &* 0x100_0000_01B3
    }
}
