import CaptureFiles
import Dissection
import Synchronization

/// The keys of a run.
package struct CaptureKeys: Sendable {
    private let known: KeyLogSecrets
    /// Where captures are what brings more of them.
    private let arriving: ArrivingSecrets?
    private let inputs = KeyInputs()
    private let stop: StopFlag
    /// The layers that there are, with the keys for them.
    package let layers: LayerTable

    /// - Parameter stop: ends the search for keys in a capture that is looked through.
    package init(_ secrets: KeyLogSecrets, stop: StopFlag) {
        known = secrets
        self.stop = stop
        let arriving = ArrivingSecrets(known: secrets)
        self.arriving = arriving
        layers = LayerTable.standard.opening(with: TLSDecryption(secrets: arriving, ciphers: RecordCiphers()))
    }

    /// Keys that somebody writes while packets come.
    package init(_ secrets: GrowingKeyLog) {
        known = secrets.known
        stop = StopFlag()
        arriving = nil
        layers = LayerTable.standard.opening(with: TLSDecryption(secrets: secrets, ciphers: RecordCiphers()))
    }

    /// Bytes of memory that they take.
    package var heldBytes: Int { known.heldBytes }

    /// A capture begins.
    ///
    /// - Parameter canLookAhead: it is a file that can be looked through for its secrets: they may stand after the packets that need them.
    package func begin(_ path: String, canLookAhead: Bool) {
        guard canLookAhead, inputs.seen.withLock({ !$0.contains(path) }) else {
            arriving?.begin(lookingThrough: nil)
            return
        }
        arriving?.begin { [inputs, stop] known in
            // A file that is read twice is looked through once.
            _ = inputs.seen.withLock { $0.insert(path) }
            CaptureReader.readSecrets(of: path, stop: stop) { secrets in
                if secrets.type == .tlsKeyLog { Self.take(secrets.bytes, into: known) }
            }
        }
    }

    /// Takes the keys that a capture brings among its packets.
    ///
    /// - Parameter canLookAhead: those that come later need not be waited for.
    package func receive(_ bytes: RawSpan, canLookAhead: Bool) {
        Self.take(bytes, into: known)
        if !canLookAhead { arriving?.expectMore() }
    }

    private static func take(_ bytes: RawSpan, into known: KeyLogSecrets) {
        known.receive(bytes)
        known.finish()
    }
}

/// Captures that were looked through for their secrets.
private final class KeyInputs: Sendable {
    let seen = Mutex<Set<String>>([])
}
