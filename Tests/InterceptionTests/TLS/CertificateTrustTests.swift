import Dissection
import Testing

@testable import Interception

/// What is remembered of clients and our certificates.
@Suite("Certificate trust")
struct CertificateTrustTests {
    @Test("a system without a list of CAs, as a small container has none, still has TLS with servers")
    func noList() throws {
        _ = try UpstreamTLS(system: [])
        _ = try UpstreamTLS(UpstreamTLSOptions(), secrets: { _ in }, system: [])
    }

    private let one = IPAddress(ipv4: 0xC000_0201)
    private let other = IPAddress(ipv4: 0xC000_0202)

    @Test("a client that has spoken to a host is known for that host, and no other client or host is")
    func worked() {
        var trust = CertificateTrust()
        #expect(!trust.hasWorked(for: one, host: "a.example"))
        trust.accepted(by: one, host: "a.example")
        #expect(trust.hasWorked(for: one, host: "a.example"))
        #expect(!trust.hasWorked(for: other, host: "a.example"))
        #expect(!trust.hasWorked(for: one, host: "b.example"))
    }

    @Test("an alert passes the host through at once, a guess needs another, and a client that speaks takes them back")
    func refusals() {
        var trust = CertificateTrust()
        let afterAlert = trust.refused(host: "alert.example", weight: CertificateTrust.enoughRefusals)
        let afterGuess = trust.refused(host: "guess.example", weight: 1)
        trust.accepted(by: one, host: "guess.example")
        let afterSuccess = trust.refused(host: "guess.example", weight: 1)
        let afterTwo = trust.refused(host: "guess.example", weight: 1)
        #expect([afterAlert, afterGuess, afterSuccess, afterTwo] == [true, false, false, true])
        #expect(trust.isRefused(host: "guess.example") && !trust.isRefused(host: "a.example"))
    }

    @Test("the third connection in a row that is closed unused tells of pinning, and only that one")
    func unused() {
        var trust = CertificateTrust()
        let told = (0..<5).map { _ in trust.leftUnused(by: one, host: "pinned.example") }
        let elsewhere = trust.leftUnused(by: one, host: "b.example")
        #expect(told == [false, false, true, false, false] && !elsewhere)
    }

    @Test("a connection with data of the server interrupts the row of unused ones")
    func servedBetween() {
        var trust = CertificateTrust()
        let before = (0..<2).map { _ in trust.leftUnused(by: one, host: "a.example") }
        trust.served(one, host: "a.example")
        let after = (0..<3).map { _ in trust.leftUnused(by: one, host: "a.example") }
        #expect(before + after == [false, false, false, false, true])
    }

    @Test("connections that several clients close unused do not add up")
    func unusedByTwo() {
        var trust = CertificateTrust()
        let told = [one, other, one, other].map { trust.leftUnused(by: $0, host: "a.example") }
        #expect(told == [false, false, false, false])
    }

    @Test("a client that speaks takes them back, and nobody's count for the host again")
    func usedBetween() {
        var trust = CertificateTrust()
        _ = trust.leftUnused(by: one, host: "a.example")
        _ = trust.leftUnused(by: one, host: "a.example")
        trust.accepted(by: one, host: "a.example")
        let own = (0..<4).map { _ in trust.leftUnused(by: one, host: "a.example") }
        let others = (0..<3).map { _ in trust.leftUnused(by: other, host: "a.example") }
        #expect(own == [false, false, false, false] && others == [false, false, false])
    }

    @Test("what is remembered is bounded: the oldest pair is forgotten, and hosts beyond the limit are not counted")
    func bounds() {
        var trust = CertificateTrust()
        for number in 0...CertificateTrust.limit {
            trust.accepted(by: one, host: "h\(number).example")
            trust.accepted(by: one, host: "h\(number).example")
            _ = trust.refused(host: "r\(number).example", weight: 2)
        }
        #expect(!trust.hasWorked(for: one, host: "h0.example"))
        #expect(trust.hasWorked(for: one, host: "h1.example"))
        #expect(trust.hasWorked(for: one, host: "h\(CertificateTrust.limit).example"))
        #expect(trust.isRefused(host: "r0.example") && !trust.isRefused(host: "r\(CertificateTrust.limit).example"))
    }
}
