import Dissection

extension Message {
    /// Bytes of the payload that came: fewer than its length where the message was cut off, by the end of the connection or by a loss.
    var payloadCame: UInt64 {
        guard let frame, wireLength < length.clampedSum(frame.headerBytes(before: length)) else { return length }
        return wireLength - min(wireLength, frame.headerBytes(before: length))
    }
}

extension MessageFrame {
    /// Bytes of the header before a payload of so many bytes.
    fileprivate func headerBytes(before length: UInt64) -> UInt64 {
        switch framing {
        case .length(let prefix) where prefix.width == .varint: UInt64(prefix.offset) + Self.varintBytes(length)
        case .length(let prefix): UInt64(prefix.header)
        case .tlv(let type, let width):
            UInt64(type.bytes ?? 1) + (width.bytes.map { UInt64($0) } ?? Self.varintBytes(length))
        // The shortest that there is; others say more of the content.
        case .contentLength: UInt64("Content-Length: \r\n\r\n".utf8.count + "\(length)".utf8.count)
        case .delimiter, .fixed, .lines, .json, .protocol: 0
        }
    }

    private static func varintBytes(_ value: UInt64) -> UInt64 { UInt64(max(1, (70 - value.leadingZeroBitCount) / 7)) }
}
