import Dissection
import Libc

/// A log that a run goes on in, after what another one has left there.
///
/// A run that was killed, or whose machine has stopped, may leave half a line (`WholeEnd`).
/// Before anything follows, the end is made whole: half a record is cut off, any other line is ended.
package enum LogContinuation {
    /// What the lines of the file are.
    package enum Form: Sendable { case records, text }

    /// What stood in the file.
    package struct Found: Equatable, Sendable {
        /// Whether there is anything that the run comes after.
        package var hasContent = false
        /// Bytes of half a record that were cut off.
        package var cutBytes: Int64 = 0
        /// The last line had no end, and got one: it is no record, and was not written by a run of ours, or is text.
        package var isEnded = false
    }

    /// The longest last line, in bytes, that is looked at for being a whole record; a longer one is taken for half a record.
    private static let longestRecord: Int64 = 64 << 20

    /// Makes the end of a file whole. What is not a regular file, or stands for somebody else's descriptor, stays as it is.
    ///
    /// - Parameter file: opened for writing at its end, and locked.
    /// - Throws: where the file cannot be read, written or cut, or is not a log of records where one is wanted.
    package static func prepare(_ file: OutputFile, as form: Form) throws(OutputFileError) -> Found {
        guard file.isRegular, !file.isInherited else { return Found() }
        guard let reader = file.openForReading() else {
            throw OutputFileError(path: file.path, problem: "cannot be read to go on after its end: \(OutputError.words(errno))")
        }
        defer { close(reader) }
        let size = Int64(lseek(reader, 0, SEEK_END))
        guard size > 0 else { return Found() }
        let partStart = WholeEnd.ofLines(reader)
        if form == .records {
            try checkBeginning(reader, file.path)
            try checkLastLine(reader, upTo: partStart ?? size, file.path)
        }
        guard let end = partStart else { return Found(hasContent: true) }
        let isWhole = form == .records && isRecord(reader, from: end, to: size)
        if form == .records, WholeEnd.ofRecords(reader) != nil, !isWhole {
            guard ftruncate(file.descriptor, off_t(end)) == 0 else {
                throw OutputFileError(path: file.path, problem: "half a record at its end cannot be cut off: \(OutputError.words(errno))")
            }
            return Found(hasContent: end > 0, cutBytes: size - end)
        }
        let lineFeed: [UInt8] = [0x0A]
        // The system reads one byte of the array, and keeps no pointer.
        guard unsafe lineFeed.withUnsafeBytes({ unsafe write(file.descriptor, $0.baseAddress, $0.count) }) == 1 else {
            throw OutputFileError(path: file.path, problem: "its last line cannot be ended: \(OutputError.words(errno))")
        }
        return Found(hasContent: true, isEnded: !isWhole)
    }

    /// Refuses a file whose last whole line is not a record: it is another program's, whatever it begins with.
    ///
    /// - Parameter end: after the line feed of that line; 0 where there is none.
    private static func checkLastLine(_ descriptor: Int32, upTo end: Int64, _ path: String) throws(OutputFileError) {
        guard end > 0 else { return }
        var start: Int64 = 0
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        var position = end - 1
        while position > 0 {
            let count = Int(min(position, Int64(piece.count)))
            guard WholeEnd.read(descriptor, &piece, count, at: position - Int64(count)) else {
                throw OutputFileError(path: path, problem: "cannot be read to go on after its end: \(OutputError.words(errno))")
            }
            if let feed = piece[..<count].lastIndex(of: 0x0A) {
                start = position - Int64(count) + Int64(feed) + 1
                break
            }
            position -= Int64(count)
        }
        // One that is longer than any line that is looked at is believed.
        guard end - start <= longestRecord, !isRecord(descriptor, from: start, to: end) else { return }
        throw OutputFileError(
            path: path,
            problem: "the last line of the file is not a record, so --append cannot go on in it; move it away or choose another name")
    }

    /// Refuses a file that cannot be a log of records, such as an array of them or a capture.
    private static func checkBeginning(_ descriptor: Int32, _ path: String) throws(OutputFileError) {
        var first: [UInt8] = [0]
        guard WholeEnd.read(descriptor, &first, 1, at: 0) else {
            throw OutputFileError(path: path, problem: "cannot be read to go on after its end: \(OutputError.words(errno))")
        }
        guard first == [UInt8(ascii: "{")] else {
            throw OutputFileError(
                path: path,
                problem: "the file does not begin with a record, so --append cannot go on in it; move it away or choose another name")
        }
    }

    /// Whether a line is one of our records, whole, be it without its line feed.
    private static func isRecord(_ descriptor: Int32, from start: Int64, to end: Int64) -> Bool {
        guard end - start <= longestRecord else { return false }
        var line = [UInt8](repeating: 0, count: Int(end - start))
        guard WholeEnd.read(descriptor, &line, line.count, at: start) else { return false }
        let kind = Array("kind".utf8)
        var reader = JSONReader(line.rawBytes, mostLevels: 1) { $0 == kind }
        guard let record = try? reader.whole(), let word = record["kind"]?.string else { return false }
        return FieldTable.kinds.contains(word)
    }
}
