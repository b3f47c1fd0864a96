/// The certificates that a server showed, its own first, as they stand in the content of a `tls` event.
///
/// ```
/// SHA-256 ── not before ── not after ── subject ──── issuer ──── names
/// 32 bytes   8, seconds    8, seconds   2 + length   2 + length  4 + length, of 2 + length each
/// ```
public struct CertificateList: ~Escapable {
    private var rest: RawSpan

    @_lifetime(copy bytes)
    public init(_ bytes: RawSpan) { rest = bytes }

    /// The next certificate; none at the end, or where a length points beyond it.
    @_lifetime(copy self)
    public mutating func next() -> ServerCertificate? {
        let fixed = 48
        guard rest.byteCount >= fixed + 2 else { return nil }
        let subject = fixed + 2..<fixed + 2 + Int(rest.bigEndianUInt16(at: fixed))
        guard rest.byteCount >= subject.upperBound + 2 else { return nil }
        let issuer = subject.upperBound + 2..<subject.upperBound + 2 + Int(rest.bigEndianUInt16(at: subject.upperBound))
        guard rest.byteCount >= issuer.upperBound + 4 else { return nil }
        let start = issuer.upperBound + 4
        let count = Int(rest.bigEndianUInt32(at: issuer.upperBound))
        guard count <= rest.byteCount - start else { return nil }
        let certificate = ServerCertificate(
            sha256: rest.extracting(0..<32), notBefore: Self.time(rest.bigEndianUInt64(at: 32)),
            notAfter: Self.time(rest.bigEndianUInt64(at: 40)),
            subject: rest.extracting(subject), issuer: rest.extracting(issuer),
            names: CertificateNames(rest.extracting(start..<start + count)))
        rest = rest.suffix(from: start + count)
        return certificate
    }

    private static func time(_ bits: UInt64) -> Int64? {
        let seconds = Int64(bitPattern: bits)
        return seconds == .min ? nil : seconds
    }
}

/// A certificate (RFC 5280), as far as it could be read.
public struct ServerCertificate: ~Escapable {
    /// The SHA-256 of its DER form: 32 bytes.
    public let sha256: RawSpan
    /// When it begins and ends to be valid, in seconds since 1970; nil where that cannot be read.
    public let notBefore: Int64?
    public let notAfter: Int64?
    /// In the form of RFC 4514, UTF-8; empty where it has none, or it cannot be read.
    public let subject: RawSpan
    public let issuer: RawSpan
    /// Its alternative names.
    public let names: CertificateNames

    @_lifetime(copy sha256, copy subject, copy issuer, copy names)
    fileprivate init(
        sha256: RawSpan, notBefore: Int64?, notAfter: Int64?, subject: RawSpan, issuer: RawSpan, names: consuming CertificateNames
    ) {
        self.sha256 = sha256
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.subject = subject
        self.issuer = issuer
        self.names = names
    }
}

/// Alternative names of a certificate (RFC 5280, section 4.2.1.6): hosts, URIs and addresses of mail as they stand in it, and IP addresses as
/// text.
public struct CertificateNames: ~Escapable, Copyable {
    private var rest: RawSpan

    @_lifetime(copy bytes)
    fileprivate init(_ bytes: RawSpan) { rest = bytes }

    /// The next name; none at the end, or where a length points beyond it.
    @_lifetime(copy self)
    public mutating func next() -> RawSpan? {
        guard rest.byteCount >= 2 else { return nil }
        let end = 2 + Int(rest.bigEndianUInt16(at: 0))
        guard rest.byteCount >= end else { return nil }
        let name = rest.extracting(2..<end)
        rest = rest.suffix(from: end)
        return name
    }
}

/// A certificate on its way into a list.
package struct CertificateEntry {
    package var sha256: [UInt8] = []
    package var notBefore: Int64?
    package var notAfter: Int64?
    package var subject: [UInt8] = []
    package var issuer: [UInt8] = []
    private var names: [UInt8] = []

    package init() {}

    /// Adds a name, the first 65,535 bytes of it.
    package mutating func add(name: RawSpan) {
        let count = min(name.byteCount, Int(UInt16.max))
        names.append(UInt8(truncatingIfNeeded: count >> 8))
        names.append(UInt8(truncatingIfNeeded: count))
        names.append(copying: name.extracting(0..<count))
    }

    /// Appends it to a list.
    package func append(to list: inout [UInt8]) {
        for index in 0..<32 { list.append(index < sha256.count ? sha256[index] : 0) }
        for time in [notBefore, notAfter] { Self.append(UInt64(bitPattern: time ?? .min), bytes: 8, to: &list) }
        for text in [subject, issuer] {
            let count = min(text.count, Int(UInt16.max))
            Self.append(UInt64(count), bytes: 2, to: &list)
            list.append(contentsOf: text.prefix(count))
        }
        Self.append(UInt64(names.count), bytes: 4, to: &list)
        list.append(contentsOf: names)
    }

    private static func append(_ value: UInt64, bytes: Int, to list: inout [UInt8]) {
        for index in (0..<bytes).reversed() { list.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}
