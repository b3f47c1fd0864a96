import Dissection

// What `data` and `finding` have.

extension OutputBuffer {
    mutating func appendKeys(of run: DataRun, _ content: RecordContent) {
        append(.dataLength, decimal: run.length)
        switch run.framing {
        case nil:
            append(.headerBlock, ifTrue: run.isHeaderBlock)
            append(.afterClose, ifTrue: run.isAfterClose)
            appendPayload(content.bytes, content.policy, length: content.shown(run.length))
        case .ssl2Record:
            appendSealed("ssl2")
            append(0x7d)
        case .tlsRecord(let contentType):
            appendSealed("tls")
            append(.decodedType)
            if let name = TLSContentType.name(contentType) {
                append(0x22)
                append(name)
                append(0x22)
            } else {
                append(decimal: UInt64(contentType))
            }
            if let name = run.handshakeMessage.flatMap(TLSNames.messageAfterHandshake) { append(.decodedHandshake, word: name) }
            append(0x7d)
        }
    }

    /// What a sealed record is, without the end of the object that tells more of it.
    private mutating func appendSealed(_ format: StaticString) {
        append(.framing, word: "tls")
        append(.decoded)
        append(0x7b)
        append(first: .decodedAs)
        append(0x22)
        append(format)
        append(0x22)
    }

    mutating func appendKeys(of finding: Finding, _ content: RecordContent) {
        append(.id, word: finding.row.idText)
        append(.severity, word: finding.row.severity.word)
        if finding.row.referenceText.utf8CodeUnitCount > 0 { append(.reference, word: finding.row.referenceText) }
        append(.detail)
        append(0x22)
        var latin1 = false
        var sentence = FindingSentence(finding)
        while let piece = sentence.next() {
            switch piece {
            case .literal(let words): _ = appendJSON(utf8: words)
            case .number(let value): append(decimal: value)
            case .reservedBits(let value): append(reservedBits: value)
            case .hex(let value):
                append("0x")
                append(hex: value)
            case .text:
                if !appendJSON(utf8: content.bytes) {
                    latin1 = true
                    appendJSON(latin1: content.bytes)
                }
            }
        }
        append(0x22)
        append(.latin1, ifTrue: latin1)
    }
}
