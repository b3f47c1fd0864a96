import Dissection
import Libc

/// Where the last whole line of a log ends.
///
/// The kernel may cut a large write(2) short when the process is killed, so that what stands last in the file is half a record.
package enum WholeEnd {
    private static let pieceBytes = 1 << 20

    /// The end of the last line that has its line feed; nil where the file ends with one, is empty, or cannot be read.
    package static func ofLines(_ descriptor: Int32) -> Int64? {
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        var end = size
        var piece = [UInt8](repeating: 0, count: pieceBytes)
        while end > 0 {
            let start = max(0, end - Int64(pieceBytes))
            guard read(descriptor, &piece, Int(end - start), at: start) else { return nil }
            if let last = piece[..<Int(end - start)].lastIndex(of: 0x0A) {
                let whole = start + Int64(last) + 1
                return whole < size ? whole : nil
            }
            end = start
        }
        return size > 0 ? 0 : nil
    }

    /// The same of records (NDJSON); also nil where what stands last is not the beginning of one, and so was written by somebody else.
    package static func ofRecords(_ descriptor: Int32) -> Int64? {
        guard let end = ofLines(descriptor) else { return nil }
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        var beginning = [UInt8](repeating: 0, count: min(recordStart.count, Int(size - end)))
        guard read(descriptor, &beginning, beginning.count, at: end), recordStart.starts(with: beginning) else { return nil }
        return end
    }

    /// What each record begins with.
    private static let recordStart = Array("{\"kind\":\"".utf8)

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
