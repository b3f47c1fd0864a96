/// What a conversation said of the times after which a side is given up, in nanoseconds; 0 where it said nothing.
package struct HeartbeatTimeouts: Sendable {
    /// Whose beats they are about.
    package var format = FormatName("")
    /// A client sends something in each such time (MQTT 3.1.2.10).
    package var keepAlive: Int64 = 0
    /// The server sends something in each such time (STOMP 1.2, "Heart-beating").
    package var serverKeepAlive: Int64 = 0
    /// What the client has offered to send, and wants to get (the same).
    package var offered: (sends: Int64, wants: Int64) = (0, 0)
    /// The times between pings, and from a ping to its pong (Engine.IO, "Heartbeat").
    package var pingInterval: Int64 = 0
    package var pingTimeout: Int64 = 0
    /// A side is given up after one such time, not after one and a half (AMQP 0-9-1, section 4.2.7).
    package var isExact = false
    /// The server gives up a client that has sent nothing for so long, unless that is set: it is not announced (Phoenix).
    package var usualIdle: Int64 = 0
    /// The client was refused, and may be silent from then on.
    package var isRefused = false

    /// More than a day is none that could be waited for.
    package static func nanoseconds(_ value: UInt64, _ unit: UInt64) -> Int64 {
        let (product, overflow) = value.multipliedReportingOverflow(by: unit)
        return overflow || product > 86_400_000_000_000 ? 0 : Int64(product)
    }

    package init() {}
}
