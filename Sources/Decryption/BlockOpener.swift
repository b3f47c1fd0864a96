import Dissection

/// Opens records of CBC suites (RFC 5246, section 6.2.3.2), with the MAC inside of the ciphertext or behind it (RFC 7366).
///
/// ```
/// MAC, then encrypt   [vector] │ ciphertext of (content │ MAC │ padding │ length of the padding)
/// encrypt, then MAC   [vector] │ ciphertext of (content │ padding │ length of the padding) │ MAC
/// ```
///
/// With TLS 1.0 no vector stands in the record: it is the last block of the record before.
package final class BlockOpener: TLSRecordOpener {
    private let context: CipherContext
    private let blockLength: Int
    private let mac: MessageAuthentication
    private let encryptsThenMACs: Bool
    private let hasVector: Bool
    /// With TLS 1.0: of the next record; empty where the record before is not known.
    private var chained: [UInt8]
    private var header = AuthenticatedHeader()

    /// - Parameter firstVector: with TLS 1.0 that of the first record; nil where each record brings its own.
    init(_ context: CipherContext, blockLength: Int, mac: MessageAuthentication, encryptsThenMACs: Bool, firstVector: [UInt8]?) {
        self.context = context
        self.blockLength = blockLength
        self.mac = mac
        self.encryptsThenMACs = encryptsThenMACs
        hasVector = firstVector == nil
        chained = firstVector ?? []
    }

    package func noteLoss() { chained = [] }

    package func open(
        _ header: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        let vectorLength = hasVector ? blockLength : 0
        let outsideMAC = encryptsThenMACs ? mac.length : 0
        let blocksEnd = fragment.byteCount - outsideMAC
        let blocksLength = blocksEnd - vectorLength
        let insideMAC = encryptsThenMACs ? 0 : mac.length
        guard blocksLength > insideMAC, blocksLength % blockLength == 0 else {
            chained = []
            return .failure(.recordTooShort)
        }
        let blocks = fragment.extracting(vectorLength..<blocksEnd)
        // The vector of the next record is known, whatever comes of this one.
        let vector = chained
        if !hasVector {
            chained.removeAll(keepingCapacity: true)
            chained.append(copying: blocks.suffix(from: blocksLength - blockLength))
            guard vector.count == blockLength else { return .failure(.unsynchronised) }
        }
        buffer.lengthen(to: blocksLength)
        if encryptsThenMACs {
            let authenticated = fragment.extracting(0..<blocksEnd)
            let place = place(
                header, of: authenticated, mac: fragment.suffix(from: blocksEnd), length: blocksEnd, sequence: sequence, count: count)
            guard let place else { return .failure(.notAuthentic) }
            guard decrypt(fragment, vector, blocks, &buffer), let length = unpadded(buffer, blocksLength, least: 0) else {
                return .failure(.notAuthentic)
            }
            return .success(TLSPlaintext(contentType: header.contentType, length: length, sequence: place))
        }
        guard decrypt(fragment, vector, blocks, &buffer), let end = unpadded(buffer, blocksLength, least: mac.length) else {
            return .failure(.notAuthentic)
        }
        let length = end - mac.length
        let plain = buffer.rawBytes
        let place = place(
            header, of: plain.extracting(0..<length), mac: plain.extracting(length..<end), length: length, sequence: sequence, count: count)
        guard let place else { return .failure(.notAuthentic) }
        return .success(TLSPlaintext(contentType: header.contentType, length: length, sequence: place))
    }

    private func decrypt(_ fragment: RawSpan, _ vector: [UInt8], _ blocks: RawSpan, _ buffer: inout [UInt8]) -> Bool {
        if hasVector {
            return context.decrypt(vector: fragment.extracting(0..<blockLength), blocks: blocks, into: &buffer)
        }
        return context.decrypt(vector: vector.rawBytes, blocks: blocks, into: &buffer)
    }

    /// Where the padding begins; nil where it is not one: each of its bytes has to be its length, without the one that says it.
    private func unpadded(_ buffer: [UInt8], _ count: Int, least: Int) -> Int? {
        let padding = Int(buffer[count - 1])
        let end = count - 1 - padding
        guard end >= least else { return nil }
        for index in end..<count where Int(buffer[index]) != padding { return nil }
        return end
    }

    /// The sequence number under which the MAC is right.
    private func place(
        _ recordHeader: TLSRecordHeader, of content: RawSpan, mac expected: RawSpan, length: Int, sequence: UInt64, count: Int
    ) -> UInt64? {
        var next = sequence
        for _ in 0..<count {
            header.set(recordHeader, sequence: next, length: length)
            if mac.isValid(expected, of: header.bytes, content) { return next }
            next &+= 1
        }
        return nil
    }
}

/// Opens records of suites that authenticate and do not encrypt: content, and its MAC (RFC 5246, section 6.2.3.1).
package final class AuthenticatedOnlyOpener: TLSRecordOpener {
    private let mac: MessageAuthentication
    private var header = AuthenticatedHeader()

    init(mac: MessageAuthentication) { self.mac = mac }

    package func noteLoss() {}

    package func open(
        _ recordHeader: TLSRecordHeader, _ fragment: RawSpan, sequence: UInt64, count: Int, into buffer: inout [UInt8]
    ) -> Result<TLSPlaintext, TLSUnopened> {
        let length = fragment.byteCount - mac.length
        guard length >= 0 else { return .failure(.recordTooShort) }
        let content = fragment.extracting(0..<length)
        var next = sequence
        for _ in 0..<count {
            header.set(recordHeader, sequence: next, length: length)
            if mac.isValid(fragment.suffix(from: length), of: header.bytes, content) {
                buffer.lengthen(to: length)
                for index in 0..<length { buffer[index] = content[index] }
                return .success(TLSPlaintext(contentType: recordHeader.contentType, length: length, sequence: next))
            }
            next &+= 1
        }
        return .failure(.notAuthentic)
    }
}
