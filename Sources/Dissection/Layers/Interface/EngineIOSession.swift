/// What a conversation of Engine.IO 4 has shown of a session: that it opens one, or goes on with one. Taken out by the dissector, which has
/// what other conversations showed.
package final class EngineIOSession: Sendable {
    /// Longer names of sessions are not kept.
    package static let longestID = 128

    package let id: [UInt8]
    /// Bytes of the longest message that the server takes, as it announces them where it opens the session; nil where the conversation goes on
    /// with one, or where the server announces none.
    package let maxPayload: UInt64?
    /// The conversation goes on with a session, which another one may have opened.
    package let isContinued: Bool

    /// A session that goes on; nil where the target of a request names none.
    package init?(continuing target: RawSpan) {
        id = EngineIOTarget.value("sid=", in: target)
        maxPayload = nil
        isContinued = true
        if id.isEmpty || id.count > Self.longestID { return nil }
    }

    /// The packet that opens a session: `0{"sid":"…","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}`
    /// (socket.io/docs/v4/engine-io-protocol, "Handshake"); nil for others.
    package init?(opening packet: RawSpan) {
        guard packet.byteCount > 2, packet[0] == UInt8(ascii: "0"), packet[1] == UInt8(ascii: "{"),
            let start = Self.value(of: "\"sid\":", in: packet), packet[start] == UInt8(ascii: "\"")
        else { return nil }
        var name: [UInt8] = []
        var index = start + 1
        while index < packet.byteCount, packet[index] != UInt8(ascii: "\""), name.count <= Self.longestID {
            name.append(packet[index])
            index += 1
        }
        id = name
        maxPayload = Self.value(of: "\"maxpayload\":", in: packet).flatMap { Self.number(packet, at: $0) }
        isContinued = false
        if name.isEmpty || name.count > Self.longestID { return nil }
    }

    /// Where the value after a key begins.
    private static func value(of key: StaticString, in packet: RawSpan) -> Int? {
        let length = key.utf8CodeUnitCount
        guard packet.byteCount > length else { return nil }
        for index in 0..<packet.byteCount - length where packet.hasPrefix(key, at: index) {
            var start = index + length
            while start < packet.byteCount, packet[start] == 0x20 { start += 1 }
            return start < packet.byteCount ? start : nil
        }
        return nil
    }

    /// A number of at most 15 digits; nil for other values.
    private static func number(_ packet: RawSpan, at start: Int) -> UInt64? {
        var (value, index): (UInt64, Int) = (0, start)
        while index < packet.byteCount, case let digit = packet[index] &- 0x30, digit <= 9 {
            guard index - start < 15 else { return nil }
            value = value * 10 + UInt64(digit)
            index += 1
        }
        guard index > start, index < packet.byteCount, packet[index] == UInt8(ascii: ",") || packet[index] == UInt8(ascii: "}") else {
            return nil
        }
        return value
    }
}

/// The query of a request of Engine.IO.
enum EngineIOTarget {
    /// A longer body is no packet that opens a session.
    static let longestOpening: UInt64 = 1_024

    /// The value of a parameter.
    static func value(_ name: StaticString, in target: RawSpan) -> [UInt8] {
        var value: [UInt8] = []
        for index in 0..<target.byteCount where target.hasPrefix(name, at: index) {
            // Not inside of another name.
            guard index > 0, target[index - 1] == UInt8(ascii: "?") || target[index - 1] == UInt8(ascii: "&") else { continue }
            var end = index + name.utf8CodeUnitCount
            while end < target.byteCount, target[end] != UInt8(ascii: "&"), target[end] != UInt8(ascii: "#") {
                value.append(target[end])
                end += 1
            }
            return value
        }
        return value
    }

    /// Whether it asks for a session of Engine.IO 4 that is to be opened over HTTP: its response is the packet that opens one.
    static func opens(_ target: RawSpan) -> Bool {
        target.mentions("eio=4") && target.mentions("transport=polling") && !target.mentions("sid=")
    }
}
