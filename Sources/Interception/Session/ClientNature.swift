import Dissection
import NIOCore

/// What a client turned out to speak.
enum ClientNature {
    case unknown
    case plaintext
    case tls(UpstreamOffer)
    /// TLS that is not to be opened.
    case sealed

    var isUnknown: Bool { if case .unknown = self { true } else { false } }
    var offered: UpstreamOffer? { if case .tls(let offered) = self { offered } else { nil } }
}

/// Looks at a client's first bytes for a ClientHello.
struct ClientNatureReader {
    private var hello = ClientHelloReader()

    /// Memory that an unfinished hello takes here, in bytes.
    var heldBytes: Int { hello.message.capacity }

    /// How long more of a hello is waited for: a handshake may take its time, a few bytes that may be anything have little.
    func patience(_ settings: ProxySettings.Patience) -> TimeAmount { hello.hasBegun ? settings.handshake : settings.firstBytes }

    /// Takes the next bytes; `unknown` while more are needed.
    mutating func receive(_ bytes: ByteBuffer, isSealed: (UpstreamOffer) -> Bool) -> ClientNature {
        switch hello.receive(bytes.readableBytesSpan) {
        case .needsMore: return .unknown
        case .notTLS: return .plaintext
        case .tooLong: return .sealed
        case .hello(let found):
            let offered = UpstreamOffer(found, in: hello.message)
            return isSealed(offered) ? .sealed : .tls(offered)
        }
    }
}
