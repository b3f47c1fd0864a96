import Dissection

/// Secrets in binary payloads whose names do not stand in the bytes, or not beside them: fields of protobuf, whose names a schema has, and what a format
/// says under a secret name, objects and lists whole. They are found by the ranges of what was decoded.
///
/// They are overwritten in place, as those of `BinarySecrets`, and with what leaves the message as it can be read: letters in text and bytes, zeros in
/// numbers.
struct SecretFields {
    private(set) var bytes: [UInt8]
    private(set) var places = 0
    private var isCBOR = false

    /// - Parameters:
    ///   - payload: where in the bytes the payload lies that was decoded.
    ///   - isCut: it goes on where nobody sees it.
    init(_ decoded: DecodedPayload, in bytes: [UInt8], at payload: ByteRange, isCut: Bool) {
        self.bytes = bytes
        let isProtobuf = Self.isProtobuf(decoded.format)
        isCBOR = decoded.format.bytes.isEqual(CBOR.name.bytes)
        for entry in decoded.entries { visit(entry.value, entry.key, entry.range, in: payload, isSecret: false, isProtobuf) }
        guard Self.isBinary(decoded.format), isCut || decoded.hasStopped else { return }
        // Which fields there are in what could not be read is not known.
        let isRead = !isCut && (!isProtobuf || decoded.entries.count > 2)
        let read = isRead ? min(Int(clamping: decoded.problem?.position ?? 0), payload.count) : 0
        fill(payload.start + read..<payload.end, with: UInt8(ascii: "x"))
    }

    /// Hides a part of a body that is not read by itself.
    init(hiding part: ByteRange, in bytes: [UInt8]) {
        self.bytes = bytes
        fill(part.start..<part.end, with: UInt8(ascii: "x"))
    }

    /// Whether names of fields in a format are those of a schema.
    static func isProtobuf(_ format: StaticString) -> Bool {
        format.bytes.isEqual(Protobuf.name.bytes) || format.bytes.isEqual(GRPC.name.bytes)
    }

    /// Whether names of fields in a format do not show where it is cut.
    static func isBinary(_ format: StaticString) -> Bool {
        isProtobuf(format) || [MessagePack.name, CBOR.name, BSON.name].contains { $0.bytes.isEqual(format.bytes) }
    }

    private mutating func visit(
        _ value: DecodedPayload.Value, _ name: [UInt8], _ range: ByteRange?, in payload: ByteRange, isSecret: Bool, _ isProtobuf: Bool
    ) {
        let isSecret = isSecret || SecretNames.isSecret(name[...])
        switch value {
        case .items(let members), .object(let members):
            // What a message of a broker carries says what it is.
            var isProtobuf = isProtobuf
            if case .word(let format)? = members.first?.value, members.first?.name.elementsEqual("as".utf8) == true {
                isProtobuf = format == Protobuf.name.description
            }
            for member in members { visit(member.value, member.name, member.range, in: payload, isSecret: isSecret, isProtobuf) }
        // What is true or false hides nothing, and nothing is nothing.
        case .flag, .nothing: return
        case .text, .word, .number, .signed, .real, .duration, .json, .binary, .fields:
            guard isSecret, let range, range.count > 0, range.end <= payload.count else { return }
            let place = payload.start + range.start..<payload.start + range.end
            if isProtobuf {
                hideField(place)
            } else if case .text(let text) = value, !hide(text, in: place), isCBOR {
                // It stands there in pieces.
                fill(place, with: UInt8(ascii: "x"))
            }
        }
    }

    /// Hides text that stands at the end of its place, after its header; a string of BSON has a zero after it. False where it is written otherwise.
    private mutating func hide(_ text: [UInt8], in place: Range<Int>) -> Bool {
        for padding in 0...1 where text.count + padding <= place.count {
            let range = place.upperBound - padding - text.count..<place.upperBound - padding
            guard bytes[range].elementsEqual(text), padding == 0 || bytes[range.upperBound] == 0 else { continue }
            fill(range, with: UInt8(ascii: "x"))
            return true
        }
        return false
    }

    /// What takes the place of bytes.
    private enum Filler {
        case letters, zeros
        /// The number 0 as a varint of as many bytes.
        case varint
    }

    private mutating func hideField(_ place: Range<Int>) {
        let (range, filler) = value(in: place)
        switch filler {
        case .letters: fill(range, with: UInt8(ascii: "x"))
        case .zeros: fill(range, with: 0)
        case .varint:
            let last = range.upperBound - 1
            guard bytes[last] != 0 || !bytes[range].dropLast().allSatisfy({ $0 == 0x80 }) else { return }
            for index in range { bytes[index] = index == last ? 0 : 0x80 }
            places += 1
        }
    }

    /// The value of a field with its tag, or one of several numbers without (protobuf.dev, "Encoding").
    private func value(in place: Range<Int>) -> (Range<Int>, Filler) {
        let content = bytes.rawBytes.extracting(0..<place.upperBound)
        guard let (tag, start) = content.varint(at: place.lowerBound) else { return (place, .letters) }
        // A number of a packed list.
        guard start < place.upperBound else { return (place, .varint) }
        let value = start..<place.upperBound
        switch tag & 7 {
        case 0 where content.varint(at: start)?.end == place.upperBound: return (value, .varint)
        case 1 where value.count == 8, 5 where value.count == 4: return (value, .zeros)
        case 2:
            if let (length, text) = content.varint(at: start), length == UInt64(place.upperBound - text) {
                return (text..<place.upperBound, .letters)
            }
        case _: break
        }
        // A number of fixed width of a packed list; else it stands there in another form, such as compressed.
        return (place, place.count == 4 || place.count == 8 ? .zeros : .letters)
    }

    private mutating func fill(_ place: Range<Int>, with filler: UInt8) {
        guard !place.isEmpty, !bytes[place].allSatisfy({ $0 == filler }) else { return }
        for index in place { bytes[index] = filler }
        places += 1
    }
}
