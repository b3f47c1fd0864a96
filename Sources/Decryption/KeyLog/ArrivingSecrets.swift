import Dissection
import Synchronization

/// Secrets that captures bring among their packets, which may stand after those of their session.
///
/// A file can be looked through for them, which is done once, when a secret is missed first: most captures have none. Of what can be read once alone, where
/// one has come, those of the next session may come a little after its packets.
package final class ArrivingSecrets: TLSSecrets {
    /// What has come so far, and what other sources add.
    package let known: KeyLogSecrets
    private let mayGrow = Atomic(false)
    private let look = Mutex<(@Sendable (KeyLogSecrets) -> Void)?>(nil)

    package init(known: KeyLogSecrets) { self.known = known }

    package var grows: Bool { mayGrow.load(ordering: .relaxed) }

    package var isEmpty: Bool { known.isEmpty && !grows && look.withLock { $0 == nil } }

    package func secret(_ label: TLSSecretLabel, of random: TLSRandom) -> [UInt8]? {
        if let secret = known.secret(label, of: random) { return secret }
        let look = look.withLock { look in
            defer { look = nil }
            return look
        }
        guard let look else { return nil }
        look(known)
        return known.secret(label, of: random)
    }

    package func otherSecrets(_ label: TLSSecretLabel, of random: TLSRandom) -> [[UInt8]] { known.otherSecrets(label, of: random) }

    /// Another capture begins.
    ///
    /// - Parameter look: looks through it for its secrets; nil where that cannot be done, or has been.
    package func begin(lookingThrough look: (@Sendable (KeyLogSecrets) -> Void)?) {
        mayGrow.store(false, ordering: .relaxed)
        self.look.withLock { $0 = look }
    }

    /// Says that secrets have come, and more may.
    package func expectMore() { mayGrow.store(true, ordering: .relaxed) }
}
