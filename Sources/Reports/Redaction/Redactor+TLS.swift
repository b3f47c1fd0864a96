import Dissection

// Names in what is told of a TLS connection: the server's, the protocols', and those in certificates.
extension Redactor {
    func handTLS(_ facts: TLSFacts, _ event: borrowing ConversationEvent, _ hand: (borrowing ConversationEvent) -> Void) {
        guard !event.content.isEmpty else { return hand(event) }
        var (new, content) = (facts, [UInt8]())
        var places = 0
        func put(_ text: [UInt8]) -> ByteRange {
            content += text
            return ByteRange(content.count - text.count..<content.count)
        }
        func left(_ text: RawSpan, isName: Bool = true) -> [UInt8] {
            let whole = text.copy
            var work = HeadRedaction(whole, rules)
            let range = ByteRange(0..<whole.count)
            if isName { work.takeAuthority(range) } else { work.take(range) }
            places += work.found.count
            return work.found.apply(to: whole)
        }
        new.serverName = put(left(event.bytes(facts.serverName)))
        new.alpn = put(left(event.bytes(facts.alpn)))
        var offered: [UInt8] = []
        var rest = event.bytes(facts.offeredALPN)
        while rest.byteCount > 0, rest.byteCount > Int(rest[0]) {
            let name = left(rest.extracting(1..<1 + Int(rest[0]))).prefix(Int(UInt8.max))
            offered.append(UInt8(clamping: name.count))
            offered += name
            rest = rest.suffix(from: 1 + Int(rest[0]))
        }
        new.offeredALPN = put(offered + rest.copy)
        func certificates(_ range: ByteRange) -> [UInt8] {
            var list: [UInt8] = []
            var certificates = CertificateList(event.bytes(range))
            while let certificate = certificates.next() {
                var entry = CertificateEntry()
                entry.sha256 = certificate.sha256.copy
                (entry.notBefore, entry.notAfter) = (certificate.notBefore, certificate.notAfter)
                (entry.subject, entry.issuer) = (left(certificate.subject, isName: false), left(certificate.issuer, isName: false))
                var names = certificate.names
                while let name = names.next() { entry.add(name: left(name).rawBytes) }
                entry.append(to: &list)
            }
            return list
        }
        new.certificates = put(certificates(facts.certificates))
        new.clientCertificates = put(certificates(facts.clientCertificates))
        guard places > 0 else { return hand(event) }
        hand(
            ConversationEvent(
                conversation: event.conversation, from: event.from, place: event.place, offset: event.offset, channel: event.channel,
                fact: .tls(new), content: content.rawBytes, asked: event.asked,
                redaction: Redaction(
                    places: event.redaction.places &+ UInt32(clamping: places),
                    growth: event.redaction.growth &+ Int32(clamping: content.count - event.content.byteCount))))
    }
}
