import CaptureFiles
import Dissection

/// Everything that a reader tells, a line an item, errors included: what the tests compare.
func listing(
    of bytes: [UInt8], bytesPerRead: Int = .max, firstPacketNumber: UInt64 = 1
) -> [String] {
    do {
        var reader = try CaptureReader(
            bytes: bytes, name: "test", firstPacketNumber: firstPacketNumber, bytesPerRead: bytesPerRead)
        return listing(of: &reader)
    } catch {
        return [line(for: error)]
    }
}

/// The rest of what `reader` tells; at most 100,000 lines, so that a reader that does not end is seen.
func listing(of reader: inout CaptureReader) -> [String] {
    var lines: [String] = []
    while lines.count < 100_000 {
        do {
            guard let item = try reader.next() else { break }
            lines.append(line(for: item))
        } catch {
            lines.append(line(for: error))
        }
    }
    return lines
}

private func line(for error: CaptureFileError) -> String {
    "\(error.kind) at \(error.offset)\(error.canGoOn ? ", going on" : ""): \(error.problem)"
}

private func line(for item: borrowing CaptureItem) -> String {
    switch copy item {
    case .packet(let packet):
        let time = packet.time.map { "\($0.nanoseconds)" } ?? "no time"
        return "packet \(packet.number) \(time) link \(packet.linkType.rawValue) "
            + "\(packet.bytes.byteCount)/\(packet.originalLength) \(text(packet.bytes))"
    case .comment(let comment): return "comment \(comment.subject) \(text(comment.text))"
    case .process(let process, let packet):
        return "process \(process.identifier.map { "\($0)" } ?? "-") \(String(decoding: process.name, as: UTF8.self)) of packet \(packet)"
    case .section: return "section"
    case .secrets(let secrets): return "secrets \(secrets.type.rawValue) \(text(secrets.bytes))"
    case .name(let record):
        var address = ""
        for index in 0..<record.address.byteCount { address += (index == 0 ? "" : ".") + "\(record.address[index])" }
        return "name \(address) \(text(record.name))"
    case .statistics(let statistics):
        return "statistics \(statistics.interface) \(statistics.received ?? 0) \(statistics.droppedByInterface ?? 0) "
            + "\(statistics.droppedBySystem ?? 0)"
    case .block(let block): return "block of \(block.bytes.byteCount)\(block.isSwapped ? " swapped" : "")"
    }
}

/// The bytes as text, so that packets in the tests can be words; long ones by their length.
private func text(_ bytes: RawSpan) -> String {
    guard bytes.byteCount <= 64 else { return "\(bytes.byteCount) bytes" }
    var copied: [UInt8] = []
    copied.append(copying: bytes)
    return String(decoding: copied, as: UTF8.self)
}
