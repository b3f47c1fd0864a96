import Dissection
import Libc

/// Writes all of the bytes to an outlet, waiting where it does not take them at once.
///
/// Where the rest cannot be written, as on a disk that is full, a regular file is cut back to what is whole of it, so that
/// nobody finds half a line at its end.
///
/// - Parameter wholePrefix: of bytes from the beginning, how many make whole lines or blocks.
/// - Returns: The bytes that are written and stay, and the error that kept the rest from being written. A lossy outlet
///   whose reader takes nothing more gives fewer bytes and no error: the rest is for the next call.
package func writeWhole(
    _ bytes: RawSpan, to outlet: Outlet, wholePrefix: (RawSpan) -> Int
) -> (kept: Int, error: OutputError?) {
    var done = 0
    while done < bytes.byteCount {
        let error: OutputError
        switch outlet.write(bytes.suffix(from: done)) {
        case .took(let count):
            done += count
            continue
        case .isFull:
            if outlet.leavesAtOnce { return (done, nil) }
            if outlet.waitForReader() { continue }
            error = .blocked
        case .failed(let code): error = OutputError(errno: code)
        }
        let whole = wholePrefix(bytes.prefix(done))
        return (cutBack(outlet.descriptor, by: done - whole) ? whole : done, error)
    }
    return (done, nil)
}

/// Takes the last bytes off a regular file that is being written to. False where that cannot be done, as in a pipe.
private func cutBack(_ descriptor: Int32, by count: Int) -> Bool {
    guard count > 0 else { return true }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let end = lseek(descriptor, 0, SEEK_CUR)
    guard end >= count, ftruncate(descriptor, end - off_t(count)) == 0 else { return false }
    return lseek(descriptor, end - off_t(count), SEEK_SET) >= 0
}
