import Dissection
import Support
import Testing

@testable import Interception

/// What the proxy's ClientHello cannot repeat of a client's.
@Suite("What is left out of a hello")
struct HelloCutTests {
    @Test("each thing is reported once a run, whoever sends it again, and what is new is still reported")
    func once() throws {
        let message = Array(Hello.bytes(name: "a.example").dropFirst(5))
        let hello = ClientHello.parse(message.rawBytes)
        var offer = UpstreamOffer(try #require(hello), in: message)
        let tls = try TLSTermination(settings: TLSSettings(), needsAuthority: false, tell: { _ in })
        #expect(tls.unreportedCuts(offer) == [])
        offer.leftOut = ["one", "two"]
        #expect(tls.unreportedCuts(offer) == ["one", "two"])
        #expect(tls.unreportedCuts(offer) == [])
        offer.leftOut = ["two", "three"]
        #expect(tls.unreportedCuts(offer) == ["three"])
    }
}
