import Dissection

/// Where a recording goes, written in whole blocks.
struct BlockOutput: ~Copyable {
    private let outlet: Outlet
    /// Of the first block that waits, the bytes that a lossy outlet has taken already.
    private var partBytes = 0
    /// Why nothing can be written; none while all is well.
    var error: OutputError?

    /// Bytes that wait for the reader of a lossy outlet at most.
    private static let mostWaiting = 4 << 20

    init(_ outlet: Outlet) { self.outlet = outlet }

    /// Whether so many bytes that wait are too many for a packet more.
    func isFull(waiting bytes: Int) -> Bool { outlet.isLossy && bytes > BlockOutput.mostWaiting }

    /// Whether so many bytes that wait leave room again, after there was none.
    func hasRoom(waiting bytes: Int) -> Bool { !outlet.isLossy || bytes <= BlockOutput.mostWaiting / 2 }

    /// Writes blocks, and leaves in the buffer those that could not be written whole.
    mutating func write(_ blocks: inout [UInt8]) {
        guard !blocks.isEmpty else { return }
        let start = partBytes
        let outcome = writeWhole(blocks.rawBytes.suffix(from: start), to: outlet, wholePrefix: BlockOutput.wholeBlocks)
        error = outcome.error
        let done = start + outcome.kept
        if done == blocks.count {
            partBytes = 0
            // After a rush its memory is given back.
            blocks.removeAll(keepingCapacity: blocks.capacity <= 1 << 20)
        } else {
            let whole = BlockOutput.wholeBlocks(blocks.rawBytes.prefix(done))
            blocks.removeFirst(whole)
            partBytes = done - whole
        }
    }

    /// How many packets are among blocks: Enhanced Packet Blocks (draft-ietf-opsawg-pcapng, section 4.3).
    static func packets(in blocks: [UInt8]) -> UInt64 {
        var packets: UInt64 = 0
        _ = forEachBlock(blocks.rawBytes) { type in if type == 6 { packets += 1 } }
        return packets
    }

    /// How many bytes from the beginning make whole blocks.
    private static func wholeBlocks(_ bytes: RawSpan) -> Int { forEachBlock(bytes) { _ in } }

    /// Goes through whole blocks, each of which has its type in its first word and its length in its second and in its last. A block that was copied may
    /// be of a section in the other byte order.
    ///
    /// - Returns: Where the last one ends.
    private static func forEachBlock(_ bytes: RawSpan, _ body: (UInt32) -> Void) -> Int {
        var position = 0
        while position + 12 <= bytes.byteCount {
            let isSwapped = BlockOutput.length(at: position, in: bytes, isSwapped: false) == nil
            guard let length = BlockOutput.length(at: position, in: bytes, isSwapped: isSwapped) else { break }
            let type = UInt32(littleEndian: bytes.nativeInteger(at: position, as: UInt32.self))
            body(isSwapped ? type.byteSwapped : type)
            position += length
        }
        return position
    }

    /// The length of the block at a position, where its two lengths are one in this byte order.
    private static func length(at position: Int, in bytes: RawSpan, isSwapped: Bool) -> Int? {
        func word(_ position: Int) -> Int {
            let word = UInt32(littleEndian: bytes.nativeInteger(at: position, as: UInt32.self))
            return Int(isSwapped ? word.byteSwapped : word)
        }
        let length = word(position + 4)
        guard length >= 12, length <= bytes.byteCount - position, word(position + length - 4) == length else { return nil }
        return length
    }
}
