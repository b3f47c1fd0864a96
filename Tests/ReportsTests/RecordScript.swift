import Dissection
import Foundation
import Reports
import Testing

/// Puts made-up events into a report and hands back what came out.
enum RecordScript {
    /// 2026-11-20 21:48:00.123456789 UTC
    static let time = Timestamp(nanoseconds: 1_795_211_280_123_456_789)
    static let client = Endpoint(address: IPAddress(ipv4: 0x0a00_0005), port: 51_422)
    static let server = Endpoint(address: IPAddress(ipv4: 0x0a00_0009), port: 8_080)
    static let opening = Opening(client: client, server: server, start: .handshake, roles: .handshake)
    static let source = CaptureSource(kind: .file, name: "talk.pcapng", firstPacket: 1, tool: "unmask 0.1.0")

    /// One event with everything that a record may have.
    static func send(
        _ fact: Fact, _ content: [UInt8] = [], conversation: UInt64 = 1, from: Side? = nil, at time: Timestamp? = time,
        packets: PacketRange? = PacketRange(lowest: 3, highest: 4), offset: UInt64? = nil, channel: ByteChannel = ByteChannel(),
        asked: [UInt8] = [], redaction: Redaction = Redaction(), to report: inout some ConversationSink & ~Copyable
    ) {
        report.receive(
            ConversationEvent(
                conversation: conversation, from: from, place: Place(time: time, packets: packets), offset: offset, channel: channel,
                fact: fact,
                content: content.rawBytes, asked: asked.rawBytes, redaction: redaction))
    }

    /// The record that one event becomes.
    static func record(
        _ fact: Fact, _ content: [UInt8] = [], conversation: UInt64 = 1, from: Side? = nil, at time: Timestamp? = nil,
        packets: PacketRange? = nil, offset: UInt64? = nil, channel: ByteChannel = ByteChannel(),
        asked: [UInt8] = [], redaction: Redaction = Redaction(), settings: RecordSettings = RecordSettings()
    ) -> String {
        var report = RecordReport(Output(), settings: settings)
        send(
            fact, content, conversation: conversation, from: from, at: time, packets: packets, offset: offset, channel: channel,
            asked: asked, redaction: redaction, to: &report
        )
        let line = String(decoding: report.takeBytes(), as: UTF8.self)
        LogSchema.collect(line)
        return line.hasSuffix("\n") ? String(line.dropLast()) : line
    }

    /// The content of an event put together from named parts.
    static func content(_ parts: [UInt8]...) -> (bytes: [UInt8], ranges: [ByteRange]) {
        var bytes: [UInt8] = []
        let ranges = parts.map { part in
            bytes += part
            return ByteRange(bytes.count - part.count..<bytes.count)
        }
        return (bytes, ranges)
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
