import Dissection
import NIOCore

// A side that does not speak TLS where it has to.

extension Recorder {
    /// Puts what a side sent in the place of TLS, during a handshake that failed, into the records as what it is: bytes in the clear
    /// that answer no request.
    func recordForeign(_ leg: Leg?, in conversation: UInt64) {
        // What a client had sent with its ClientHello stands with that; what a server had sent before TLS stands nowhere else.
        guard let leg, let bytes = leg.side == .client ? leg.tls?.freshForeignBytes : leg.tls?.foreignBytes, bytes.readableBytes > 0 else {
            return
        }
        setAside(leg.side, in: conversation, at: .now)
        received(bytes, from: leg.side, in: conversation, at: .now)
        unkept(leg.tls?.unkeptForeignBytes ?? 0, from: leg.side, in: conversation)
    }
}

extension ForeignBytes {
    /// What a reason says beside that the handshake failed; nothing where all that `whom` sent was TLS.
    static func words(_ leg: Leg?, _ whom: String) -> String {
        guard let bytes = leg?.tls?.foreignBytes, bytes.readableBytes > 0 else { return "" }
        return "; \(whom) sent \(description(bytes))"
    }
}
