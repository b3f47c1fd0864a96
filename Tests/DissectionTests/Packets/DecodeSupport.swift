import Dissection
import Support
import Testing

typealias Build = PacketBuilder

/// What a packet came to, in a form that tests compare: the segment's payload as text, or the reason.
struct Decoded: Equatable, CustomStringConvertible {
    var segment: SegmentHeader?
    var payload: [UInt8] = []
    var skipped: SkipReason?

    static func == (left: Decoded, right: Decoded) -> Bool {
        left.payload == right.payload && left.skipped == right.skipped && left.segment?.source == right.segment?.source
            && left.segment?.destination == right.segment?.destination && left.segment?.sequence == right.segment?.sequence
            && left.segment?.payloadLength == right.segment?.payloadLength
    }

    var description: String {
        if let skipped { return "skipped: \(skipped.rawValue)" }
        guard let segment else { return "nothing" }
        return "\(segment.source.port) > \(segment.destination.port) \(payload.count) of \(segment.payloadLength) B"
    }

    var text: String { String(decoding: payload, as: UTF8.self) }
}

extension PacketDecoder {
    /// Decodes bytes as one packet and copies out what the header points to.
    mutating func decode(
        _ bytes: [UInt8], link: LinkType = .ethernet, number: UInt64 = 1, time: Int64? = nil, originalLength: Int? = nil
    ) -> Decoded {
        let packet = CapturedPacket(
            number: number, time: time.map(Timestamp.init(nanoseconds:)), linkType: link,
            originalLength: UInt32(originalLength ?? bytes.count), bytes: bytes.rawBytes)
        switch decode(packet) {
        case .skipped(let reason): return Decoded(skipped: reason)
        case .segment(let header):
            let buffer = header.isDefragmented ? defragmented : bytes
            guard header.payload.start >= 0, header.payload.end <= buffer.count, header.payload.count >= 0 else {
                Issue.record("payload \(header.payload) outside \(buffer.count) bytes")
                return Decoded(segment: header)
            }
            return Decoded(segment: header, payload: Array(buffer[header.payload.start..<header.payload.end]))
        }
    }
}

/// One packet through a decoder of its own.
func decode(_ bytes: [UInt8], link: LinkType = .ethernet, originalLength: Int? = nil) -> Decoded {
    var decoder = PacketDecoder()
    return decoder.decode(bytes, link: link, originalLength: originalLength)
}

/// A segment that says `text`.
func tcp(_ text: String = "hello, world", options: [UInt8] = []) -> [UInt8] { Build.tcp(options: options, Array(text.utf8)) }

/// An IPv4 packet with a segment in it.
func ipv4(_ text: String = "hello, world") -> [UInt8] { Build.ipv4(tcp(text)) }

/// An IPv6 packet with a segment in it.
func ipv6(_ text: String = "hello, world") -> [UInt8] { Build.ipv6(tcp(text)) }

/// Little-endian.
func little(_ value: UInt16) -> [UInt8] { Build.bytes(value).reversed() }
func little(_ value: UInt32) -> [UInt8] { Build.bytes(value).reversed() }
