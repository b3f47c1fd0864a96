import Dissection

/// A `Beginning` in the vocabulary of the dissector: the opening, and the text that its names point to.
struct OpeningText {
    private(set) var opening: Opening
    private(set) var content: [UInt8] = []

    /// More of a name than anybody would read; it comes from a peer.
    private static let longestName = 4_096

    /// - Parameter number: of the conversation; a Unix socket without an address gets a port that is made from it.
    init(_ beginning: Beginning, number: UInt64) {
        let isUnix = beginning.transport == .unix
        var client = beginning.client.endpoint
        var server = beginning.server.endpoint
        client.address = client.address.unmapped
        server.address = server.address.unmapped
        // What a recording can write as a TCP packet, here as there; the ports tell clients of a Unix socket apart.
        if isUnix, client.address.family == .none {
            client = Endpoint(address: IPAddress(ipv4: 0), port: UInt16(truncatingIfNeeded: 1_024 + (number - 1) % 64_512))
        }
        if isUnix, server.address.family == .none, !beginning.isRefused { server = Endpoint(address: IPAddress(ipv4: 0), port: 0) }
        opening = Opening(client: client, server: server, transport: beginning.transport, start: .accepted, roles: .handshake)
        opening.clientName = append(beginning.client.name)
        opening.serverName = append(beginning.server.name)
        opening.viaMode = append(beginning.via?.mode)
        opening.viaTarget = append(beginning.via?.target)
    }

    private mutating func append(_ text: String?) -> ByteRange {
        guard let text else { return ByteRange() }
        let start = content.count
        content.append(contentsOf: text.utf8.prefix(OpeningText.longestName))
        return ByteRange(start..<content.count)
    }
}

/// A `TLSSummary` in the vocabulary of the dissector.
struct TLSText {
    private(set) var facts: TLSFacts
    private(set) var content: [UInt8] = []

    init(_ summary: TLSSummary) {
        facts = TLSFacts(version: summary.version, cipher: summary.cipher, secrets: .terminated)
        let name = Array((summary.serverName ?? "").utf8.prefix(4_096))
        let alpn = Array((summary.alpn ?? "").utf8.prefix(255))
        facts.serverName = ByteRange(0..<name.count)
        facts.alpn = ByteRange(name.count..<name.count + alpn.count)
        content = name + alpn
        for protocolName in summary.offered.prefix(64) {
            let text = protocolName.utf8.prefix(255)
            content += [UInt8(text.count)] + text
        }
        facts.offeredALPN = ByteRange(name.count + alpn.count..<content.count)
        guard let certificate = summary.certificate else { return }
        let start = content.count
        content += CertificateChain(certificate: certificate.rawBytes).list
        facts.certificates = ByteRange(start..<content.count)
    }
}
