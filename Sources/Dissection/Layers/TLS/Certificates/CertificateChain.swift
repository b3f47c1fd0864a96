/// The certificates of a server as its Certificate message has them (RFC 8446, section 4.4.2; RFC 5246, section 7.4.2), its own first.
package struct CertificateChain {
    /// As in a `tls` event; see `CertificateList`.
    package private(set) var list: [UInt8] = []
    /// What is known of each beyond its entry in the list.
    private var flaws: [Flaws] = []
    /// The message ended where its lengths say.
    private var isWhole = false

    private struct Flaws {
        var isReadable = false
        var isSelfIssued = false
        var namesHost = false
        var keyIdentifier: [UInt8] = []
        var authorityKeyIdentifier: [UInt8] = []
        var isNotForServers = false
        var isNotCA = false
        var locatesIssuer = false
        var criticalExtension: [UInt8] = []
        var weakKey: String?
        var weakDigest: String?
    }

    /// More are not read: chains have two to four.
    private static var mostCertificates: Int { 16 }

    /// Reads a whole handshake message, its header of type and 24-bit length included, up to where it contradicts its lengths.
    ///
    /// - Parameter isTLS13: a context comes first, and extensions behind each certificate.
    init(_ message: RawSpan, isTLS13: Bool) {
        var fields = HandshakeFields(ByteRange(start: 4, count: max(0, message.byteCount - 4)))
        if isTLS13, fields.vector8(message) == nil { return }
        guard let whole = fields.vector24(message) else { return }
        var entries = HandshakeFields(whole)
        while flaws.count < Self.mostCertificates, let der = entries.vector24(message) {
            add(message.extracting(der.start..<der.end))
            if isTLS13, entries.vector16(message) == nil { return }
        }
        isWhole = entries.isAtEnd
    }

    /// A certificate alone, in DER.
    package init(certificate der: RawSpan) { add(der) }

    private mutating func add(_ der: RawSpan) {
        var entry = CertificateEntry()
        var flaws = Flaws()
        var digest = SHA256()
        digest.update(der)
        let sum = digest.finish()
        for index in sum.indices { entry.sha256.append(sum[index]) }
        if let certificate = X509Certificate(der) {
            entry.subject = certificate.subject
            entry.issuer = certificate.issuer
            entry.notBefore = certificate.notBefore
            entry.notAfter = certificate.notAfter
            for name in certificate.names {
                let bytes = name.range.map { der[$0] }
                let address = name.tag == 0x87 ? IPAddress(networkBytes: bytes) : nil
                let text = address.map { Array($0.literal.utf8) } ?? bytes
                entry.add(name: text.rawBytes)
            }
            flaws = Flaws(
                isReadable: true, isSelfIssued: certificate.isSelfIssued, namesHost: certificate.namesHost,
                keyIdentifier: certificate.keyIdentifier, authorityKeyIdentifier: certificate.authorityKeyIdentifier,
                isNotForServers: certificate.isNotForServers, isNotCA: certificate.isCA == false,
                locatesIssuer: certificate.locatesIssuer, criticalExtension: certificate.criticalExtension,
                weakKey: certificate.weakKey, weakDigest: certificate.weakDigest)
        }
        entry.append(to: &list)
        self.flaws.append(flaws)
    }

    var heldBytes: Int { list.capacity + flaws.capacity * MemoryLayout<Flaws>.stride }

    // MARK: - What a client would refuse

    /// Reports what a client would refuse that verifies certificates. Signatures are not verified, and which CA a client trusts is not known.
    ///
    /// - Parameters:
    ///   - version: TLCP (0x0101) has two certificates of a server behind each other.
    ///   - serverName: what the client asked for; empty where that is not known.
    ///   - arrival: that of the ServerHello, at whose time the certificates have to be valid.
    func judge<Sink: ConversationSink & ~Copyable>(
        version: UInt16?, serverName: RawSpan, at arrival: Arrival, context: inout ConversationContext, sink: inout Sink
    ) {
        var certificates = CertificateList(list.rawBytes)
        var issuer: [UInt8] = []
        var issuerKey: [UInt8] = []
        /// The certificate before has signed itself.
        var isOwnIssuer = false
        var isInOrder = version.map { $0 >= 0x0300 } ?? true
        let time = Self.judgedTime(arrival)
        let isAlone = isWhole && flaws.count == 1
        for (index, flaws) in flaws.enumerated() {
            guard let certificate = certificates.next() else { return }
            func emit(_ row: FindingRow, _ text: [UInt8] = []) {
                context.emit(row, a: UInt64(index + 1), at: arrival, content: text.rawBytes, sink: &sink)
            }
            guard flaws.isReadable else {
                emit(.tlsCertificateUnreadable)
                isInOrder = false
                continue
            }
            let isIssuer = DistinguishedName.folded(certificate.subject) == issuer || !issuerKey.isEmpty && flaws.keyIdentifier == issuerKey
            if index > 0, isInOrder, !isIssuer {
                emit(.tlsCertificateOrder)
                isInOrder = false
            }
            // A certificate that is sent twice issues nothing.
            if index > 0, isIssuer, flaws.isNotCA, !isOwnIssuer { emit(.tlsCertificateNotCA) }
            isOwnIssuer = flaws.isSelfIssued
            issuer = DistinguishedName.folded(certificate.issuer)
            issuerKey = flaws.authorityKeyIdentifier
            // A client has its roots at hand; the copy that a server sends along is not looked at.
            if index > 0, flaws.isSelfIssued { continue }
            if let time {
                if let end = certificate.notAfter, end < time { emit(.tlsCertificateExpired, Self.text(end)) }
                if let start = certificate.notBefore, start > time { emit(.tlsCertificateNotYetValid, Self.text(start)) }
            }
            if !flaws.criticalExtension.isEmpty { emit(.tlsCertificateCritical, flaws.criticalExtension) }
            // The last may be a root that a client knows and an older one has signed.
            if index > 0, index == self.flaws.count - 1 { continue }
            if Self.isSince(Self.shortKeysRefused, time), let weak = flaws.weakKey { emit(.tlsCertificateWeak, Array("\(weak) key".utf8)) }
            if Self.isSince(Self.oldDigestsRefused, time), !flaws.isSelfIssued, let weak = flaws.weakDigest {
                emit(.tlsCertificateWeak, Array("\(weak) signature".utf8))
            }
            guard index == 0 else { continue }
            if isAlone, flaws.locatesIssuer, !flaws.isSelfIssued {
                context.emit(.tlsCertificateAlone, at: arrival, content: certificate.issuer, sink: &sink)
            }
            if flaws.isSelfIssued { emit(.tlsCertificateSelfSigned) }
            if flaws.isNotForServers { emit(.tlsCertificatePurpose) }
            let isNamed = flaws.namesHost || Self.isSince(Self.commonNamesIgnored, time)
            if isNamed, !serverName.isEmpty, !Self.covers(certificate.names, serverName) {
                context.emit(.tlsCertificateName, at: arrival, content: serverName, sink: &sink)
            }
        }
    }

    /// Seconds since 1970; nil where the capture's clock was not set: it stands before 2001-09-09, or no time was recorded.
    private static func judgedTime(_ arrival: Arrival) -> Int64? {
        guard let time = arrival.place.time else { return nil }
        let seconds = time.nanoseconds / 1_000_000_000
        return seconds >= 1_000_000_000 ? seconds : nil
    }

    /// `2026-09-01 12:00:00 UTC`.
    private static func text(_ seconds: Int64) -> [UInt8] { Array("\(CivilTime(seconds: seconds).text(between: " ")) UTC".utf8) }

    // What was good enough for the clients of its time is not refused. In seconds since 1970.

    /// iOS 13 and macOS 10.15; Debian's OpenSSL came a little earlier.
    private static var shortKeysRefused: Int64 { CivilTime(year: 2019, month: 9, day: 19, hour: 0, minute: 0, second: 0).seconds }
    /// Chrome 56; the others came in the weeks around it.
    private static var oldDigestsRefused: Int64 { CivilTime(year: 2017, month: 1, day: 25, hour: 0, minute: 0, second: 0).seconds }
    /// Chrome 58.
    private static var commonNamesIgnored: Int64 { CivilTime(year: 2017, month: 4, day: 19, hour: 0, minute: 0, second: 0).seconds }

    /// What was captured at an unknown time counts as of today.
    private static func isSince(_ date: Int64, _ time: Int64?) -> Bool { time.map { $0 >= date } ?? true }

    private static func covers(_ names: borrowing CertificateNames, _ serverName: RawSpan) -> Bool {
        // Some clients send the dot of a name that is meant to be whole, and look for it without.
        let isWhole = serverName[serverName.byteCount - 1] == UInt8(ascii: ".")
        let wanted = serverName.extracting(0..<serverName.byteCount - (isWhole ? 1 : 0))
        // An address is no name that may be asked for (RFC 6066, section 3), and has several forms.
        if wanted.byteCount <= 45, IPAddress(text: String(decoding: (0..<wanted.byteCount).map { wanted[$0] }, as: UTF8.self)) != nil {
            return true
        }
        var names = copy names
        while let name = names.next() {
            if HostNamePattern.matches(name, name: wanted) { return true }
        }
        return false
    }
}
