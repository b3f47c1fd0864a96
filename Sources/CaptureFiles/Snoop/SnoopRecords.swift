import Dissection

/// Walks the records of a snoop file (RFC 1761) inside the source's buffer: what Solaris writes, and Shomiti's Surveyor,
/// which uses numbers of its own for link types and has a trailer in each record's padding.
struct SnoopRecords {
    /// The first four of the eight bytes `snoop\0\0\0`.
    static let magic = UInt32(bigEndian: 0x736E_6F6F)

    private static let fileHeaderLength = 16
    private static let recordHeaderLength = 24
    /// Padding of at least so many bytes in the first record is Shomiti's trailer.
    private static let trailerLength = 16

    /// The format is in network order on every machine.
    private static let order = ByteOrder(isSwapped: 1.bigEndian != 1)

    private let maximumLength: Int
    let interface: CaptureInterface

    /// Reads the file header that `source` stands at; nil where the other four bytes of the magic number differ.
    init?(source: inout ByteSource) throws(CaptureFileError) {
        let order = Self.order
        guard source.ensure(8), source.integer(order, at: source.start + 4, as: UInt32.self) == 0x7000_0000 else { return nil }
        guard source.ensure(Self.fileHeaderLength) else {
            throw source.endError("the snoop file header is cut: \(source.available) of \(Self.fileHeaderLength) bytes")
        }
        let version = source.integer(order, at: source.start + 8, as: UInt32.self)
        let type = source.integer(order, at: source.start + 12, as: UInt32.self)
        // 3 to 5 are Surveyor's, by the hardware that captured.
        guard 2...5 ~= version else {
            throw CaptureFileError(
                kind: .unsupported, input: source.name, offset: source.offset + 8, isDecompressed: source.isCompressed,
                problem: "snoop version \(version) is not known", advice: "versions 2 to 5 are read")
        }
        let isSurveyor = Self.firstPadding(&source) >= Self.trailerLength
        guard let linkType = isSurveyor ? Self.surveyorLinkType(type) : Self.linkType(type) else {
            throw CaptureFileError(
                kind: .unsupported, input: source.name, offset: source.offset + 12, isDecompressed: source.isCompressed,
                problem: "packets of the snoop link type \(type) are not read")
        }
        interface = CaptureInterface(linkType: linkType, frameCheckSequenceLength: isSurveyor && linkType == .ethernet ? 4 : nil)
        maximumLength = linkType.maximumPacketLength
        source.consume(Self.fileHeaderLength)
    }

    /// The datalink types that RFC 1761 and the registry "Snoop Datalink Types" of IANA name.
    private static func linkType(_ number: UInt32) -> LinkType? {
        switch number {
        case 0, 4: .ethernet
        case 2: .tokenRing
        case 8: .fddi
        // "Other" and the software loopback: an address family first.
        case 9, 14: .null
        case 26: .ipOverInfiniBandInSnoop
        default: nil
        }
    }

    /// Surveyor's: above 9 they tell speeds apart.
    private static func surveyorLinkType(_ number: UInt32) -> LinkType? {
        switch number {
        case 0, 4, 10, 12, 19: .ethernet
        case 2, 11, 13, 14: .tokenRing
        case 8: .fddi
        default: nil
        }
    }

    /// Bytes after the packet in the first record; 0 where there is none.
    private static func firstPadding(_ source: inout ByteSource) -> Int {
        guard source.ensure(fileHeaderLength + recordHeaderLength) else { return 0 }
        let at = source.start + fileHeaderLength
        let captured = Int(source.integer(order, at: at + 4, as: UInt32.self))
        let record = Int(source.integer(order, at: at + 8, as: UInt32.self))
        return max(0, record - recordHeaderLength - captured)
    }

    /// The next packet, nil at a clean end. An error is final.
    func next(_ source: inout ByteSource) throws(CaptureFileError) -> LocatedPacket? {
        let order = Self.order
        guard source.ensure(Self.recordHeaderLength) else {
            if source.available == 0 {
                if let failure = source.failure { throw failure }
                return nil
            }
            throw source.endError(
                "the last packet's header is cut: \(source.available) of \(Self.recordHeaderLength) bytes")
        }
        let at = source.start
        let original = source.integer(order, at: at, as: UInt32.self)
        let captured = Int(source.integer(order, at: at + 4, as: UInt32.self))
        let record = Int(source.integer(order, at: at + 8, as: UInt32.self))
        let seconds = source.integer(order, at: at + 16, as: UInt32.self)
        let microseconds = source.integer(order, at: at + 20, as: UInt32.self)
        let length = Self.recordHeaderLength + captured
        guard captured <= maximumLength, length <= record, record - length <= maximumLength else {
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
                problem: "a packet of \(captured) bytes is claimed in a record of \(record)",
                advice: "what follows cannot be found again")
        }
        guard source.ensure(length) else {
            throw source.endError(
                "the last packet is cut: \(source.available - Self.recordHeaderLength) of \(captured) \(captured == 1 ? "byte" : "bytes")")
        }
        // Some writers leave out the padding of the last record.
        let padding = record - length
        if !source.ensure(record) {
            if let failure = source.failure { throw failure }
        }
        let start = source.start + Self.recordHeaderLength
        source.consume(length + min(padding, source.available - length))
        // 2^32 seconds and 2^32 microseconds stay under 2^63 nanoseconds.
        let nanoseconds = Int64(seconds) * 1_000_000_000 + Int64(microseconds) * 1_000
        return LocatedPacket(
            start: start, count: captured, originalLength: original, linkType: interface.linkType,
            time: Timestamp(nanoseconds: nanoseconds))
    }
}
