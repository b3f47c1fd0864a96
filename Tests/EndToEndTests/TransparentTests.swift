import Foundation
import Support
import Testing

/// What `Tests/Peers/transparent.py` found in networks of its own, with nftables in front of `unmask proxy --mode transparent`.
private struct Gateway: Decodable {
    struct Answer: Decodable {
        var to: String
        var tls: Bool
        var heard: String
        var issuer: String
    }

    struct Record: Decodable {
        struct End: Decodable {
            var address: String
            var port: Int
        }

        struct Via: Decodable {
            var mode: String
            var target: String
        }

        var kind: String
        var conversation: Int?
        var client: End?
        var server: End?
        var via: Via?
        var from: String?
        var text: String?
        var secrets: String?
        var by: String?
        var how: String?
        var id: String?
        var detail: String?

        private enum CodingKeys: String, CodingKey {
            case kind, conversation, client, server, via, from, text, secrets, by, how, id, detail
        }

        init(from decoder: any Decoder) throws {
            let record = try decoder.container(keyedBy: CodingKeys.self)
            kind = try record.decode(String.self, forKey: .kind)
            conversation = try record.decodeIfPresent(Int.self, forKey: .conversation)
            // `closed` has other things under the same names.
            if kind == "opened" {
                client = try record.decode(End.self, forKey: .client)
                // A client that was refused has none.
                server = try? record.decode(End.self, forKey: .server)
                via = try? record.decode(Via.self, forKey: .via)
            }
            from = try record.decodeIfPresent(String.self, forKey: .from)
            text = try record.decodeIfPresent(String.self, forKey: .text)
            secrets = try record.decodeIfPresent(String.self, forKey: .secrets)
            by = try record.decodeIfPresent(String.self, forKey: .by)
            how = try record.decodeIfPresent(String.self, forKey: .how)
            id = try record.decodeIfPresent(String.self, forKey: .id)
            detail = try record.decodeIfPresent(String.self, forKey: .detail)
        }
    }

    var gateway: [Answer]
    var own: [Answer]
    var straight: [String]
    /// What a client heard while a rule sent the proxy's own connections back to it.
    var loop: String
    var status: Int
    var records: [Record]

    /// Nil, and a line that says so, where the machine cannot do it.
    static func run() throws -> Gateway? {
        guard try run(["unshare", "--net", "true"]).status == 0 else {
            print("skipped: transparent mode (no network namespace can be made; it takes root)")
            return nil
        }
        let script = UnmaskProcess.project.appendingPathComponent("Tests/Peers/transparent.py").path
        let (status, told) = try run(["timeout", "100", "unshare", "--net", "python3", script, UnmaskProcess.executable.path])
        // The script's word for what the machine lacks, and env's for a program that is not there.
        if status == 77 || status == 127 {
            print("skipped: transparent mode (\(String(decoding: told, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)))")
            return nil
        }
        return try JSONDecoder().decode(Gateway.self, from: told)
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, told: Data) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let told = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, told)
    }

    func records(of conversation: Int?) -> [Record] { records.filter { $0.conversation == conversation } }
}

@Suite("Transparent mode, redirected by nftables") struct TransparentTests {
    @Test("a gateway's clients and the machine's own reach their servers over IPv4 and IPv6, plain and in TLS; nobody loops")
    func redirected() throws {
        guard let found = try Gateway.run() else { return }
        #expect(found.status == 0)
        for (answers, words) in [(found.gateway, "from the gateway's network"), (found.own, "from this machine")] {
            #expect(answers.map(\.to) == ["10.77.2.2", "10.77.2.2", "fd77:2::2", "fd77:2::2"])
            #expect(answers.map(\.tls) == [false, true, false, true])
            #expect(answers.allSatisfy { $0.heard == "heard " + words })
            #expect(answers.allSatisfy { $0.issuer.hasPrefix("Unmask local authority") == $0.tls })
        }
        // Who comes to the listener itself is sent away, and dials nothing.
        #expect(found.straight == Array(repeating: "ConnectionResetError", count: 4))

        let opened = found.records.filter { $0.kind == "opened" }.prefix(8)
        #expect(opened.map { $0.client?.address } == Self.clients)
        #expect(
            opened.map { $0.via?.target }
                == Array(repeating: ["10.77.2.2:7000", "10.77.2.2:7443", "[fd77:2::2]:7000", "[fd77:2::2]:7443"], count: 2).flatMap { $0 })
        #expect(opened.allSatisfy { $0.via?.mode == "transparent" })
        for (index, opening) in opened.enumerated() {
            let isTLS = opening.server?.port == 7_443
            let records = found.records(of: opening.conversation)
            #expect(records.map(\.kind) == ["opened"] + (isTLS ? ["tls"] : []) + ["data", "data", "closed"])
            #expect(records.first { $0.kind == "tls" }?.secrets == (isTLS ? "terminated" : nil))
            let words = index < 4 ? "from the gateway's network" : "from this machine"
            #expect(records.filter { $0.kind == "data" }.map(\.text) == [words + "\n", "heard " + words + "\n"])
            #expect(records.filter { $0.kind == "data" }.map(\.from) == ["client", "server"])
            #expect(records.last?.by == "client" && records.last?.how == "fin")
        }

        // A rule that forgets to leave the proxy out: it notices its own connection, and nothing goes round for ever.
        let loops = found.records.filter { $0.id == "proxy.loop" }.compactMap(\.detail)
        #expect(loops.filter { $0.contains("the listener itself") }.count == 4)
        #expect(found.loop == "ConnectionResetError")
        #expect(found.records.contains { $0.detail?.contains("10.77.2.2:7000 was redirected back to it") == true })
        #expect(found.records.count { $0.kind == "opened" } < 40)
    }

    private static let clients =
        ["10.77.1.2", "10.77.1.2", "fd77:1::2", "fd77:1::2"] + ["10.77.2.1", "10.77.2.1", "fd77:2::1", "fd77:2::1"]
}
