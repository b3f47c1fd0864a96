import Decryption
import Dissection
import Foundation
import Testing

/// A TLS connection as it went over the wire, its key log, and what the two sent inside. Made by Tests/Peers/tls-suites.py.
struct Recording {
    /// A record, whole.
    struct Sealed {
        var side: Side
        var header: TLSRecordHeader
        var fragment: [UInt8]
    }

    var name: String
    var wire: [UInt8]
    var keys: [UInt8]
    var client: [UInt8]
    var server: [UInt8]
    /// Early data that the server refused; the client has sent it all the same.
    var refused: [UInt8]

    /// Those in the folder beside this file.
    static let kept: [Recording] = all(
        in: URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Recordings").path)

    static func all(in folder: String) -> [Recording] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().compactMap { Recording(folder: "\(folder)/\($0)", name: $0) }
    }

    static func named(_ name: String) throws -> Recording { try #require(kept.first { $0.name == name }) }

    init?(folder: String, name: String) {
        func read(_ file: String) -> [UInt8]? { FileManager.default.contents(atPath: "\(folder)/\(file)").map(Array.init) }
        guard let wire = read("wire"), let keys = read("keys"), let client = read("client"), let server = read("server") else { return nil }
        self.name = name
        self.wire = wire
        self.keys = keys
        self.client = client
        self.server = server
        refused = name.hasSuffix("early-refused") ? read("early") ?? [] : []
    }

    /// The records of both sides in the order in which their last bytes came.
    var records: [Sealed] {
        var records: [Sealed] = []
        var cursors: [Side: TLSRecordCursor] = [.client: TLSRecordCursor(), .server: TLSRecordCursor()]
        var fragments: [Side: [UInt8]] = [:]
        var position = 0
        while position + 5 <= wire.count {
            let side: Side = wire[position] == 0 ? .client : .server
            let length = Int(wire.rawBytes.bigEndianUInt32(at: position + 1))
            let run = wire[position + 5..<position + 5 + length]
            position += 5 + length
            var inside = 0
            while let step = cursors[side]?.next(in: run.span.bytes, at: &inside) {
                if case .fragment(let part) = step {
                    fragments[side, default: []] += run[run.startIndex + part.lowerBound..<run.startIndex + part.upperBound]
                }
                if let cursor = cursors[side], cursor.fragmentLeft == 0 {
                    records.append(Sealed(side: side, header: cursor.header, fragment: fragments.removeValue(forKey: side) ?? []))
                }
            }
        }
        return records
    }

    var secrets: KeyLogSecrets {
        let secrets = KeyLogSecrets()
        secrets.receive(keys.rawBytes)
        secrets.finish()
        return secrets
    }
}

/// Opens records and keeps what was in them.
struct Opened {
    var connection: DecryptedConnection
    /// Application data, by side.
    var client: [UInt8] = []
    var server: [UInt8] = []
    /// Of early data the part that is in `client` too.
    var early: [UInt8] = []
    /// Why records stayed closed, in order.
    var sealed: [TLSUnopened] = []
    var openings: [TLSOpening] = []
    var buffer: [UInt8] = []

    init(_ secrets: any TLSSecrets) { connection = DecryptedConnection(TLSDecryption(secrets: secrets, ciphers: RecordCiphers())) }

    /// What came of all records.
    init(_ recording: Recording, secrets: KeyLogSecrets? = nil) {
        self.init(secrets ?? recording.secrets)
        for record in recording.records { receive(record) }
    }

    @discardableResult
    mutating func receive(_ record: Recording.Sealed) -> TLSOpening {
        let opening = connection.open(record.header, record.fragment.rawBytes, from: record.side, into: &buffer)
        openings.append(opening)
        switch opening {
        case .clear: break
        case .sealed(let reason): sealed.append(reason)
        case .plaintext(let plaintext):
            guard plaintext.contentType == 23 else { break }
            if plaintext.isEarly { early += buffer[0..<plaintext.length] }
            if record.side == .client { client += buffer[0..<plaintext.length] } else { server += buffer[0..<plaintext.length] }
        }
        return opening
    }
}
