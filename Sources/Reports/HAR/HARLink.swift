import Dissection

/// What the URL of an archived request says (RFC 3986, section 3).
struct HARLink {
    let isSecure: Bool
    let isWebSocket: Bool
    /// Host and port as they are written.
    let authority: [UInt8]
    let host: [UInt8]
    let port: UInt16
    /// Path and query.
    let target: [UInt8]

    /// - Returns: nil where it has no scheme of HTTP or WebSocket.
    init?(_ url: [UInt8]) {
        guard let colon = url.firstIndex(of: 0x3a), url.count > colon + 3, url[colon + 1] == 0x2f, url[colon + 2] == 0x2f else {
            return nil
        }
        switch String(decoding: url[..<colon], as: UTF8.self).lowercased() {
        case "http": (isSecure, isWebSocket) = (false, false)
        case "https": (isSecure, isWebSocket) = (true, false)
        case "ws": (isSecure, isWebSocket) = (false, true)
        case "wss": (isSecure, isWebSocket) = (true, true)
        case _: return nil
        }
        let rest = url[(colon + 3)...]
        let end = rest.firstIndex { $0 == 0x2f || $0 == 0x3f || $0 == 0x23 } ?? rest.endIndex
        // What stands before an at sign is the user.
        authority = Array(rest[..<end].split(separator: 0x40, omittingEmptySubsequences: false).last ?? [])
        let path = rest[end...].prefix { $0 != 0x23 }
        target = path.first == 0x2f ? Array(path) : [0x2f] + path
        var name = authority[...]
        var given: UInt16?
        if let mark = name.lastIndex(of: 0x3a), name[mark...].firstIndex(of: 0x5d) == nil {
            given = UInt16(String(decoding: name[(mark + 1)...], as: UTF8.self))
            name = name[..<mark]
        }
        host = name.filter { $0 != 0x5b && $0 != 0x5d }
        port = given ?? (isSecure ? 443 : 80)
        guard !host.isEmpty else { return nil }
    }
}

/// How long the parts of an archived exchange took, in nanoseconds.
struct HARTimings {
    /// -1 where it is not told.
    let wait: Int64
    /// From the start to the answer's head, and to the end.
    let untilAnswer: Int64
    let whole: Int64

    init(_ entry: JSONValue) {
        let timings = entry["timings"]
        // Milliseconds, or -1 for what did not happen.
        func part(_ name: StaticString) -> Int64? {
            timings?[name]?.nanoseconds.flatMap { $0 < 0 ? nil : Int64(clamping: Int128($0) / 1_000) }
        }
        wait = part("wait") ?? -1
        // `ssl` is a part of `connect`.
        untilAnswer = (["blocked", "dns", "connect", "send", "wait"] as [StaticString]).reduce(0) { $0.clampedSum(part($1) ?? 0) }
        whole = entry["time"]?.nanoseconds.map { max(0, $0 / 1_000) } ?? untilAnswer.clampedSum(part("receive") ?? 0)
    }
}

extension Int64 {
    func clampedSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}

extension Timestamp {
    /// A moment so many nanoseconds later, held at the bounds of 64 bits.
    func advanced(by later: Int64) -> Timestamp { Timestamp(nanoseconds: nanoseconds.clampedSum(max(0, later))) }
}
