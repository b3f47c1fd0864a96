import Foundation
import Interception

/// Two Python peers with a relay between them, each doing its steps in turn; what each of them saw comes out.
struct PeerDialogue {
    struct Failure: Error { var reason: String }

    var client: [String]
    var server: [String]

    /// Where python3 is, if it is there.
    static let python: String? = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// - Parameter isRelayed: with the relay between the two, or without, as it should be.
    init(version: String, client clientSteps: [String], server serverSteps: [String], isRelayed: Bool = true) throws {
        guard let python = Self.python else { throw Failure(reason: "no python3") }
        let scratch = try TLSScratch()
        let authority = try TestAuthority()
        let leaf = try authority.leaf()
        let root = try scratch.write(authority.pem(), to: "authority.pem")
        _ = try scratch.write(leaf.pem, to: "server.pem")
        let serverPeer = try PeerProcess(python, ["server", "0", version, scratch.folder.path] + serverSteps)
        guard let words = serverPeer.nextLine()?.split(separator: " "), words.first == "port", let port = words.last.flatMap({ Int($0) })
        else {
            throw Failure(reason: "the server does not listen")
        }
        var options = UpstreamTLSOptions()
        options.additionalRoots = [root]
        let relay = isRelayed ? try TestRelay(upstream: port, upstreamTLS: try UpstreamTLS(options), certificate: leaf) : nil
        let clientPeer = try PeerProcess(python, ["client", String(relay?.port ?? port), version, scratch.folder.path] + clientSteps)
        // The relay listens until it is let go.
        (client, server) = withExtendedLifetime(relay) { (clientPeer.remainingLines(), serverPeer.remainingLines()) }
    }
}

/// A Python process that runs the peer's script.
private final class PeerProcess {
    private let process = Process()
    private let output = Pipe()
    private var rest = Data()

    init(_ python: String, _ arguments: [String]) throws {
        process.executableURL = URL(fileURLWithPath: python)
        process.arguments = ["-c", PeerScript.text] + arguments
        process.standardOutput = output
        try process.run()
        // The script bounds each of its own waits; this is for the case that the interpreter hangs.
        let running = process
        DispatchQueue.global().asyncAfter(deadline: .now() + 60) { if running.isRunning { running.terminate() } }
    }

    func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest = Data(rest[(end + 1)...])
                return line
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            rest.append(more)
        }
    }

    func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = nextLine() { lines.append(line) }
        process.waitUntilExit()
        return lines
    }
}
