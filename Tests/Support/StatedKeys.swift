package import Dissection

/// Secrets of which a test says whether they are known: those of TLS 1.3 and before, of every session alike.
package final class StatedSecrets: TLSSecrets {
    package let grows: Bool
    private let labels: Set<TLSSecretLabel>

    package init(_ labels: Set<TLSSecretLabel> = StatedSecrets.all, grows: Bool = false) {
        self.labels = labels
        self.grows = grows
    }

    package static let all: Set<TLSSecretLabel> = [
        .master, .early, .handshake(.client), .handshake(.server), .traffic(.client, generation: 0), .traffic(.server, generation: 0),
    ]

    package var isEmpty: Bool { false }

    package func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        labels.contains(label) ? [UInt8](repeating: 1, count: label == .master ? 48 : 32) : nil
    }
}

/// Ciphers that encrypt nothing: a fragment is its content, its type, and where it stands in the sequence.
///
/// ```
/// content │ type, 1 byte │ sequence number, 8 bytes
/// ```
package final class StatedCiphers: TLSCiphers {
    private final class Opener: TLSRecordOpener {
        func open(
            _ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
        ) -> Result<TLSPlaintext, TLSUnopened> {
            let length = fragment.byteCount - 9
            guard length >= 0 else { return .failure(.recordTooShort) }
            let stated = fragment.bigEndianUInt64(at: length + 1)
            guard stated >= sequence, stated - sequence < UInt64(count) else { return .failure(.notAuthentic) }
            if buffer.count < length { buffer += [UInt8](repeating: 0, count: length - buffer.count) }
            for index in 0..<length { buffer[index] = fragment[index] }
            return .success(TLSPlaintext(contentType: fragment[length], length: length, sequence: stated))
        }

        func noteLoss() {}
    }

    private let isExact: Bool

    /// - Parameter isExact: records have no padding beside.
    package init(isExact: Bool = true) { self.isExact = isExact }

    package func isOverheadExact(of session: TLSSession) -> Bool { isExact }

    package func opener(for session: TLSSession, side: Side, secret: [UInt8]) throws(TLSUnopened) -> any TLSRecordOpener { Opener() }

    package func overhead(of session: TLSSession) -> Int { 9 }

    package func secret(after secret: [UInt8], cipherSuite: UInt16) -> [UInt8]? { secret }
}

/// The records of one side, as `StatedCiphers` opens them.
package struct StatedRecords {
    private var sequence: UInt64 = 0

    package init() {}

    /// A record of TLS 1.3.
    package mutating func record(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = content.count + 9
        defer { sequence += 1 }
        let number = (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (56 - 8 * UInt64($0))) }
        return [23, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + content + [type] + number
    }

    /// A record with bytes of the channel inside.
    package mutating func data(_ text: String) -> [UInt8] { record(23, Array(text.utf8)) }

    /// Finished, after which other keys hold.
    package mutating func finished() -> [UInt8] {
        defer { sequence = 0 }
        return record(22, [20, 0, 0, 0])
    }
}
