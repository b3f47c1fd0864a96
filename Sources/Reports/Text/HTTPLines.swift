import Dissection

extension TextLine {
    /// A request's line as on the wire, then what it asks for.
    ///
    /// - Parameter isPromise: It is a server's, of a response that nobody has asked for (RFC 9113, section 8.4).
    mutating func appendRequest(_ head: RequestHead, _ content: RecordContent, knownHost: RawSpan, isPromise: Bool) {
        append(safe: content.part(head.method))
        append(0x20)
        append(said: content.part(head.target))
        append(0x20)
        append(safe: content.part(head.version))
        var (upgrade, offers, type) = (ByteRange(), [ByteRange](), ByteRange())
        let host = HeaderFields.host(in: content.bytes, at: head.fields)
        var fields = HeaderFields(in: content.bytes, at: head.fields)
        while let field = fields.next() {
            let name = content.part(field.name)
            if name.isWord("upgrade") || name.isWord(":protocol") { upgrade = field.value }
            if name.isWord("sec-websocket-protocol") || name.isWord("sec-websocket-extensions") { offers.append(field.value) }
            if name.isWord("content-type") { type = field.value }
        }
        beginDetail()
        if isPromise {
            append("promised")
            space(3)
        }
        if !host.isEmpty, !content.part(host).isEqual(knownHost) {
            append("host ")
            append(said: content.part(host))
            space(3)
        }
        if !upgrade.isEmpty {
            append("upgrade to ", safe: content.part(upgrade))
            for (index, offer) in offers.prefix(8).enumerated() {
                append(index == 0 ? ", offers " : ", ", safe: content.part(offer))
            }
            space(3)
        }
        append(safe: content.part(type))
        if let deadline = CallDeadline.nanoseconds(in: content.bytes, at: head.fields) {
            if !type.isEmpty { space(3) }
            append("deadline ", span: deadline)
        }
        ink(.plain)
    }

    /// The number of a conversation, at the beginning of a line that is followed.
    mutating func appendNumber(_ number: UInt64) {
        ink(.strong)
        append(rightIn: 3) { $0.append(decimal: number) }
        space(2)
        ink(.plain)
    }

    /// A response's status, then how long it took and what it brings.
    ///
    /// - Parameter showsLocation: The place that it leads to is not shown with other header fields.
    mutating func appendResponse(_ head: ResponseHead, _ content: RecordContent, showsLocation: Bool) {
        ink(head.status >= 500 ? .violation : head.status >= 400 ? .warning : .plain)
        append { $0.append(decimal: UInt64(head.status)) }
        append(0x20)
        append(safe: content.part(head.reason))
        ink(.plain)
        beginDetail()
        if let latency = head.latency {
            append(span: latency)
            space(3)
        }
        var fields = HeaderFields(in: content.bytes, at: head.fields)
        while let field = fields.next() {
            let name = content.part(field.name)
            if name.isWord("location") {
                guard showsLocation else { continue }
                append("to ")
            } else if !name.isWord("content-type") {
                continue
            }
            append(said: content.part(field.value))
            space(3)
        }
        ink(.plain)
    }

    /// Goes to where details begin, and makes them faint.
    mutating func beginDetail() {
        pad(to: isSlim ? 0 : Column.farDetail, least: 3)
        ink(.faint)
    }

    /// What the hellos say, in words.
    ///
    /// - Parameter isLive: a proxy saw them, and opens what it is to open.
    mutating func appendTLS(_ facts: TLSFacts, _ content: RecordContent, isLive: Bool) {
        if let version = facts.version {
            append(version, TLSNames.version(version))
        } else {
            append("TLS")
        }
        if !facts.serverName.isEmpty {
            append(" to ", safe: content.part(facts.serverName))
        }
        if !facts.alpn.isEmpty {
            append(", speaks ", safe: content.part(facts.alpn))
        } else {
            var offered = OfferedProtocols(content.part(facts.offeredALPN))
            var isFirst = true
            while let name = offered.next() {
                append(isFirst ? ", offers " : " or ", safe: name)
                isFirst = false
            }
            // In a capture the choice may be encrypted; the proxy knows that there is none.
            if !isFirst, facts.secrets == .terminated { append(", none chosen") }
        }
        if let cipher = facts.cipher {
            append(", ")
            append(cipher, TLSCipherSuite.name(cipher))
        }
        switch facts.secrets {
        // A proxy needs no keys. A ServerHello says that it passed TLS through; without one the handshake failed, as another line says.
        case .missing where isLive: if facts.cipher != nil { append("; passed through, not decrypted") }
        case .missing: append("; no keys, so contents stay sealed")
        case .keylog: append("; opened with the key log")
        case .terminated: append("; opened by the proxy")
        }
    }

    private mutating func append(_ value: UInt16, _ name: String?) {
        if let name { return append(name) }
        append("0x")
        append(hex: UInt32(value), least: 4)
    }

    /// How many bytes are not there, and why.
    mutating func appendGap(_ gap: Gap) {
        ink(.warning)
        append("gap")
        pad(to: 7)
        append(gap.length, "byte")
        switch gap.cause {
        case .missing: append(" missing: lost before the capture")
        case .truncated: append(" missing: cut off by the capture's snapshot length")
        case .limit: append(" left out, to stay within the limits")
        case .resync: append(" seen and skipped, in search of the next plausible boundary")
        case .undecodable: append(" impossible to decode")
        }
        ink(.plain)
    }
}
