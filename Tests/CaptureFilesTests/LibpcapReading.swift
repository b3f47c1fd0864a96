import CLibpcap
import Foundation
import Dissection
import LiveCapture

@testable import CaptureFiles

/// What one reader made of one packet.
struct PacketSummary: Equatable, CustomStringConvertible {
    var captured: Int
    var original: UInt32
    /// Nil where the source has no time.
    var nanoseconds: Int64?
    var linkType: LinkType
    var hash: UInt64

    var description: String {
        "\(captured)/\(original) \(nanoseconds.map { "\($0)" } ?? "no time") link \(linkType.rawValue) \(String(hash, radix: 16))"
    }
}

/// A whole file as one reader sees it, and what stopped it if something did.
struct FileReading: Equatable {
    var packets: [PacketSummary] = []
    var errors: [String] = []

    /// Read by libpcap, times in nanoseconds; compressed files through the program that decompresses them.
    static func byLibpcap(_ path: String) -> FileReading {
        let program = path.hasSuffix(".gz") ? "gzip" : path.hasSuffix(".zst") ? "zstd" : "cat"
        guard let pipe = popen("\(program) -dc < '\(path)'".replacing("cat -dc", with: "cat"), "r") else { return FileReading() }
        return byLibpcap(pipe)
    }

    private static func byLibpcap(_ pipe: UnsafeMutablePointer<FILE>) -> FileReading {
        var reading = FileReading()
        var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
        let precision = UInt32(PCAP_TSTAMP_PRECISION_NANO)
        guard let handle = pcap_fopen_offline_with_tstamp_precision(pipe, precision, &message) else {
            pclose(pipe)
            reading.errors.append(String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
            return reading
        }
        defer { pcap_close(handle) }
        let linkType = LinkType(dataLink: pcap_datalink(handle))
        var header: UnsafeMutablePointer<pcap_pkthdr>?
        var data: UnsafePointer<UInt8>?
        while true {
            let status = pcap_next_ex(handle, &header, &data)
            guard status == 1, let header, let data else {
                if status == -1 { reading.errors.append(String(cString: pcap_geterr(handle))) }
                return reading
            }
            // Damaged files bring any number here, and libpcap does not judge them.
            let nanoseconds = Int128(header.pointee.ts.tv_sec) * 1_000_000_000 + Int128(header.pointee.ts.tv_usec)
            let bytes = RawSpan(_unsafeStart: UnsafeRawPointer(data), byteCount: Int(header.pointee.caplen))
            reading.packets.append(
                PacketSummary(
                    captured: bytes.byteCount, original: header.pointee.len,
                    nanoseconds: Int64(exactly: nanoseconds),
                    linkType: linkType, hash: hash(bytes)))
        }
    }

    /// Read by ours.
    static func byOurs(_ path: String) -> FileReading {
        var reading = FileReading()
        do {
            var reader = try CaptureReader(path: path)
            while true {
                do {
                    guard let item = try reader.next() else { return reading }
                    guard case .packet(let packet) = item else { continue }
                    reading.packets.append(
                        PacketSummary(
                            captured: packet.bytes.byteCount, original: packet.originalLength,
                            nanoseconds: packet.time?.nanoseconds, linkType: packet.linkType, hash: hash(packet.bytes)))
                } catch {
                    reading.errors.append("\(error)")
                }
            }
        } catch {
            reading.errors.append("\(error)")
        }
        return reading
    }

    /// FNV-1a.
    private static func hash(_ bytes: RawSpan) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for index in 0..<bytes.byteCount { hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01B3 }
        return hash
    }
}
