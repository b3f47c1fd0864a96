/// What a leaf is to be for; equal requests get equal leaves, so it is a key to keep them by.
package struct LeafRequest: Hashable, Sendable {
    /// Names in the form of `HostName.dnsName`; the first label may be `*`.
    package var dnsNames: [String]
    /// Addresses in network order, 4 or 16 bytes each.
    package var ipAddresses: [[UInt8]]
    /// The subject's common name, at most 64 characters (RFC 5280, ub-common-name); without one the subject is empty.
    package var commonName: String?

    package init(dnsNames: [String] = [], ipAddresses: [[UInt8]] = [], commonName: String? = nil) {
        self.dnsNames = dnsNames
        self.ipAddresses = ipAddresses
        self.commonName = commonName
    }

    /// The most names and addresses that one leaf carries.
    package static let limit = 100

    /// The request for a connection: what the client asked for first, then where the proxy went, then what the server's own certificate says.
    ///
    /// What is no name is left out: it comes from strangers. Names beyond `limit` are left out too, the certificate's last ones first.
    ///
    /// - Parameters:
    ///   - certificate: the server's certificate, DER; nil where it showed none or was not asked.
    ///   - serverName: the name in the client's ClientHello (RFC 6066 3); an address there is taken as one.
    ///   - dialled: the name or the address that the proxy connected to, without a port.
    package init(certificate: [UInt8]?, serverName: String?, dialled: String?) {
        self.init()
        for text in [serverName, dialled] {
            guard let text else { continue }
            if let address = HostName.ipAddress(text) {
                add(address: address)
            } else if let name = HostName.dnsName(text) {
                add(name: name)
            }
        }
        if let certificate {
            let names = CertificateNames(certificate: certificate)
            for name in names.dnsNames { add(name: name) }
            for address in names.ipAddresses { add(address: address) }
            // Certificates from before alternative names had to be there are named by their subject.
            if names.dnsNames.isEmpty, names.ipAddresses.isEmpty, let subject = names.commonName {
                if let address = HostName.ipAddress(subject) {
                    add(address: address)
                } else if let name = HostName.dnsName(subject, allowsWildcard: true) {
                    add(name: name)
                }
            }
        }
        commonName = dnsNames.first { $0.utf8.count <= 64 }
    }

    private mutating func add(name: String) {
        guard dnsNames.count + ipAddresses.count < Self.limit, !dnsNames.contains(name) else { return }
        dnsNames.append(name)
    }

    private mutating func add(address: [UInt8]) {
        guard dnsNames.count + ipAddresses.count < Self.limit, !ipAddresses.contains(address) else { return }
        ipAddresses.append(address)
    }
}
