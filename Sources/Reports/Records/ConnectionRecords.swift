import Dissection

// What a connection's own records have: `opened`, `tls`, `data`, `gap`, `finding`, `closed`.

extension OutputBuffer {
    mutating func appendKeys(of opening: Opening, _ content: RecordContent) {
        var latin1 = false
        append(",\"client\":{", opening.client, name: content.part(opening.clientName), latin1: &latin1)
        append(",\"server\":{", opening.server, name: content.part(opening.serverName), latin1: &latin1)
        appendWord(",\"transport\":\"", opening.transport.word)
        appendWord(",\"start\":\"", opening.start.word)
        appendWord(",\"roles\":\"", opening.roles.word)
        if !opening.viaMode.isEmpty {
            append(",\"via\":{\"mode\":")
            appendString(content.part(opening.viaMode), latin1: &latin1)
            appendString(",\"target\":", content.part(opening.viaTarget), latin1: &latin1)
            append(0x7d)
        }
        appendLatin1(latin1)
    }

    private mutating func append(_ start: StaticString, _ endpoint: Endpoint, name: RawSpan, latin1: inout Bool) {
        append(start)
        let hasAddress = endpoint.address.family != .none
        if hasAddress {
            append("\"address\":\"")
            append(endpoint.address)
            append("\",\"port\":", decimal: UInt64(endpoint.port))
        }
        if !name.isEmpty {
            append(hasAddress ? ",\"name\":" : "\"name\":")
            appendString(name, latin1: &latin1)
        }
        append(0x7d)
    }

    mutating func appendKeys(of facts: TLSFacts, _ content: RecordContent) {
        var latin1 = false
        appendString(",\"serverName\":", content.part(facts.serverName), latin1: &latin1)
        appendString(",\"alpn\":", content.part(facts.alpn), latin1: &latin1)
        var offered = OfferedProtocols(content.part(facts.offeredALPN))
        var isFirst = true
        while let name = offered.next() {
            append(isFirst ? ",\"offeredAlpn\":[" : ",")
            appendString(name, latin1: &latin1)
            isFirst = false
        }
        if !isFirst { append(0x5d) }
        append(",\"version\":", facts.version, facts.version.flatMap(TLSNames.version))
        append(",\"cipher\":", facts.cipher, facts.cipher.flatMap(TLSCipherSuite.name))
        appendWord(",\"secrets\":\"", facts.secrets.word)
        appendLatin1(latin1)
    }

    /// Appends a TLS value by its name, or as `0x1301` where it has none.
    private mutating func append(_ key: StaticString, _ value: UInt16?, _ name: String?) {
        guard let value else { return }
        append(key)
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
        append(",\"length\":", decimal: run.length)
        switch run.framing {
        case nil: appendPayload(content.bytes, content.policy, length: run.length)
        case .ssl2Record: append(",\"framing\":\"tls\",\"decoded\":{\"as\":\"ssl2\"}")
        case .tlsRecord(let contentType):
            append(",\"framing\":\"tls\",\"decoded\":{\"as\":\"tls\",\"type\":")
            if let name = TLSContentType.name(contentType) {
                append(0x22)
                append(name)
                append("\"}")
            } else {
                append(decimal: UInt64(contentType))
                append(0x7d)
            }
        }
    }

    mutating func appendKeys(of gap: Gap) {
        append(",\"length\":", decimal: gap.length)
        appendWord(",\"cause\":\"", gap.cause.word)
    }

    mutating func appendKeys(of finding: Finding, _ content: RecordContent) {
        appendWord(",\"id\":\"", finding.row.idText)
        appendWord(",\"severity\":\"", finding.row.severity.word)
        if finding.row.referenceText.utf8CodeUnitCount > 0 { appendWord(",\"reference\":\"", finding.row.referenceText) }
        append(",\"detail\":\"")
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
        appendLatin1(latin1)
    }

    mutating func appendKeys(of closing: Closing) {
        appendWord(",\"by\":\"", closing.by.word)
        appendWord(",\"how\":\"", closing.how.word)
        if let code = closing.code { append(",\"code\":", decimal: UInt64(code)) }
        append(",\"answered\":", secondsOf: closing.answered)
        appendWord(",\"ends\":{\"client\":\"", closing.clientEnd.word)
        appendWord(",\"server\":\"", closing.serverEnd.word)
        append(0x7d)
        append(",\"duration\":", secondsOf: closing.duration)
        append(",\"client\":{", closing.client)
        append(",\"server\":{", closing.server)
    }

    private mutating func append(_ start: StaticString, _ totals: SideTotals) {
        append(start)
        append("\"bytes\":", decimal: totals.bytes)
        append(",\"messages\":", decimal: totals.messages)
        append(",\"frames\":", decimal: totals.frames)
        append(",\"missing\":", decimal: totals.missing)
        append(0x7d)
    }
}
