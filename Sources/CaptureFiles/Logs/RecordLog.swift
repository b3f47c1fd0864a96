import Dissection

/// Reads a log of records, line by line: NDJSON, or the array of `--format json`, plain or compressed; or an HTTP archive, entry by entry.
///
/// What a line says is the matter of its reader; here it is a run of bytes, lent until the next call. Memory is the buffer, which grows to
/// the longest line, at most `longestLine`.
public struct RecordLog: ~Copyable {
    private var source: ByteSource
    private let longestLine: Int
    /// Bytes of the line that was lent last, its line feed included.
    private var lent = 0
    private var lentOffset: UInt64 = 0
    /// The number of the line that was lent last, from 1.
    public private(set) var lineNumber: UInt64 = 0
    /// That line has no line feed: its writer was cut short, or ended so.
    public private(set) var isOpenLine = false
    private var hasEnded = false
    /// Whether it is an HTTP archive: what is lent are its entries.
    public let isArchive: Bool
    private var entries = ArchiveEntries()

    init(source: consuming ByteSource, longestLine: Int, isArchive: Bool = false) {
        self.isArchive = isArchive
        self.source = source
        self.longestLine = longestLine
    }

    /// What errors call the input.
    public var name: String { source.name }
    /// Bytes of memory that the reader takes at the moment.
    public var heldBytes: Int { source.heldBytes }
    /// Bytes taken from the input so far, compressed ones where it is compressed.
    public var inputBytes: UInt64 { source.inputBytes }
    /// Size of the input, where it is a file.
    public var inputSize: UInt64? { source.inputSize }

    /// Whether an input begins as a log does: with an object, or an array of them. Looks at the first bytes alone, and waits for more only
    /// where the first is one that no capture begins with.
    static func begins(_ source: inout ByteSource) -> Bool {
        var position = markBytes(&source)
        var opening: UInt8?
        while position < 64, source.ensure(position + 1) {
            let byte = source.buffer[source.start + position]
            position += 1
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case UInt8(ascii: "[") where opening == nil: opening = byte
            case UInt8(ascii: "{") where opening != UInt8(ascii: "{"): opening = byte
            case UInt8(ascii: "]") where opening == UInt8(ascii: "["): return true
            case UInt8(ascii: "\""), UInt8(ascii: "}"): return opening == UInt8(ascii: "{")
            default: return false
            }
        }
        return false
    }

    /// Bytes of the byte order mark that some programs begin a text with: 3, or 0 where there is none.
    static func markBytes(_ source: inout ByteSource) -> Int {
        guard source.ensure(1), source.buffer[source.start] == 0xef, source.ensure(3) else { return 0 }
        return source.buffer[source.start + 1] == 0xbb && source.buffer[source.start + 2] == 0xbf ? 3 : 0
    }

    /// The next line that has something in it, without the commas and brackets of an array; nil at the end.
    ///
    /// - Throws: where the input cannot be read further, and with `canGoOn` for a line that is too long.
    @_lifetime(&self)
    public mutating func next() throws(CaptureFileError) -> RawSpan? {
        if isArchive {
            guard let count = try nextEntry() else { return nil }
            return source.buffer.rawBytes.extracting(source.start..<source.start + count)
        }
        while !hasEnded {
            source.consume(lent)
            lent = 0
            guard let count = try findLine() else { return nil }
            lent = count
            lineNumber &+= 1
            lentOffset = source.offset
            var (start, end) = (source.start, source.start + count)
            while start < end, source.buffer[start].isBlankOrLineEnd { start += 1 }
            while end > start, source.buffer[end - 1].isBlankOrLineEnd { end -= 1 }
            if start < end, source.buffer[start] == UInt8(ascii: "[") { start += 1 }
            if end > start, source.buffer[end - 1] == UInt8(ascii: "]"), source.buffer[start] == UInt8(ascii: "{") || end - start == 1 {
                end -= 1
            }
            if end > start, source.buffer[end - 1] == UInt8(ascii: ",") { end -= 1 }
            guard start < end else { continue }
            return source.buffer.rawBytes.extracting(start..<end)
        }
        return nil
    }

    /// Bytes of the next entry of an archive; nil at the end.
    private mutating func nextEntry() throws(CaptureFileError) -> Int? {
        source.consume(lent)
        lent = 0
        guard !hasEnded else { return nil }
        lineNumber &+= 1
        let found = entries.next(&source, longest: longestLine)
        if source.wasStopped { hasEnded = true }
        switch found {
        case _ where source.wasStopped && source.failure == nil && !found.isEntry: return nil
        case .entry(let count):
            lent = count
            lentOffset = source.offset
            return count
        case .end:
            hasEnded = true
            return nil
        case .cutShort: throw end("the archive ends within or before entry \(lineNumber); the entries before it are complete")
        case .openEnd: throw end("the archive ends after its entries, before its own end; the entries are complete")
        case .rest:
            hasEnded = true
            lineNumber &-= 1
            throw place("what follows the end of the archive is none, and is left out", "")
        case .noEntries:
            lineNumber &-= 1
            throw place("the archive has no list of entries", "")
        case .notAnObject: throw place("entry \(lineNumber) of the archive is no object, and is left out", "")
        case .tooLong:
            throw place("entry \(lineNumber) has more than \(longestLine >> 20) MiB, and is left out", "allow more with --memory")
        }
    }

    /// What is wrong where the input has ended; nothing where it was stopped.
    private mutating func end(_ problem: String) -> CaptureFileError {
        hasEnded = true
        if let failure = source.failure { return failure }
        return CaptureFileError(
            kind: .cutShort, input: name, offset: source.offset, isDecompressed: source.isCompressed, problem: problem)
    }

    /// What is wrong with something that was passed over.
    private func place(_ problem: String, _ advice: String) -> CaptureFileError {
        CaptureFileError(
            kind: .damaged, input: name, offset: source.offset, isDecompressed: source.isCompressed, problem: problem, advice: advice,
            canGoOn: true)
    }

    /// What is left out of the line that was lent last, which was read otherwise.
    public func loss(_ words: String) -> CaptureFileError {
        CaptureFileError(
            kind: .damaged, input: name, offset: lentOffset, isDecompressed: source.isCompressed,
            problem: "entry \(lineNumber) of the archive is not read whole: \(words)", canGoOn: true)
    }

    /// What is wrong with the line that was lent last; reading goes on after it.
    public func damage(_ problem: String) -> CaptureFileError {
        if isArchive {
            return CaptureFileError(
                kind: .damaged, input: name, offset: lentOffset, isDecompressed: source.isCompressed,
                problem: "entry \(lineNumber) of the archive cannot be read: \(problem)", canGoOn: true)
        }
        return isOpenLine
            ? CaptureFileError(
                kind: .cutShort, input: name, offset: lentOffset, isDecompressed: source.isCompressed,
                problem: "the last line (line \(lineNumber)) is cut off; the records before it are complete")
            : CaptureFileError(
                kind: .damaged, input: name, offset: lentOffset, isDecompressed: source.isCompressed,
                problem: "line \(lineNumber) is not a record: \(problem)", canGoOn: true)
    }

    /// Bytes of the next line, its line feed included.
    private mutating func findLine() throws(CaptureFileError) -> Int? {
        var searched = 0
        while true {
            let available = source.available
            for position in searched..<available where source.buffer[source.start + position] == UInt8(ascii: "\n") { return position + 1 }
            searched = available
            if searched > longestLine { throw skipLine(searched) }
            guard source.ensure(searched + 1) else { break }
        }
        hasEnded = true
        if let failure = source.failure { throw failure }
        isOpenLine = source.available > 0 && !source.wasStopped
        return source.available > 0 && !source.wasStopped ? source.available : nil
    }

    /// Passes over a line of which `seen` bytes are too many already.
    private mutating func skipLine(_ seen: Int) -> CaptureFileError {
        lineNumber &+= 1
        let error = CaptureFileError(
            kind: .damaged, input: name, offset: source.offset, isDecompressed: source.isCompressed,
            problem: "line \(lineNumber) has more than \(longestLine >> 20) MiB, and is left out",
            advice: "allow more with --memory", canGoOn: true)
        source.consume(seen)
        while source.ensure(1) {
            let available = source.available
            var end = 0
            while end < available, source.buffer[source.start + end] != UInt8(ascii: "\n") { end += 1 }
            source.consume(min(end + 1, available))
            if end < available { break }
        }
        return error
    }
}
