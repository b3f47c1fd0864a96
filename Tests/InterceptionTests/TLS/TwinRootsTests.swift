import Foundation
import Interception
import Testing

/// Several trusted roots of one name: an old one and its renewal.
@Suite("Trusted roots of one name") struct TwinRootsTests {
    private let scratch: TLSScratch
    private let past = Date(timeIntervalSince1970: 1_600_000_000)..<Date(timeIntervalSince1970: 1_700_000_000)

    init() throws { scratch = try TLSScratch() }

    /// What is wrong with a server's certificate where all of `roots` are trusted, in the order in which they stand; nil where nothing is.
    private func problem(_ serving: ServingCertificate, _ roots: [TestAuthority], splitAt: Int? = nil) throws -> CertificateProblem? {
        var options = UpstreamTLSOptions()
        let parts = [roots.prefix(splitAt ?? roots.count), roots.dropFirst(splitAt ?? roots.count)].filter { !$0.isEmpty }
        options.additionalRoots = try parts.enumerated().map { index, part in
            try scratch.write(part.map { try $0.pem() }.joined(separator: "\n") + "\n", to: "roots-\(index).pem")
        }
        let target = UpstreamTLS.Target(serverName: "localhost", identity: "localhost")
        switch try LoopbackTLS().handshake(try UpstreamTLS(options), target, DownstreamTLS(), serving).client {
        case .success: return nil
        case .failure(let error):
            guard case TLSTrouble.certificate(let problem) = error else { throw error }
            return problem
        }
    }

    @Test("each of two keys counts, in either order, with an intermediate or without")
    func twoKeys() throws {
        let (old, new) = (try TestAuthority(name: "Corporate"), try TestAuthority(name: "Corporate"))
        for roots in [[old, new], [new, old]] {
            for authority in roots {
                #expect(try problem(authority.leaf(), roots) == nil)
                let middle = try authority.intermediate(name: "Middle")
                #expect(try problem(middle.leaf(above: [middle.certificate]), roots) == nil)
            }
        }
    }

    @Test("what none of them signed is refused, and so is what is wrong otherwise")
    func stillRefused() throws {
        let roots = try (0..<3).map { _ in try TestAuthority(name: "Corporate") }
        #expect(try problem(TestAuthority(name: "Corporate").leaf(), roots) == .badSignature)
        for authority in roots {
            #expect(try problem(authority.leaf(validity: past), roots) == .expired(on: "2023-11-14T22:13:20Z"))
            #expect(try problem(authority.leaf(names: ["other"]), roots) == .wrongName(names: ["other", "127.0.0.1"], wanted: "localhost"))
            // The intermediate is signed, and what it is said to have signed is not.
            let middle = try authority.intermediate(name: "Middle")
            #expect(try problem(authority.intermediate(name: "Middle").leaf(above: [middle.certificate]), roots) == .badSignature)
        }
    }

    @Test("a root that is over is not in the way of its renewal, wherever it stands; alone it is what is wrong")
    func renewed() throws {
        let old = try TestAuthority(name: "Corporate", validity: past)
        let new = try old.renewed(validity: TestAuthority.today)
        for roots in [[old, new], [new, old]] {
            for split in [1, 2] { #expect(try problem(new.leaf(), roots, splitAt: split) == nil) }
        }
        #expect(try problem(new.leaf(), [old]) == .inChain("CN=Corporate", .expired(on: "2023-11-14T22:13:20Z")))
        let other = try TestAuthority(name: "Corporate")
        #expect(try problem(other.leaf(), [old, other]) == nil)
    }
}
