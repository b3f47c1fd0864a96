import Dissection

/// Blocks that contradict themselves, and blocks of types that are not read.
extension PcapNGBlocks {
    /// Damage inside a block whose boundaries are known: told, and stepped over.
    func damage(_ problem: String, stepOver length: Int, _ source: inout ByteSource) -> CaptureFileError {
        let error = CaptureFileError(
            kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed, problem: problem,
            advice: "reading goes on after it", canGoOn: true)
        source.consume(length)
        return error
    }

    /// Passes over a block of a type that is not read, whatever its length.
    func passOver(_ claimed: UInt32, _ type: BlockType, _ source: inout ByteSource) throws(CaptureFileError) {
        guard claimed >= 12 else { throw try lengthError(claimed, minimum: 12, type, &source) }
        let offset = source.offset
        guard source.skip(UInt64(Self.paddedLength(claimed)) - 4), source.ensure(4) else {
            throw source.endError("the last block is cut: it starts at byte \(offset) and claims \(claimed) bytes")
        }
        let trailing = source.integer(order, at: source.start, as: UInt32.self)
        guard trailing == claimed else {
            throw CaptureFileError(
                kind: .damaged, input: source.name, offset: offset, isDecompressed: source.isCompressed,
                problem: "a block's two lengths differ: \(claimed) before and \(trailing) after it",
                advice: "what follows cannot be found again")
        }
        source.consume(4)
    }

    /// A length that no block of this type has. Too large a block is stepped over where the input really holds it.
    func lengthError(
        _ claimed: UInt32, minimum: Int, _ type: BlockType, _ source: inout ByteSource
    ) throws(CaptureFileError) -> CaptureFileError {
        var error = CaptureFileError(
            kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
            problem: "a block of type \(type.rawValue) claims \(claimed) bytes", advice: "what follows cannot be found again")
        if claimed < minimum {
            error.problem += ", it has at least \(minimum)"
        } else {
            error.problem += ", more than the \(Self.maximumLength) that are read"
            if source.skip(UInt64(Self.paddedLength(claimed))) {
                error.canGoOn = true
                error.advice = "reading goes on after it"
            }
        }
        return error
    }

    /// The two lengths of a block differ. If what follows by the first one looks like a block, that one is believed.
    func trailerError(_ claimed: UInt32, _ trailing: UInt32, _ source: inout ByteSource) -> CaptureFileError {
        var error = CaptureFileError(
            kind: .damaged, input: source.name, offset: source.offset, isDecompressed: source.isCompressed,
            problem: "a block's two lengths differ: \(claimed) before and \(trailing) after it",
            advice: "what follows cannot be found again")
        let length = Self.paddedLength(claimed)
        guard source.ensure(length + 12) else { return error }
        let type = BlockType(rawValue: source.integer(order, at: source.start + length))
        let next = source.integer(order, at: source.start + length + 4, as: UInt32.self)
        guard let minimum = type.fixedLength else { return error }
        // A section may be in the other byte order, so its length says nothing yet.
        let isSound = type == .sectionHeader || (next >= minimum + 4 && next <= Self.maximumLength)
        guard isSound else { return error }
        error.advice = "reading goes on after it"
        error.canGoOn = true
        source.consume(length)
        return error
    }
}
