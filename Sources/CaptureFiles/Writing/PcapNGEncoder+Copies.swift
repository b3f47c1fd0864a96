import Dissection

/// Blocks of other files, copied as they stand there, in the byte order of their section.
extension PcapNGEncoder {
    /// Copies a block that is no packet. What a program may not copy that does not know what is in it (the custom block of type 0x40000BAD,
    /// draft-ietf-opsawg-pcapng section 4.9) is left out, and so is the length of a section, which has other packets now.
    ///
    /// - Parameter keepsSecrets: whether a Decryption Secrets Block is copied.
    public mutating func copy(_ block: borrowing CaptureBlock, keepsSecrets: Bool = true) {
        if block.type == .customNotToCopy || (block.type == .decryptionSecrets && !keepsSecrets) { return }
        let start = buffer.count
        buffer.append(copying: block.bytes)
        if block.type == .sectionHeader, block.bytes.byteCount >= 28 {
            for index in start + 16..<start + 24 { buffer[index] = 0xFF }
        }
        close(start, block)
    }

    /// Copies a packet with all that its block says of it, and adds comments, unless they are there already. A Simple Packet Block has no place
    /// for comments.
    public mutating func copy(packet block: borrowing CaptureBlock, comments: [String]) {
        guard let options = BlockOptions(block) else { return copy(block) }
        if options.areSound, comments.isEmpty { return copy(block) }
        let start = buffer.count
        buffer.append(copying: block.bytes.extracting(0..<options.start))
        var known: [[UInt8]] = []
        var list = options
        var hasOption = false
        while let option = list.next(block) {
            let value = block.bytes.extracting(option.value)
            if option.code == OptionCode.comment { known.append(value.copied) }
            append(option.code, value, isSwapped: block.isSwapped)
            hasOption = true
        }
        for comment in comments {
            let text = Array(comment.utf8.prefix(OptionCode.longestComment))
            guard !known.contains(text) else { continue }
            append(OptionCode.comment, text.rawBytes, isSwapped: block.isSwapped)
            hasOption = true
        }
        if hasOption { for _ in 0..<4 { buffer.append(0) } }
        for _ in 0..<4 { buffer.append(0) }
        close(start, block)
    }

    private mutating func append(_ code: UInt16, _ value: RawSpan, isSwapped: Bool) {
        for number in [code, UInt16(clamping: value.byteCount)] { store(number, isSwapped: isSwapped) }
        buffer.append(copying: value)
        while buffer.count & 3 != 0 { buffer.append(0) }
    }

    private mutating func store(_ number: UInt16, isSwapped: Bool) {
        let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
        // The order of this machine is what `isSwapped` is about.
        let isBigEndian = isSwapped != (1.bigEndian == 1)
        buffer.append(isBigEndian ? high : low)
        buffer.append(isBigEndian ? low : high)
    }

    /// Writes the length that a copied block has now at both its ends, the last four bytes of it.
    private mutating func close(_ start: Int, _ block: borrowing CaptureBlock) {
        let length = UInt32(truncatingIfNeeded: buffer.count - start)
        let isBigEndian = block.isSwapped != (1.bigEndian == 1)
        for index in 0..<4 {
            let byte = UInt8(truncatingIfNeeded: length >> UInt32(8 * (isBigEndian ? 3 - index : index)))
            buffer[start + 4 + index] = byte
            buffer[buffer.count - 4 + index] = byte
        }
    }
}

/// The options of a packet's block.
private struct BlockOptions {
    struct Option {
        let code: UInt16
        let value: Range<Int>
    }

    /// Where they begin.
    let start: Int
    private let end: Int
    private var cursor: Int

    /// Nil for a block that has none by its type, or whose packet reaches past it.
    init?(_ block: borrowing CaptureBlock) {
        guard block.type == .enhancedPacket || block.type == .packet, block.bytes.byteCount >= 32 else { return nil }
        let captured = Int(block.integer(at: 20, as: UInt32.self))
        start = 28 + (captured + 3) & ~3
        end = block.bytes.byteCount - 4
        cursor = start
        guard start <= end else { return nil }
        var list = self
        while list.next(block) != nil {}
        areSound = list.isSound
    }

    /// Whether each of them lies inside the block.
    private(set) var areSound = true
    private var isSound = true

    /// The next one; nil at the end, and where one reaches past the block.
    mutating func next(_ block: borrowing CaptureBlock) -> Option? {
        guard end - cursor >= 4 else { return nil }
        let code = block.integer(at: cursor, as: UInt16.self)
        let length = Int(block.integer(at: cursor + 2, as: UInt16.self))
        guard code != OptionCode.end else { return nil }
        guard length <= end - cursor - 4 else {
            isSound = false
            return nil
        }
        let value = cursor + 4..<cursor + 4 + length
        cursor = min(end, cursor + 4 + (length + 3) & ~3)
        return Option(code: code, value: value)
    }
}

extension RawSpan {
    fileprivate var copied: [UInt8] {
        var copy: [UInt8] = []
        copy.append(copying: self)
        return copy
    }
}
