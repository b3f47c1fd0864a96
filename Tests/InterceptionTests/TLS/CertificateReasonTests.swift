import CertificateAuthority
import Foundation
import Interception
import Testing

/// Chains that are wrong in one way each: what we name, beside the number of the error that OpenSSL gives at security level 2
/// (x509_vfy.h).
@Suite("Reasons for refusing a certificate", .enabled(if: OpenSSLProgram.isHere(for: "reasons for refusing a certificate")))
struct CertificateReasonTests {
    let scratch: TLSScratch
    let openssl: OpenSSLProgram
    let authority: TestAuthority
    private let root: String
    private let made: OpenSSLProgram.Made

    init() throws {
        scratch = try TLSScratch()
        openssl = OpenSSLProgram(scratch: scratch)
        authority = try TestAuthority()
        root = try scratch.write(authority.pem(), to: "root.pem")
        let key = try scratch.write(authority.keyPEM(), to: "root-key.pem")
        made = OpenSSLProgram.Made(certificate: URL(fileURLWithPath: root), key: URL(fileURLWithPath: key))
    }

    /// What a handshake with such a server comes to; nil where it is accepted.
    private func problem(
        _ serving: ServingCertificate, identity: String = "localhost", root: String? = nil, insecurely: Bool = false
    ) throws -> CertificateProblem? {
        var options = UpstreamTLSOptions()
        options.additionalRoots = [root ?? self.root]
        options.isVerifying = !insecurely
        let target = UpstreamTLS.Target(serverName: "localhost", identity: identity)
        let both = try LoopbackTLS().handshake(try UpstreamTLS(options), target, DownstreamTLS(), serving)
        switch both.client {
        case .success(let agreement): return agreement.unverifiedProblem
        case .failure(let error):
            guard case TLSTrouble.certificate(let problem) = error else { throw error }
            return problem
        }
    }

    private func expect(
        _ serving: ServingCertificate, _ expected: CertificateProblem?, openssl number: Int, options: [String] = [],
        identity: String = "localhost", isOfOne: Bool = true, location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try problem(serving, identity: identity) == expected, sourceLocation: location)
        #expect(try openssl.verdict(on: serving.chain, root: root, options: options) == number, sourceLocation: location)
        // With --insecure it is accepted, and named all the same where it is a matter of one certificate, not of the chain.
        let isBeyondTrust = if case .unknownIssuer = expected { false } else if case .unknownChainEnd = expected { false } else { true }
        if isBeyondTrust, isOfOne {
            #expect(try problem(serving, identity: identity, insecurely: true) == expected, sourceLocation: location)
        }
    }

    // MARK: Strength

    @Test("a short key of the server")
    func shortKey() throws {
        let leaf = try openssl.make("short", key: ["rsa:1024"], issuer: made, extensions: OpenSSLProgram.leaf)
        try expect(openssl.serving(leaf), .weakKey("1024-bit RSA"), openssl: 66)
        #expect(
            CertificateProblem.weakKey("1024-bit RSA").description
                == "the server's certificate has a 1024-bit RSA key; at least 2048 bits are required, or 224 with elliptic curves")
    }

    @Test("RSA keys are refused below the size that OpenSSL takes", arguments: [(1_962, false), (1_963, true)])
    func roundedKey(bits: Int, isEnough: Bool) throws {
        let leaf = try openssl.make("rounded", key: ["rsa:\(bits)"], issuer: made, extensions: OpenSSLProgram.leaf)
        try expect(openssl.serving(leaf), isEnough ? nil : .weakKey("\(bits)-bit RSA"), openssl: isEnough ? 0 : 66)
    }

    @Test("a key of just enough")
    func enough() throws {
        try expect(openssl.serving(openssl.make("enough", issuer: made, extensions: OpenSSLProgram.leaf)), nil, openssl: 0)
    }

    @Test("a server's certificate signed with a digest that can be forged", arguments: [("-sha1", "SHA-1"), ("-md5", "MD5")])
    func weakDigest(digest: String, name: String) throws {
        let leaf = try openssl.make("old", digest: digest, issuer: rsaRoot(), extensions: OpenSSLProgram.leaf)
        let serving = try openssl.serving(leaf)
        let root = scratch.path("rsa-root.pem")
        #expect(try problem(serving, root: root) == .weakSignature(name))
        #expect(try openssl.verdict(on: serving.chain, root: root) == 68)
        #expect(try problem(serving, root: root, insecurely: true) == .weakSignature(name))
    }

    /// Signed by itself with SHA-1, which does not matter.
    private func rsaRoot() throws -> OpenSSLProgram.Made {
        try openssl.make("rsa-root", digest: "-sha1", extensions: OpenSSLProgram.authority)
    }

    @Test("a root's own signature is not judged")
    func rootDigest() throws {
        let serving = try openssl.serving(openssl.make("fine", issuer: rsaRoot(), extensions: OpenSSLProgram.leaf))
        #expect(try problem(serving, root: scratch.path("rsa-root.pem")) == nil)
        #expect(try openssl.verdict(on: serving.chain, root: scratch.path("rsa-root.pem")) == 0)
    }

    @Test("a short key of a root, and a certificate that is trusted as such")
    func shortRoot() throws {
        let short = try openssl.make("short-root", key: ["rsa:1024"], extensions: OpenSSLProgram.authority)
        let serving = try openssl.serving(openssl.make("below", issuer: short, extensions: OpenSSLProgram.leaf))
        #expect(try problem(serving, root: short.certificate.path) == .inChain("CN=short-root", .weakKey("1024-bit RSA")))
        #expect(try openssl.verdict(on: serving.chain, root: short.certificate.path) == 67)
        let alone = try openssl.make("alone", key: ["rsa:1024"], extensions: OpenSSLProgram.leaf)
        #expect(try problem(openssl.serving(alone), root: alone.certificate.path) == .weakKey("1024-bit RSA"))
    }

    @Test("an intermediate with a short key, and one that is signed with SHA-1")
    func weakIntermediate() throws {
        let short = try openssl.make("short CA", key: ["rsa:1024"], issuer: made, extensions: OpenSSLProgram.authority)
        try expect(
            openssl.serving(openssl.make("one", issuer: short, extensions: OpenSSLProgram.leaf), above: [short]),
            .inChain("CN=short CA", .weakKey("1024-bit RSA")), openssl: 67)
        let old = try openssl.make("old CA", digest: "-sha1", issuer: made, extensions: OpenSSLProgram.authority)
        try expect(
            openssl.serving(openssl.make("two", issuer: old, extensions: OpenSSLProgram.leaf), above: [old]),
            .inChain("CN=old CA", .weakSignature("SHA-1")), openssl: 68)
    }

    // MARK: Kinds of keys

    private func agreement(_ made: OpenSSLProgram.Made, version: String, root: String, insecurely: Bool = false) throws -> Result<
        TLSAgreement, any Error
    > {
        var options = UpstreamTLSOptions()
        options.additionalRoots = [root]
        options.isVerifying = !insecurely
        let server = try OpenSSLProgram.Server(made, version: version)
        return try LoopbackTLS.handshake(try UpstreamTLS(options), .init(serverName: "localhost", identity: "localhost"), port: server.port)
    }

    @Test(
        "a server of OpenSSL's with a key of each kind that the library can verify",
        arguments: [["ed25519"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]],
        ["1.2", "1.3"])
    func kinds(key: [String], version: String) throws {
        let leaf = try openssl.make("kind", key: key, issuer: made, extensions: OpenSSLProgram.leaf)
        for insecurely in [false, true] {
            let agreement = try agreement(leaf, version: version, root: root, insecurely: insecurely).get()
            #expect(agreement.unverifiedProblem == nil && agreement.version == (version == "1.2" ? 0x0303 : 0x0304))
        }
    }

    @Test("authorities with such keys", arguments: [["ed25519"], ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"]])
    func authorities(key: [String]) throws {
        let authority = try openssl.make("such", key: key, digest: nil, extensions: OpenSSLProgram.authority)
        let leaf = try openssl.make("below", key: key, digest: nil, issuer: authority, extensions: OpenSSLProgram.leaf)
        _ = try agreement(leaf, version: "1.3", root: authority.certificate.path).get()
    }

    @Test("of a key that the library does not know, the advice says that there may be nothing in common")
    func unknownKind() throws {
        let leaf = try openssl.make("ed448", key: ["ed448"], issuer: made, extensions: OpenSSLProgram.leaf)
        guard case .failure(let error) = try agreement(leaf, version: "1.3", root: root), let trouble = error as? TLSTrouble else {
            Issue.record("it was accepted")
            return
        }
        #expect(trouble == .alert(.handshakeFailure))
        #expect(trouble.advice?.contains("signature algorithm in common") == true)
    }

    // MARK: Other reasons

    /// nameConstraints (RFC 5280 4.2.1.10) that permit names in one domain, critical.
    private static let permittedDomain = CertificateExtension(
        DER.identifier(2, 5, 29, 30), isCritical: true,
        value: DER.sequence(DER.element(0xA0, DER.sequence(DER.element(0x82, Array("example.org".utf8))))))

    @Test("a certificate for clients only")
    func clientsOnly() throws { try expect(authority.leaf(purposes: [.clientAuth]), .notForServers, openssl: 26) }

    @Test("a certificate whose key may only sign certificates")
    func keyUsage() throws {
        let leaf = try openssl.make("signer", issuer: made, extensions: OpenSSLProgram.leaf + ["keyUsage=critical,keyCertSign"])
        try expect(openssl.serving(leaf), .keyUsage, openssl: 26)
    }

    @Test("a name that the authority may not vouch for")
    func nameConstraints() throws {
        let middle = try authority.intermediate(name: "Bound", extra: [Self.permittedDomain])
        try expect(middle.leaf(addresses: [], above: [middle.certificate]), .nameConstraints, openssl: 47, isOfOne: false)
        // The same authority may vouch for this one, which is only not the one that is wanted.
        let inside = try middle.leaf(names: ["www.example.org"], addresses: [], above: [middle.certificate])
        try expect(inside, .wrongName(names: ["www.example.org"], wanted: "localhost"), openssl: 0)
    }

    @Test("an intermediate whose time is over, or has not come")
    func untimelyIntermediate() throws {
        let past = Date(timeIntervalSince1970: 1_600_000_000)..<Date(timeIntervalSince1970: 1_700_000_000)
        let old = try authority.intermediate(name: "Old", validity: past)
        try expect(old.leaf(above: [old.certificate]), .inChain("CN=Old", .expired(on: "2023-11-14T22:13:20Z")), openssl: 10)
        let future = Date(timeIntervalSince1970: 4_000_000_000)..<Date(timeIntervalSince1970: 4_000_100_000)
        let young = try authority.intermediate(name: "Young", validity: future)
        try expect(young.leaf(above: [young.certificate]), .inChain("CN=Young", .notYetValid(from: "2096-10-02T07:06:40Z")), openssl: 9)
        #expect(
            CertificateProblem.inChain("CN=Old", .expired(on: "2023-11-14T22:13:20Z")).description
                == "the CA certificate CN=Old, above the server's, expired on 2023-11-14T22:13:20Z")
    }

    @Test("a critical extension that nobody knows, in the server's certificate and in an intermediate; one that is not critical is fine")
    func criticalExtension() throws {
        let identifier = DER.identifier(1, 3, 6, 1, 4, 1, 99_999, 7)
        let critical = CertificateExtension(identifier, isCritical: true, value: [4, 1, 0])
        try expect(authority.leaf(extra: [critical]), .criticalExtension("1.3.6.1.4.1.99999.7"), openssl: 34)
        let middle = try authority.intermediate(name: "Odd", extra: [critical])
        try expect(
            middle.leaf(above: [middle.certificate]), .inChain("CN=Odd", .criticalExtension("1.3.6.1.4.1.99999.7")), openssl: 34)
        try expect(authority.leaf(extra: [CertificateExtension(identifier, value: [4, 1, 0])]), nil, openssl: 0)
    }

    @Test("an address that stands as a DNS name, and as an address")
    func addressAsName() throws {
        let ip = ["-verify_ip", "127.0.0.1"]
        let wrong = try authority.leaf(names: ["127.0.0.1"], addresses: [])
        try expect(wrong, .addressAsName("127.0.0.1"), openssl: 64, options: ip, identity: "127.0.0.1")
        #expect(
            CertificateProblem.addressAsName("127.0.0.1").description
                == "the server's certificate has 127.0.0.1 as a DNS name; an IP address has to be an IP address entry")
        try expect(authority.leaf(names: ["127.0.0.1"]), nil, openssl: 0, options: ip, identity: "127.0.0.1")
        try expect(
            authority.leaf(names: [], addresses: [], commonName: "127.0.0.1"), .nameInSubject("127.0.0.1"), openssl: 64, options: ip,
            identity: "127.0.0.1")
    }

    @Test("a name in the subject alone, which OpenSSL still takes and browsers do not")
    func nameInSubject() throws {
        try expect(
            authority.leaf(names: [], addresses: [], commonName: "localhost"), .nameInSubject("localhost"), openssl: 0,
            options: ["-verify_hostname", "localhost"])
    }

    @Test("a certificate that signed another and is no authority's")
    func notAuthority() throws {
        let none = try authority.intermediate(name: "Nobody", constraints: .basicConstraints(isCA: false))
        try expect(none.leaf(above: [none.certificate]), .inChain("CN=Nobody", .notAuthority), openssl: 79)
    }

    @Test("more authorities than one of them allows")
    func pathTooLong() throws {
        let last = try authority.intermediate(name: "Last", constraints: .basicConstraints(isCA: true, pathLength: 0))
        let beyond = try last.intermediate(name: "Beyond")
        try expect(
            beyond.leaf(above: [beyond.certificate, last.certificate]), .inChain("CN=Last", .pathTooLong), openssl: 25, isOfOne: false)
        // The limit itself is kept, and no reason, where the root is not known.
        try expect(last.leaf(above: [last.certificate]), nil, openssl: 0)
        let other = try TestAuthority(name: "Other").intermediate(
            name: "Limited", constraints: .basicConstraints(isCA: true, pathLength: 0))
        try expect(other.leaf(above: [other.certificate]), .unknownChainEnd(issuer: "CN=Other"), openssl: 20)
    }

    @Test("more authorities than the root allows, which the library does not count", arguments: [0, 1])
    func rootPathTooLong(limit: UInt8) throws {
        let narrow = try TestAuthority(name: "Narrow", pathLength: limit)
        let root = try scratch.write(narrow.pem(), to: "narrow-\(limit).pem")
        let one = try narrow.intermediate(name: "One")
        let two = try one.intermediate(name: "Two")
        for (leaf, count) in [
            (try narrow.leaf(), 0), (try one.leaf(above: [one.certificate]), 1),
            (try two.leaf(above: [two.certificate, one.certificate]), 2),
        ] {
            let isTooLong = count > Int(limit)
            #expect(try problem(leaf, root: root) == (isTooLong ? .inChain("CN=Narrow", .pathTooLong) : nil), "\(count) of \(limit)")
            #expect(try openssl.verdict(on: leaf.chain, root: root, options: []) == (isTooLong ? 25 : 0))
        }
    }

    @Test("a signature by another key of the same name")
    func badSignature() throws { try expect(TestAuthority().leaf(), .badSignature, openssl: 7, isOfOne: false) }

    @Test("with --insecure, faults of the chain as a whole are named too")
    func insecureChain() throws {
        let bound = try authority.intermediate(name: "Bound", extra: [Self.permittedDomain])
        #expect(try problem(bound.leaf(addresses: [], above: [bound.certificate]), insecurely: true) == .nameConstraints)
        let last = try authority.intermediate(name: "Last", constraints: .basicConstraints(isCA: true, pathLength: 0))
        let beyond = try last.intermediate(name: "Beyond")
        for above in [[beyond.certificate, last.certificate], [beyond.certificate, last.certificate, authority.certificate]] {
            #expect(try problem(beyond.leaf(above: above), insecurely: true) == .inChain("CN=Last", .pathTooLong))
        }
        let twin = try authority.intermediate(name: "Last")
        #expect(try problem(last.leaf(above: [twin.certificate]), insecurely: true) == .badSignature)
        // Nothing is wrong with these but that nobody vouches for them.
        for fine in [
            try last.leaf(above: [last.certificate]), try last.leaf(), try last.leaf(above: [last.certificate, authority.certificate]),
            try authority.leaf(), try beyond.leaf(above: [beyond.certificate]),
        ] {
            #expect(try problem(fine, insecurely: true) == nil)
        }
    }

    @Test("RSA-PSS with a salt of another length is not taken for a false signature; with the usual one it is fine")
    func salt() throws {
        let root = try openssl.make("pss-root", extensions: OpenSSLProgram.authority)
        for (length, expected) in [
            (32, nil), (20, CertificateProblem.unknownSignature("RSA-PSS and a salt of 20 bytes, where SHA-256 takes 32")),
        ] {
            let options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:\(length)"]
            let leaf = try openssl.make("pss\(length)", issuer: root, extensions: OpenSSLProgram.leaf, options: options)
            let serving = try openssl.serving(leaf)
            #expect(try problem(serving, root: root.certificate.path) == expected)
            #expect(try openssl.verdict(on: serving.chain, root: root.certificate.path) == 0)
        }
    }

    @Test("an intermediate that may not sign is not looked for at the user's")
    func mayNotSign() throws {
        let usage = CertificateExtension(DER.identifier(2, 5, 29, 15), isCritical: true, value: [3, 2, 7, 0x80])
        let middle = try authority.intermediate(name: "Silent", usage: usage)
        let problem = try #require(try problem(middle.leaf(above: [middle.certificate])))
        #expect(problem == .unknownIssuer(issuer: "CN=Silent"))
        #expect(problem.description.contains("or sent without keyCertSign in its key usage"))
    }

    @Test("an intermediate that may be missing is told from a root that is not trusted, where the certificate says where its issuer is")
    func missingIntermediate() throws {
        // authorityInfoAccess (RFC 5280 4.2.2.1) with caIssuers, or with OCSP alone, which names no issuer.
        func access(method: UInt8) -> CertificateExtension {
            let place = Array("http://ca.example/i".utf8)
            let entry: [UInt8] = [0x06, 8, 0x2B, 6, 1, 5, 5, 7, 0x30, method] + [0x86, UInt8(place.count)] + place
            return CertificateExtension(
                DER.identifier(1, 3, 6, 1, 5, 5, 7, 1, 1), value: [0x30, UInt8(entry.count + 2), 0x30, UInt8(entry.count)] + entry)
        }
        let middle = try authority.intermediate(name: "Middle")
        let missing = try #require(try problem(middle.leaf(extra: [access(method: 2)])))
        #expect(missing == .missingIntermediate(issuer: "CN=Middle"))
        // Private CAs write where the certificate of a root can be had, too.
        #expect(
            missing.description == "the server's certificate was issued by CN=Middle, which is not trusted here and was not sent: "
                + "it may be an intermediate certificate, which the server has to send, or a private root")
        #expect(try problem(middle.leaf(extra: [access(method: 1)])) == .unknownIssuer(issuer: "CN=Middle"))
        let other = try TestAuthority(name: "Other")
        #expect(try problem(other.leaf(above: [other.certificate], extra: [access(method: 2)])) == .unknownRoot("CN=Other"))
        let below = try other.intermediate(name: "Below")
        #expect(try problem(below.leaf(above: [below.certificate], extra: [access(method: 2)])) == .unknownChainEnd(issuer: "CN=Other"))
        // With it, the chain is whole.
        #expect(try problem(middle.leaf(above: [middle.certificate], extra: [access(method: 2)])) == nil)
    }

    @Test("a certificate policy that is demanded: met, and not met, which must not end the process")
    func policy() throws {
        let demand = CertificateExtension(DER.identifier(2, 5, 29, 36), isCritical: true, value: [0x30, 0x03, 0x80, 0x01, 0x00])
        let policy = CertificateExtension(DER.identifier(2, 5, 29, 32), value: [0x30, 0x05, 0x30, 0x03, 0x06, 0x01, 0x2A])
        // Any policy will do.
        let check = ["-policy_check", "-policy", "2.5.29.32.0"]
        try expect(authority.leaf(extra: [demand]), .policy, openssl: 43, options: check, isOfOne: false)
        try expect(authority.leaf(extra: [demand, policy]), nil, openssl: 0, options: check)
        let strict = try authority.intermediate(name: "Strict", extra: [demand, policy])
        try expect(strict.leaf(above: [strict.certificate]), .policy, openssl: 43, options: check, isOfOne: false)
        try expect(strict.leaf(above: [strict.certificate], extra: [policy]), nil, openssl: 0, options: check)
    }

    @Test("an extension that cannot be read")
    func malformed() throws {
        let broken = CertificateExtension(DER.identifier(2, 5, 29, 30), isCritical: true, value: [0x02, 0x01, 0x00])
        #expect(try problem(authority.leaf(extra: [broken])) == .malformed)
    }

    // MARK: Text from certificates

    @Test("what a certificate says of itself reaches no terminal and no page as it is")
    func hostileText() throws {
        let hostile = "\u{1B}[31mred\n\r<script>alert(1)</script>\u{202E}gnp.exe\u{9B}2J"
        let other = try TestAuthority(name: hostile)
        let issuer = try #require(try problem(other.leaf()))
        let ascii = String(String.UnicodeScalarView(hostile.unicodeScalars.filter(\.isASCII)))
        let names = try #require(try problem(authority.leaf(names: [ascii, "*.example.org"])))
        let inside = try #require(try problem(authority.intermediate(name: hostile, constraints: .basicConstraints(isCA: false)).leaf()))
        for problem in [issuer, names, inside] {
            let page = Responses.unreachable(.tlsProtocolError, problem.description)
            let text = String(decoding: page, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
            for forbidden in ["\u{1B}", "\r", "\u{202E}", "\u{9B}", "<script"] {
                #expect(!problem.description.contains(forbidden) && !text.contains(forbidden), "\(forbidden.debugDescription)")
            }
            #expect(!problem.description.contains("\n"))
            #expect(problem.description.contains(#"\1B[31mred\0A\0D\3Cscript\3Ealert(1)"#), "\(problem.description)")
        }
    }
}
