import Dissection

/// Walks the records of a pcap file (draft-ietf-opsawg-pcap) inside the source's buffer.
struct PcapRecords {
    /// Which of a record's two lengths stands first; files older than version 2.3 have the original length there.
    private enum LengthOrder {
        case capturedFirst
        case originalFirst
        /// Version 2.3 was written both ways; the captured length is never the larger.
        case smallerIsCaptured
    }

    private let order: ByteOrder
    private let fractionNanoseconds: UInt64
    private let recordHeaderLength: Int
    private let lengthOrder: LengthOrder
    private let linkType: LinkType
    private let maximumLength: Int
    let interface: CaptureInterface

    /// Reads the file header that `source` stands at.
    init(_ variant: PcapVariant, source: inout ByteSource) throws(CaptureFileError) {
        guard source.ensure(variant.fileHeaderLength) else {
            throw source.endError("the pcap file header is cut: \(source.available) of \(variant.fileHeaderLength) bytes")
        }
        let at = source.start
        let order = ByteOrder(isSwapped: variant.isSwapped)
        let major = source.integer(order, at: at + 4, as: UInt16.self)
        let minor = source.integer(order, at: at + 6, as: UInt16.self)
        let snapshotLength = source.integer(order, at: at + 16, as: UInt32.self)
        let network = source.integer(order, at: at + 20, as: UInt32.self)
        var fraction = variant.fractionNanoseconds
        var number = network & 0xFFFF
        switch (major, minor) {
        case (2, 0...2), (543, 0):
            // 543.0 is DG/UX tcpdump's.
            lengthOrder = .originalFirst
        case (2, 3): lengthOrder = .smallerIsCaptured
        case (2, 4): lengthOrder = .capturedFirst
        default:
            throw CaptureFileError(
                kind: .unsupported, input: source.name, offset: source.offset + 4, isDecompressed: source.isCompressed,
                problem: "pcap version \(major).\(minor) is not known", advice: "versions 2.0 to 2.4 are read")
        }
        if (major, minor) == (2, 2), let translated = Self.aixLinkType(network) {
            number = translated
            fraction = 1
        }
        self.order = order
        fractionNanoseconds = fraction
        linkType = LinkType(inFile: number)
        maximumLength = linkType.maximumPacketLength
        interface = CaptureInterface(
            linkType: linkType, snapshotLength: snapshotLength, resolution: fraction == 1 ? .nanoseconds : .microseconds,
            frameCheckSequenceLength: network & 0x0400_0000 == 0 ? nil : Int(network >> 28) * 2)
        source.consume(variant.fileHeaderLength)
        var headerLength = variant.recordHeaderLength
        if (major, minor) == (2, 4), variant.hasRelatives {
            let guess = PcapHeaderGuess(order: order, fractionsPerSecond: 1_000_000, maximumLength: maximumLength)
            headerLength = guess.recordHeaderLength(usual: headerLength, &source)
        }
        recordHeaderLength = headerLength
    }

    /// AIX writes version 2.2 with interface types of RFC 1573 in place of link types, and nanoseconds.
    private static func aixLinkType(_ interfaceType: UInt32) -> UInt32? {
        switch interfaceType {
        case 6: 1
        case 9: 6
        case 15: 10
        case 24: 0
        default: nil
        }
    }

    /// The next packet, nil at a clean end. An error is final.
    @inline(__always)
    func next(_ source: inout ByteSource) throws(CaptureFileError) -> LocatedPacket? {
        guard source.ensure(recordHeaderLength) else {
            if source.available == 0 {
                if let failure = source.failure { throw failure }
                return nil
            }
            throw source.endError(
                "the last packet's header is cut: \(source.available) of \(recordHeaderLength) bytes")
        }
        let at = source.start
        let seconds = source.integer(order, at: at, as: UInt32.self)
        let fraction = source.integer(order, at: at + 4, as: UInt32.self)
        var captured = source.integer(order, at: at + 8, as: UInt32.self)
        var original = source.integer(order, at: at + 12, as: UInt32.self)
        switch lengthOrder {
        case .capturedFirst: break
        case .originalFirst: swap(&captured, &original)
        case .smallerIsCaptured: if captured > original { swap(&captured, &original) }
        }
        guard captured <= maximumLength else { throw lengthError(captured, source) }
        let length = recordHeaderLength + Int(captured)
        guard source.ensure(length) else {
            throw source.endError(
                "the last packet is cut: \(source.available - recordHeaderLength) of \(captured) \(captured == 1 ? "byte" : "bytes")")
        }
        let start = source.start + recordHeaderLength
        source.consume(length)
        // 2^32 seconds and 2^32 fractions stay under 2^63 nanoseconds.
        let nanoseconds = Int64(seconds) * 1_000_000_000 + Int64(fraction) * Int64(fractionNanoseconds)
        return LocatedPacket(
            start: start, count: Int(captured), originalLength: original, linkType: linkType,
            time: Timestamp(nanoseconds: nanoseconds))
    }

    private func lengthError(_ captured: UInt32, _ source: borrowing ByteSource) -> CaptureFileError {
        CaptureFileError(
            kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
            problem: "a packet of \(captured) bytes is claimed, link type \(linkType.rawValue) has \(maximumLength) at most",
            advice: "what follows cannot be found again")
    }
}
