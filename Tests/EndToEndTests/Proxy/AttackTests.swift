import Foundation
import Support
import Testing

/// A short form of what `make attack` does for longer: attacks on a proxy, and what has to hold after each (Tests/Peers/attack.py).
///
/// `UNMASK_ATTACK=90` makes the broken sessions last so many seconds, and the idle connections 8,000.
@Suite("A proxy that is attacked stands", .serialized)
struct AttackTests {
    private static let seconds = ProcessInfo.processInfo.environment["UNMASK_ATTACK"].flatMap { Int($0) }

    private func attack(_ arguments: String...) throws {
        let peers = try PeerProgram(
            "attack.py", [UnmaskProcess.executable.path] + arguments, seconds: 180 + (Self.seconds ?? 0), announces: false)
        let outcome = peers.finish()
        print(outcome.lines.first ?? "the attack said nothing")
        #expect(outcome.status == 0, "\(outcome.lines.joined(separator: "\n"))")
    }

    @Test("broken HTTP, SOCKS, TLS and STARTTLS sessions in every mode")
    func brokenSessions() throws { try attack("sessions", "--seconds", "\(Self.seconds ?? 4)", "--seed", "7") }

    @Test("a crowd that says nothing")
    func idleConnections() throws { try attack("idle", "--count", Self.seconds == nil ? "500" : "8000") }

    @Test("a log and a recording that can grow no further")
    func fullDisk() throws { try attack("disk") }
}
