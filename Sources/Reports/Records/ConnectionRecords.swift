import Dissection

// What a connection's own records have: `opened`, `tls`, `data`, `gap`, `finding`, `closed`.

extension OutputBuffer {
    mutating func appendKeys(of opening: Opening, _ content: RecordContent) {
        var latin1 = false
        // An archive knows the name and the port of a URL, and not always the address. What a proxy was asked for says the port itself.
        append(.client, opening.client, name: content.part(opening.clientName), namesPort: false, latin1: &latin1)
        append(
            .server, opening.server, name: content.part(opening.serverName),
            namesPort: opening.viaMode.isEmpty && opening.start == .midstream, latin1: &latin1)
        append(.transport, word: opening.transport.word)
        append(.start, word: opening.start.word)
        append(.roles, word: opening.roles.word)
        if !opening.viaMode.isEmpty {
            append(.via)
            append(0x7b)
            append(first: .viaMode)
            appendString(content.part(opening.viaMode), latin1: &latin1)
            append(.viaTarget, content.part(opening.viaTarget), latin1: &latin1)
            append(0x7d)
        }
        append(.latin1, ifTrue: latin1)
    }

    /// - Parameter namesPort: whether the port stands there without an address too.
    private mutating func append(_ field: Field, _ endpoint: Endpoint, name: RawSpan, namesPort: Bool, latin1: inout Bool) {
        append(field)
        append(0x7b)
        let hasAddress = endpoint.address.family != .none
        let hasPort = !hasAddress && namesPort && endpoint.port > 0 && !name.isEmpty
        if hasAddress {
            append(first: .address)
            append(0x22)
            append(endpoint.address)
            append(0x22)
            append(.port, decimal: UInt64(endpoint.port))
        }
        if hasPort {
            append(first: .port)
            append(decimal: UInt64(endpoint.port))
        }
        if !name.isEmpty {
            if hasAddress || hasPort { append(.endpointName) } else { append(first: .endpointName) }
            appendString(name, latin1: &latin1)
        }
        append(0x7d)
    }

    mutating func appendKeys(of facts: TLSFacts, _ content: RecordContent) {
        var latin1 = false
        append(.serverName, content.part(facts.serverName), latin1: &latin1)
        append(.alpn, content.part(facts.alpn), latin1: &latin1)
        var offered = OfferedProtocols(content.part(facts.offeredALPN))
        var isFirst = true
        while let name = offered.next() {
            if isFirst { append(.offeredALPN) }
            append(isFirst ? "[" : ",")
            appendString(name, latin1: &latin1)
            isFirst = false
        }
        if !isFirst { append(0x5d) }
        append(.tlsVersion, facts.version, facts.version.flatMap(TLSNames.version))
        append(.cipher, facts.cipher, facts.cipher.flatMap(TLSCipherSuite.name))
        append(.secrets, word: facts.secrets.word)
        appendCertificates(.certificates, content.part(facts.certificates), latin1: &latin1)
        appendCertificates(.clientCertificates, content.part(facts.clientCertificates), latin1: &latin1)
        append(.latin1, ifTrue: latin1)
    }

    /// Appends a TLS value by its name, or as `0x1301` where it has none.
    private mutating func append(_ field: Field, _ value: UInt16?, _ name: String?) {
        guard let value else { return }
        append(field)
        append(0x22)
        if let name {
            append(utf8: name)
        } else {
            append("0x")
            append(hex: UInt64(value), width: 4)
        }
        append(0x22)
    }

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

    mutating func appendKeys(of gap: Gap) {
        append(.gapLength, decimal: gap.length)
        append(.cause, word: gap.cause.word)
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

    mutating func appendKeys(of closing: Closing) {
        append(.closedBy, word: closing.by.word)
        append(.how, word: closing.how.word)
        if let code = closing.code { append(.closingCode, decimal: UInt64(code)) }
        append(.answered, secondsOf: closing.answered)
        append(.silence, secondsOf: closing.silence)
        append(.ends)
        append(0x7b)
        append(first: .clientEnd)
        append(0x22)
        append(closing.clientEnd.word)
        append(0x22)
        append(.serverEnd, word: closing.serverEnd.word)
        append(0x7d)
        append(.duration, secondsOf: closing.duration)
        append(.clientTotals, closing.client)
        append(.serverTotals, closing.server)
    }

    private mutating func append(_ field: Field, _ totals: SideTotals) {
        append(field)
        append(0x7b)
        append(first: .sideBytes)
        append(decimal: totals.bytes)
        append(.sideMessages, decimal: totals.messages)
        append(.sideFrames, decimal: totals.frames)
        append(.sideMissing, decimal: totals.missing)
        append(0x7d)
    }
}
