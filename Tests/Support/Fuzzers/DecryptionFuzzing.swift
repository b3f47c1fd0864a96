internal import Decryption
internal import Dissection

/// Any bytes as a key log, as records of TLS whose keys are known, and as a talk in TLS: no secret and no record costs more than its bound,
/// and how the bytes come changes nothing.
///
/// The first byte says what an input is, in bits 0 and 1: 0 a key log, 1 and 3 records, 2 a talk. Of records each step is one byte for what
/// comes (bit 0 the side, bits 1 and 2 whether it is a record, a record without its content or a gap, bits 3 to 5 the content type from 20
/// on), two for a length, and the bytes; with 3 the ciphers open what they are told to, so that what is inside is reached as well. So do those
/// of a talk, which has steps as of `TalkFuzzing`.
enum DecryptionFuzzing {
    static func complaints(about input: [UInt8]) -> [String] {
        guard let first = input.first else { return [] }
        let rest = Array(input.dropFirst())
        return switch first & 3 {
        case 0: keyLog(rest, step: 1 + Int(first / 4))
        case 2: HTTP2Fuzzing.complaints(about: talk(rest, isTight: first & 4 != 0), follows: first & 8 != 0)
        default: records(rest, isReal: first & 2 == 0)
        }
    }

    private static func talk(_ input: [UInt8], isTight: Bool) -> Talk {
        var cursor = InputCursor(input)
        var talk = Talk(TalkFuzzing.steps(&cursor), limits: isTight ? Fuzzer.tightLimits : Limits())
        talk.layers = LayerTable.standard.opening(with: TLSDecryption(secrets: AnySecrets(), ciphers: ObedientCiphers()))
        return talk
    }

    private static func keyLog(_ input: [UInt8], step: Int) -> [String] {
        let limit = 2_000
        let whole = KeyLogSecrets(limit: limit)
        whole.receive(input.rawBytes)
        whole.finish()
        let piecewise = KeyLogSecrets(limit: limit)
        var start = 0
        while start < input.count {
            piecewise.receive(input.rawBytes.extracting(start..<min(start + step, input.count)))
            start += step
        }
        piecewise.finish()
        var complaints: [String] = []
        if whole.counts != piecewise.counts { complaints.append("read whole \(whole.counts), in pieces \(piecewise.counts)") }
        // One session may be larger than the limit.
        if whole.heldBytes > limit + 10_000 { complaints.append("\(whole.heldBytes) bytes of secrets are held") }
        return complaints
    }

    private static func records(_ input: [UInt8], isReal: Bool) -> [String] {
        let ciphers: any TLSCiphers = isReal ? RecordCiphers() : ObedientCiphers()
        var connection = DecryptedConnection(TLSDecryption(secrets: AnySecrets(), ciphers: ciphers))
        var complaints: [String] = []
        var buffer: [UInt8] = []
        var position = 0
        while position + 3 <= input.count {
            let kind = input[position]
            let side: Side = kind & 1 == 0 ? .client : .server
            let length = Int(input.rawBytes.bigEndianUInt16(at: position + 1))
            let end = min(position + 3 + length, input.count)
            let fragment = input.rawBytes.extracting(position + 3..<end)
            position = end
            switch kind >> 1 & 3 {
            case 0: connection.passRecord(from: side)
            case 1: connection.noteGap(UInt64(length) << (kind >> 3), from: side)
            default:
                let type = UInt64(20 + (kind >> 3 & 7) % 5)
                let header = TLSRecordHeader(bits: type << 32 | 0x0303 << 16 | UInt64(fragment.byteCount))
                if case .plaintext(let plaintext) = connection.open(header, fragment, from: side, into: &buffer),
                    plaintext.length > buffer.count
                {
                    complaints.append("\(plaintext.length) bytes of content in a buffer of \(buffer.count)")
                }
            }
            if connection.heldBytes > 2 * 65_540 { complaints.append("\(connection.heldBytes) bytes of hellos are held") }
            if buffer.count > 65_535 { complaints.append("the buffer has grown to \(buffer.count) bytes") }
        }
        return complaints
    }
}

/// Knows a secret of each kind for every session.
private final class AnySecrets: TLSSecrets {
    var grows: Bool { false }
    var isEmpty: Bool { false }

    func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        [UInt8](repeating: 7, count: label == .master ? 48 : Int(random.bytes[0] & 1) * 16 + 32)
    }
}

/// Opens a fragment of which the first byte is not 0 to what follows it, as content of a type that the byte says.
private final class ObedientCiphers: TLSCiphers {
    final class Opener: TLSRecordOpener {
        func open(
            _ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
        ) -> Result<TLSPlaintext, TLSUnopened> {
            guard fragment.byteCount > 0, fragment[0] != 0 else { return .failure(.notAuthentic) }
            let length = fragment.byteCount - 1
            if buffer.count < length { buffer += [UInt8](repeating: 0, count: length - buffer.count) }
            for index in 0..<length { buffer[index] = fragment[index + 1] }
            let type = 20 + fragment[0] % 5
            return .success(TLSPlaintext(contentType: type, length: length, sequence: sequence &+ UInt64(count - 1)))
        }

        func noteLoss() {}
    }

    func opener(for session: TLSSession, side: Side, secret: [UInt8]) throws(TLSUnopened) -> any TLSRecordOpener { Opener() }

    func overhead(of session: TLSSession) -> Int { 1 }

    func secret(after secret: [UInt8], cipherSuite: UInt16) -> [UInt8]? { secret }
}
