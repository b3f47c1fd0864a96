import Dissection

/// What the proxy writes into its recordings beside packets, as comments that people can read, and how they are read back.
///
/// ```
/// on the section    recorded by the proxy at 127.0.0.1:8080; payloads are as relayed
/// on packets        connection 3, client to proxy
///                   conversation 7, via http to example.org:443, server example.org
///                   conversation 8 without a server address, via http
///                   TLS was terminated, TLS 1.3, TLS_AES_128_GCM_SHA256, server name example.org, speaks h2
///                   proxy.header-rewritten: Host was replaced
///                   what the server sent from here on is not TLS
///                   4096 bytes of the server, not kept
///                   closed by proxy: connectFailed: the connection was refused
///                   closed by proxy: tlsFailed, client reset: the peer does not speak TLS on this port
/// ```
package enum RelayComment {
    private static let sectionStart = "recorded by the proxy at "
    private static let asRelayed = "payloads are as relayed"
    private static let openingStart = "conversation "
    private static let connectionStart = "connection "
    private static let addressless = " without a server address"
    private static let tlsStart = "TLS was terminated"
    private static let closingStart = "closed by "
    private static let clientStart = "client "
    private static let serverStart = "server "
    private static let unkeptEnd = ", not kept"
    private static func aside(_ side: Side) -> String { "what the \(side) sent from here on is not TLS" }
    private static let serverName = "server name "
    /// Bytes of a name that are read, as of those that a capture gives to addresses.
    private static let longestName = 255
    private static let speaks = "speaks "
    private static let offers = "was offered "

    package static func section(_ address: String, isSealed: Bool = false) -> String {
        "\(sectionStart)\(address); "
            + (isSealed ? "both connections of each conversation are as they were on the wire" : asRelayed)
    }

    /// Whether a comment on a section says that the packets were written by a proxy of ours.
    package static func isSection(_ text: RawSpan) -> Bool { self.text(text).hasPrefix(sectionStart) }

    /// Whether it says so of payloads as relayed: a conversation for each of the proxy's, with the names that both sides had there.
    package static func isSectionAsRelayed(_ text: RawSpan) -> Bool { isSection(text) && self.text(text).hasSuffix(asRelayed) }

    /// The first words about a conversation.
    ///
    /// - Parameter isServerUnknown: what its packets have for the server's address stands for none.
    package static func opening(_ number: UInt64, isServerUnknown: Bool) -> String {
        "\(openingStart)\(number)\(isServerUnknown ? addressless : "")"
    }

    /// The first words about one of the two connections of a conversation, in a sealed recording.
    ///
    /// - Parameter peer: whom the proxy has it with.
    package static func connection(_ number: UInt64, with peer: Side) -> String {
        "\(connectionStart)\(number), \(peer == .client ? "client to proxy" : "proxy to server")"
    }

    /// - Parameter content: what the facts point to.
    package static func tls(_ facts: TLSFacts, content: [UInt8]) -> String {
        func part(_ range: ByteRange) -> String { String(decoding: content[range.start..<range.end], as: UTF8.self) }
        var text = tlsStart
        if let version = facts.version { text += ", \(TLSNames.version(version) ?? "version \(version)")" }
        if let cipher = facts.cipher { text += ", \(TLSCipherSuite.name(cipher) ?? "cipher \(cipher)")" }
        // A comma in a name would end it.
        func escaped(_ range: ByteRange) -> String { part(range).replacing("%", with: "%25").replacing(",", with: "%2C") }
        if !facts.serverName.isEmpty { text += ", \(serverName)\(escaped(facts.serverName))" }
        if !facts.alpn.isEmpty { text += ", \(speaks)\(escaped(facts.alpn))" }
        var offered = OfferedProtocols(content.rawBytes.extracting(facts.offeredALPN.start..<facts.offeredALPN.end))
        while let name = offered.next() {
            var copy: [UInt8] = []
            copy.append(copying: name)
            text += ", \(offers)\(String(decoding: copy, as: UTF8.self).replacing("%", with: "%25").replacing(",", with: "%2C"))"
        }
        return text
    }

    package static func finding(_ row: FindingRow, detail: String) -> String { "\(row.id): \(detail)" }

    /// - Parameter ends: how the sides had left by then, where no packet says so.
    package static func closing(
        _ how: Closing.Manner, by closer: Closing.Closer, ends: Closing.Ends = Closing.Ends(), reason: String?
    ) -> String {
        "\(closingStart)\(closer): \(how)" + (ends.client == .open ? "" : ", \(clientStart)\(ends.client)")
            + (ends.server == .open ? "" : ", \(serverStart)\(ends.server)") + (reason.map { ": \($0)" } ?? "")
    }

    /// What the side sends from here on is shown, and not read.
    package static func setAside(_ side: Side) -> String { aside(side) }

    /// So many bytes of the side came, and stand nowhere.
    package static func unkept(_ count: UInt64, of side: Side) -> String {
        "\(count) \(count == 1 ? "byte" : "bytes") of the \(side)\(unkeptEnd)"
    }

    // MARK: - Reading back

    private static func text(_ bytes: RawSpan) -> String {
        var copy: [UInt8] = []
        copy.append(copying: bytes)
        return String(decoding: copy, as: UTF8.self)
    }

    /// What became of a comment on a packet of such a recording.
    package enum Reading {
        case annotation(RelayAnnotation)
        /// Of ours, and the packets say it as well.
        case known
        /// Not of ours.
        case foreign
    }

    package static func read(_ text: RawSpan) -> Reading {
        let text = self.text(text)
        if text.hasPrefix(openingStart) { return .annotation(readOpening(text.dropFirst(openingStart.count))) }
        if text.hasPrefix(connectionStart) { return .known }
        if text.hasPrefix(tlsStart) { return .annotation(readTLS(text.dropFirst(tlsStart.count))) }
        if text.hasPrefix(closingStart) { return readClosing(text.dropFirst(closingStart.count)).map { .annotation($0) } ?? .foreign }
        for side in [Side.client, .server] where text == aside(side) { return .annotation(.aside(side)) }
        if let unkept = readUnkept(text) { return .annotation(unkept) }
        guard let colon = text.firstRange(of: ": "), let row = rows[String(text[..<colon.lowerBound])] else { return .foreign }
        return .annotation(.found(row, detail: Array(text[colon.upperBound...].utf8)))
    }

    /// The proxy's own findings by their ids.
    private static let rows = Dictionary(uniqueKeysWithValues: FindingRow.proxyRows.map { ($0.id, $0) })

    private static func unescaped(_ text: Substring) -> [UInt8] {
        Array(text.replacing("%2C", with: ",").replacing("%25", with: "%").utf8)
    }

    /// Names stand after what the client asked for, which may say what it likes: the last of each counts.
    private static func readOpening(_ text: Substring) -> RelayAnnotation {
        let (isServerUnknown, parts) = (text.drop { $0.isNumber }.hasPrefix(addressless), text.split(separator: ", "))
        func name(after start: String) -> [UInt8] {
            guard let part = parts.last(where: { $0.hasPrefix(start) }) else { return [] }
            return Array(part.dropFirst(start.count).utf8.prefix(longestName))
        }
        return .opened(isServerUnknown: isServerUnknown, client: name(after: clientStart), server: name(after: serverStart))
    }

    private static func readTLS(_ text: Substring) -> RelayAnnotation {
        var facts = TLSFacts(secrets: .terminated)
        var (name, alpn, offered): ([UInt8], [UInt8], [UInt8]) = ([], [], [])
        for part in text.split(separator: ", ") {
            if part.hasPrefix(serverName) {
                name = unescaped(part.dropFirst(serverName.count))
            } else if part.hasPrefix(speaks) {
                alpn = unescaped(part.dropFirst(speaks.count))
            } else if part.hasPrefix(offers) {
                let text = unescaped(part.dropFirst(offers.count)).prefix(255)
                offered += [UInt8(text.count)] + text
            } else if let version = TLSNumbers.versions[String(part)] {
                facts.version = version
            } else if let cipher = TLSNumbers.ciphers[String(part)] {
                facts.cipher = cipher
            } else if part.hasPrefix("version ") {
                facts.version = UInt16(part.dropFirst(8))
            } else if part.hasPrefix("cipher ") {
                facts.cipher = UInt16(part.dropFirst(7))
            }
        }
        facts.serverName = ByteRange(0..<name.count)
        facts.alpn = ByteRange(name.count..<name.count + alpn.count)
        facts.offeredALPN = ByteRange(name.count + alpn.count..<name.count + alpn.count + offered.count)
        return .secured(facts, content: name + alpn + offered)
    }

    private static func readClosing(_ text: Substring) -> RelayAnnotation? {
        let parts = text.split(separator: ": ", maxSplits: 2)
        let closers: [Closing.Closer] = [.client, .server, .proxy, .unknown]
        let manners: [Closing.Manner] = [
            .closeFrame, .fin, .reset, .timeout, .connectFailed, .tlsFailed, .shutdown, .limit, .refused,
        ]
        guard parts.count >= 2, let closer = closers.first(where: { "\($0)" == parts[0] }) else { return nil }
        let ending = parts[1].split(separator: ", ")
        guard let how = manners.first(where: { "\($0)" == ending.first ?? "" }) else { return nil }
        var ends = Closing.Ends()
        for word in ending.dropFirst() {
            if let end = readEnd(word, clientStart) {
                ends.client = end
            } else if let end = readEnd(word, serverStart) {
                ends.server = end
            } else {
                return nil
            }
        }
        return .closed(how, closer, row: how.proxyRow, reason: parts.count > 2 ? Array(parts[2].utf8) : nil, ends: ends)
    }

    private static func readEnd(_ word: Substring, _ start: String) -> Closing.End? {
        [Closing.End.fin, .reset].first { "\(start)\($0)" == word }
    }

    private static func readUnkept(_ text: String) -> RelayAnnotation? {
        guard let count = UInt64(text.prefix { $0 != " " }) else { return nil }
        return [Side.client, .server].first { text == unkept(count, of: $0) }.map { .unkept($0, count) }
    }
}
