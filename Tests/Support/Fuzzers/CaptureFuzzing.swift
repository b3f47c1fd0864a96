import CaptureFiles
internal import Dissection

/// Any bytes as a capture file: reading ends, and how the bytes come changes nothing.
enum CaptureFuzzing {
    /// What one reading came to.
    private struct Reading: Equatable {
        var digest: UInt64 = 14_695_981_039_346_656_037
        var items = 0
        var errors: [String] = []

        var isBroken: Bool { errors.contains { $0.contains("data is damaged") } }

        /// FNV-1a over all that was told.
        mutating func note(_ value: UInt64) { digest = (digest ^ value) &* 1_099_511_628_211 }

        mutating func note(_ bytes: RawSpan) {
            note(UInt64(bytes.byteCount))
            for offset in 0..<bytes.byteCount { note(UInt64(bytes[offset])) }
        }
    }

    /// A compressed input may hold far more than itself; that many items say enough.
    private static let most = 20_000

    static func complaints(about input: [UInt8]) -> [String] {
        var complaints: [String] = []
        let whole = read(input, bytesPerRead: .max, &complaints)
        let piecewise = read(input, bytesPerRead: 1 + Int(input.last ?? 0) % 64, &complaints)
        // How far damaged data was decompressed depends on how much of it came at once.
        if whole != piecewise, !whole.isBroken, !piecewise.isBroken { complaints.append("read whole \(whole), in pieces \(piecewise)") }
        return complaints
    }

    private static func read(_ input: [UInt8], bytesPerRead: Int, _ complaints: inout [String]) -> Reading {
        var reading = Reading()
        var hasEnded = false
        do {
            var reader = try CaptureReader(bytes: input, bytesPerRead: bytesPerRead)
            var packets: UInt64 = 0
            while reading.items < most {
                do throws(CaptureFileError) {
                    guard let item = try reader.next() else { break }
                    if hasEnded { complaints.append("an item comes after the last error") }
                    reading.items += 1
                    switch item {
                    case .packet(let packet):
                        packets += 1
                        if packet.number != packets { complaints.append("packet \(packet.number) is the \(packets)th") }
                        reading.note(packet.time.map { UInt64(bitPattern: $0.nanoseconds) } ?? 1)
                        reading.note(UInt64(packet.linkType.rawValue) << 32 | UInt64(packet.originalLength))
                        reading.note(packet.bytes)
                    case .comment(let comment): reading.note(comment.text)
                    case .process(let process, let packet):
                        if packet != packets + 1 { complaints.append("a process of packet \(packet) comes before packet \(packets + 1)") }
                        reading.note(UInt64(process.identifier ?? 1))
                        reading.note(process.name.rawBytes)
                    case .section: reading.note(2)
                    case .secrets(let secrets): reading.note(secrets.bytes)
                    case .name(let record):
                        reading.note(record.address)
                        reading.note(record.name)
                    case .statistics(let statistics): reading.note(statistics.received ?? 0)
                    case .block(let block): reading.note(block.bytes)
                    }
                } catch {
                    reading.items += 1
                    if reading.errors.count < 64 { reading.errors.append(error.description) }
                    hasEnded = hasEnded || !error.canGoOn
                }
            }
            reading.note(UInt64(reader.interfaces.count))
        } catch {
            // What else it may be is told from as much as has come.
            reading.errors.append(error.kind == .notACapture ? "no capture" : error.description)
        }
        return reading
    }
}
