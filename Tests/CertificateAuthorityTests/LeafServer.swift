import CertificateAuthority
import Foundation

/// A web server of openssl's that shows a leaf, for as long as the value lives.
final class LeafServer {
    let port: Int
    private let process = Process()

    /// nil where there is no openssl.
    init?(_ leaf: Leaf, in scratch: ScratchFolder) throws {
        guard let openssl = Program("openssl") else { return nil }
        let certificates = leaf.chain.map(PEMCertificates.text)
        let certificate = try scratch.write(certificates[0].utf8, to: "server/leaf.pem")
        let chain = try scratch.write(certificates[1].utf8, to: "server/chain.pem")
        let key = try scratch.write(leaf.key.pem.utf8, to: "server/key.pem", mode: 0o600)
        process.executableURL = URL(fileURLWithPath: openssl.path)
        process.arguments = ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-cert_chain", chain, "-key", key]
        let output = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let process = process
        let deadline = DispatchWorkItem { kill(process.processIdentifier, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: deadline)
        // It says where it listens: ACCEPT 127.0.0.1:40213.
        var said = ""
        while true {
            let more = output.fileHandleForReading.availableData
            said += String(decoding: more, as: UTF8.self)
            if let found = said.firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/), let number = Int(found.1) {
                port = number
                break
            }
            guard !more.isEmpty else { throw CocoaError(.executableRuntimeMismatch) }
        }
        // What it prints after that is of no interest, and must not fill the pipe.
        output.fileHandleForReading.readabilityHandler = { if $0.availableData.isEmpty { $0.readabilityHandler = nil } }
    }

    // By force: a process that a thread of a pool started was born with signals blocked, SIGTERM among them.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
