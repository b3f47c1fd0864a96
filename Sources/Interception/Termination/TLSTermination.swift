import CertificateAuthority
import Dissection
import NIOCore

/// What was agreed on one side.
struct AgreedTLS: Sendable {
    var alpn: String?
    var version: UInt16?
    var cipher: UInt16?
    /// The server's certificate.
    var certificate: [UInt8] = []
}

final class TLSTermination: Sendable {
    var authorityCertificate: Responses.Certificate { Responses.Certificate(pem: [], der: []) }
    init(settings: TLSSettings) throws {}
    func isSealed(_ offered: OfferedTLS, _ plan: Plan?) -> Bool { true }
    func secureServer(_ leg: Leg, offered: OfferedTLS?, plan: Plan) throws {}
    func secureClient(_ leg: Leg, offered: OfferedTLS, server: AgreedTLS?, plan: Plan, replaying early: ByteBuffer) throws {}
    func agreement(of leg: Leg, protocol chosen: String?) -> AgreedTLS { AgreedTLS() }
    func serverFailure(_ error: (any Error)?, name: String?) -> DialFailure { DialFailure(kind: .other, reason: "TLS") }
    func clientFailed(
        _ error: (any Error)?, of leg: Leg, _ offered: OfferedTLS?, plan: Plan, conversation: UInt64, recorder: Recorder
    ) {}
}

final class TLSWire {
    func sendCloseNotify() {}
    func sendFIN() {}
}
