/// Looks for the connection preface of HTTP/2 in the first bytes of a client (RFC 9113, section 3.4).
struct HTTP2PrefaceWatch {
    /// What HTTP/1 takes for a request without fields; `SM` and two line ends follow.
    private static let preface = Array("PRI * HTTP/2.0\r\n\r\n".utf8)

    /// Bytes of it that have come; none any more where all of it has, or something else.
    private var matched: Int? = 0

    /// Bytes of the preface that came before those that complete it.
    var pending: Int { matched ?? 0 }

    /// Takes the next bytes of the client's. Whether they complete the preface.
    mutating func receive(_ bytes: RawSpan) -> Bool {
        guard var count = matched else { return false }
        var position = 0
        while position < bytes.byteCount, count < Self.preface.count {
            guard bytes[position] == Self.preface[count] else {
                matched = nil
                return false
            }
            position += 1
            count += 1
        }
        let isWhole = count == Self.preface.count
        matched = isWhole ? nil : count
        return isWhole
    }

    /// Something was lost: what comes next need not be the beginning.
    mutating func end() { matched = nil }
}
