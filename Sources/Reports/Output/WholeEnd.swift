import Dissection
import Libc

/// Where the last whole line of a log and the last whole block of a recording end.
///
/// The kernel may cut a large write(2) short when the process is killed, so that what stands last in the file is half a record.
/// Whoever is still alive then cuts the file back to here.
package enum WholeEnd {
    /// What a file is made of, as the options of `mend-when-killed` call it.
    package enum FileContent: String, Sendable { case records, arrays, archives, lines, blocks }

    private static let pieceBytes = 1 << 20

    /// The end of the last line that has its line feed; nil where the file ends with one, cannot be read, or has grown no more than to `first`.
    ///
    /// - Parameter first: where the lines begin that are ours; what is before stays.
    package static func ofLines(_ descriptor: Int32, from first: Int64 = 0) -> Int64? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        var end = size
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while end > first {
            let start = max(first, end - Int64(pieceBytes))
            guard read(descriptor, &piece, Int(end - start), at: start) else { return nil }
            if let last = piece[..<Int(end - start)].lastIndex(of: 0x0A) {
                let whole = start + Int64(last) + 1
                return whole < size ? whole : nil
            }
            end = start
        }
        return size > first ? first : nil
    }

    /// The same of records (NDJSON); also nil where what stands last is not the beginning of one, and so was written by somebody else.
    package static func ofRecords(_ descriptor: Int32, from first: Int64 = 0) -> Int64? {
        guard let end = ofLines(descriptor, from: first) else { return nil }
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        var beginning = [UInt8](repeating: 0, count: min(recordStart.count, Int(size - end)))
        guard read(descriptor, &beginning, beginning.count, at: end), recordStart.starts(with: beginning) else { return nil }
        return end
    }

    /// What each record begins with.
    private static let recordStart = Array("{\"kind\":\"".utf8)

    /// What is one JSON value with an element a line.
    package enum List: Sendable {
        /// Records (`--format json`).
        case records
        /// The entries of an HTTP archive.
        case archive

        /// What each element begins with.
        fileprivate var elementStart: [UInt8] {
            switch self {
            case .records: recordStart
            case .archive: Array("{\"_resourceType\":\"".utf8)
            }
        }

        /// What the line before the first element ends with.
        fileprivate var opening: [UInt8] {
            switch self {
            case .records: Array("[".utf8)
            case .archive: Array("\"entries\":[".utf8)
            }
        }

        /// The last line.
        package var closing: [UInt8] {
            switch self {
            case .records: Array("]".utf8)
            case .archive: Array("]}}".utf8)
            }
        }
    }

    /// The end of the last whole element of a list of them, after which it can be closed; nil where it is closed, cannot be read, is not ours, or
    /// has not begun.
    ///
    /// - Parameter first: where the list begins that is ours; what is before stays.
    package static func ofList(_ list: List, _ descriptor: Int32, from first: Int64 = 0) -> Int64? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        guard size > first else { return nil }
        // Each element has a line of its own, and the comma after it comes with the next one.
        let start = min(size, ofLines(descriptor, from: first) ?? size)
        if start < size, size - start <= longestRecord {
            var line = [UInt8](repeating: 0, count: Int(size - start))
            guard read(descriptor, &line, line.count, at: start) else { return nil }
            if line.suffix(list.opening.count) == list.opening[...] { return size }
            if line == list.closing { return start > first ? start - 1 : nil }
            guard line.starts(with: list.elementStart) || list.elementStart.starts(with: line) else { return nil }
            let commas = line.last == UInt8(ascii: ",") ? 1 : 0
            var reader = JSONReader(line.rawBytes.extracting(0..<line.count - commas)) { _ in false }
            if (try? reader.whole()) != nil { return size - Int64(commas) }
        }
        // What ends before it: a record and a comma, or the bracket that opens the array.
        var end = [UInt8](repeating: 0, count: 2)
        guard start - first >= 2, read(descriptor, &end, 2, at: start - 2) else { return nil }
        switch end[0] {
        case UInt8(ascii: ","): return start - 2
        case UInt8(ascii: "["), UInt8(ascii: "}"): return start - 1
        default: return nil
        }
    }

    /// A longer one is taken for half a record.
    private static let longestRecord: Int64 = 64 << 20

    /// The end of the last whole pcapng block (draft-ietf-opsawg-pcapng, section 3.1), of a file that may have sections that were copied in the other
    /// byte order; nil where the file ends with one, cannot be read, or is not ours.
    package static func ofBlocks(_ descriptor: Int32) -> Int64? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        var position: Int64 = 0
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        var first = [UInt8](repeating: 0, count: 4)
        guard read(descriptor, &first, 4, at: 0), first == [0x0A, 0x0D, 0x0D, 0x0A] else { return nil }
        var pieceStart: Int64 = 0
        var pieceEnd: Int64 = 0
        var isBigEndian = false
        while position + 12 <= size {
            if position < pieceStart || position + 12 > pieceEnd {
                let count = Int(min(Int64(pieceBytes), size - position))
                guard read(descriptor, &piece, count, at: position) else { return nil }
                pieceStart = position
                pieceEnd = position + Int64(count)
            }
            let offset = Int(position - pieceStart) + 4
            if piece[offset - 4..<offset] == first[...] { isBigEndian = piece[offset + 4] == 0x1A }
            let bytes = isBigEndian ? [3, 2, 1, 0] : [0, 1, 2, 3]
            let length = (0..<4).reduce(Int64(0)) { $0 | Int64(piece[offset + bytes[$1]]) << Int64(8 * $1) }
            guard length >= 12, length % 4 == 0 else { return nil }
            guard position + length <= size else { break }
            position += length
        }
        return position < size ? position : nil
    }

    /// Reads so many bytes from `start` on; false where there are fewer.
    static func read(_ descriptor: Int32, _ piece: inout [UInt8], _ count: Int, at start: Int64) -> Bool {
        var done = 0
        while done < count {
            // The system writes inside the array, and keeps no pointer.
            let got = unsafe piece.withUnsafeMutableBytes { piece in
                guard count <= piece.count, let first = piece.baseAddress else { return 0 }
                return unsafe pread(descriptor, first + done, count - done, off_t(start) + off_t(done))
            }
            if got <= 0 { return false }
            done += got
        }
        return true
    }
}
