import CertificateAuthority
import Foundation
import Interception
import Testing

/// The openssl program, for certificates that TestAuthority does not make, and for its opinion of all of them.
struct OpenSSLProgram {
    struct Failure: Error { var output: String }

    let scratch: TLSScratch

    private static let path = "/usr/bin/openssl"

    /// Whether it is there for a suite; says so where it is not, since a trait skips without a word (scripts/check-skips.sh).
    static func isHere(for suite: String) -> Bool {
        if FileManager.default.isExecutableFile(atPath: path) { return true }
        print("skipped: \(suite) (there is no openssl)")
        return false
    }

    @discardableResult
    private func run(_ arguments: [String], mayFail: Bool = false) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: Self.path)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard mayFail || process.terminationStatus == 0 else { throw Failure(output: text) }
        return text
    }

    /// A certificate and its key, made by the program.
    struct Made {
        var certificate: URL
        var key: URL
    }

    /// Signs a certificate; by itself where there is no issuer.
    ///
    /// - Parameters:
    ///   - key: as `openssl req -newkey` takes it, with its further arguments.
    ///   - digest: none for an issuer whose signatures choose it, such as Ed25519.
    ///   - extensions: lines of a configuration file.
    func make(
        _ name: String, key: [String] = ["rsa:2048"], digest: String? = "-sha256", issuer: Made? = nil, extensions: [String],
        options: [String] = []
    ) throws -> Made {
        let made = Made(
            certificate: URL(fileURLWithPath: scratch.path("\(name).pem")), key: URL(fileURLWithPath: scratch.path("\(name)-key.pem")))
        let request = scratch.path("\(name).csr")
        try run(["req", "-new", "-newkey"] + key + ["-nodes", "-subj", "/CN=\(name)", "-keyout", made.key.path, "-out", request])
        let file = try scratch.write(extensions.joined(separator: "\n") + "\n", to: "\(name).ext")
        let signer = issuer.map { ["-CA", $0.certificate.path, "-CAkey", $0.key.path, "-CAcreateserial"] } ?? ["-signkey", made.key.path]
        try run(
            ["x509", "-req", "-in", request, "-days", "2", "-extfile", file, "-out", made.certificate.path] + signer + options
                + (digest.map { [$0] } ?? []))
        return made
    }

    static let authority = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"]
    static let leaf = ["basicConstraints=critical,CA:FALSE", "extendedKeyUsage=serverAuth", "subjectAltName=DNS:localhost,IP:127.0.0.1"]

    /// What a server with the certificate shows, with `above` behind it.
    func serving(_ leaf: Made, above: [Made] = []) throws -> ServingCertificate {
        func der(_ file: URL) throws -> [UInt8] { try #require(PEMBlock(String(contentsOf: file, encoding: .utf8))).der }
        return ServingCertificate(chain: try ([leaf] + above).map { try der($0.certificate) }, key: try der(leaf.key))
    }

    /// The number of the error that the program names for a server's chain at security level 2; 0 where it accepts it.
    func verdict(on chain: [[UInt8]], root: String, options: [String] = []) throws -> Int {
        let pem = chain.map(PEMCertificates.text)
        let leaf = try scratch.write(pem.first ?? "", to: "verdict-leaf.pem")
        let above = try scratch.write(pem.dropFirst().joined(), to: "verdict-above.pem")
        let untrusted = chain.count > 1 ? ["-untrusted", above] : []
        let text = try run(
            ["verify", "-auth_level", "2", "-purpose", "sslserver", "-no-CApath", "-no-CAstore", "-CAfile", root] + untrusted + options + [
                leaf
            ],
            mayFail: true)
        guard let mark = text.range(of: "error ") else { return 0 }
        return Int(text[mark.upperBound...].prefix { $0.isNumber }) ?? 0
    }

    /// A server of the program's that shows a certificate, for as long as the value lives.
    final class Server {
        let port: Int
        private let process = Process()

        /// - Parameter version: `1.2` or `1.3`, and no other is spoken.
        init(_ made: Made, version: String) throws {
            process.executableURL = URL(fileURLWithPath: OpenSSLProgram.path)
            process.arguments = [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", made.certificate.path, "-key", made.key.path,
                "-tls\(version.replacing(".", with: "_"))",
            ]
            let output = Pipe()
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            // It says where it listens: ACCEPT 127.0.0.1:40213.
            var said = ""
            while true {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { throw Failure(output: said) }
                said += String(decoding: more, as: UTF8.self)
                guard let found = said.firstMatch(of: /ACCEPT [^\n]*:(\d+)\n/), let number = Int(found.1) else { continue }
                port = number
                break
            }
        }

        deinit {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
}
