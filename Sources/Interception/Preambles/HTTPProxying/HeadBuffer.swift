import Dissection

/// Collects the head of an HTTP/1 message, up to and with its empty line (RFC 9112, section 2.1). A line ends with CRLF or a bare LF.
struct HeadBuffer: Sendable {
    enum State: Hashable, Sendable { case partial, whole, tooLong }

    /// A head is no longer than this: 64 KiB.
    static let limit = 65_536

    private(set) var bytes: [UInt8] = []
    /// Where the start line begins: empty lines may stand before it (RFC 9112, section 2.2).
    private(set) var start = 0
    private(set) var state = State.partial
    private var searched = 0

    var isEmpty: Bool { bytes.isEmpty }

    /// Takes bytes up to the end of the head; returns how many.
    mutating func take(_ more: RawSpan) -> Int {
        let before = bytes.count
        let needed = min(before + more.byteCount, HeadBuffer.limit)
        // Arrays double when they grow; of thousands of heads that never end, half would be room for nothing.
        if needed > bytes.capacity { bytes.reserveCapacity(min(max(needed + needed / 8, 512), HeadBuffer.limit)) }
        bytes.append(copying: more.extracting(0..<min(more.byteCount, HeadBuffer.limit - before)))
        while start < bytes.count, bytes[start] == 0x0A || bytes[start] == 0x0D { start += 1 }
        searched = max(searched, start)
        if let end = findEnd() {
            bytes.removeLast(bytes.count - end)
            state = .whole
            return end - before
        }
        if bytes.count >= HeadBuffer.limit { state = .tooLong }
        return bytes.count - before
    }

    /// Where the head ends, if that was seen.
    private mutating func findEnd() -> Int? {
        while let lineFeed = bytes[searched...].firstIndex(of: 0x0A) {
            let next = lineFeed + 1
            searched = lineFeed
            // What follows decides whether this line feed ends the head.
            guard next < bytes.count else { return nil }
            if bytes[next] == 0x0A { return next + 1 }
            if bytes[next] == 0x0D {
                guard next + 1 < bytes.count else { return nil }
                if bytes[next + 1] == 0x0A { return next + 2 }
            }
            searched = next
        }
        searched = bytes.count
        return nil
    }
}
