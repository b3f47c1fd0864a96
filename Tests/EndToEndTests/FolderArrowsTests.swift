import Foundation
import Testing

/// The folders of each module point one way: what stands further down in an order may name the types, and the members of extensions, of what
/// stands above it, and never the other way round. Rooms of one row stand beside each other and do not know each other.
@Suite("Folder arrows")
struct FolderArrowsTests {
    /// A module and the order of its rooms; `""` is what lies in no folder.
    struct House: CustomTestStringConvertible {
        let module: String
        /// Rooms that know nothing of those that follow; what stands in one row does not know its neighbours either.
        let order: [[String]]
        /// Types that every room may name, with a reason beside each.
        var known: Set<Substring> = []

        var testDescription: String { module }
    }

    static let houses = [
        House(module: "Dissection", order: dissection), House(module: "Interception", order: interception),
        House(module: "Reports", order: reports),
        House(
            module: "Query",
            order: [
                ["Values"], ["Patterns"], ["Fields"],
                // What runs knows fields, and nothing of how an expression is written.
                ["Program"],
                ["Language"], [""], ["Selection"],
            ]),
        House(
            module: "CaptureFiles",
            order: [["Items"], ["Input"], ["Pcap", "PcapNG", "Snoop", "NetworkMonitor"], ["Logs"], [""], ["Writing"]]),
        House(module: "CertificateAuthority", order: [[""], ["Trust"]]),
        // The root command names every command, and is the parser that some of them ask about others.
        House(module: "unmask", order: [[""], ["Run"], ["Profile"], ["Root"]], known: ["Unmask"]),
        House(
            module: "UnmaskConversations",
            order: [["Events"], ["Options"], ["Copying"], ["Reading", "Live"]]),
        House(module: "UnmaskDecryption", order: [[""]]), House(module: "Decryption", order: [["KeyLog"], [""]]),
        House(module: "Sessions", order: [[""], ["Rows"]]),
        House(module: "Runs", order: [[""]]),
        // The page's files are known by name alone; what is served knows nothing of how it is asked for.
        House(module: "WebConsole", order: [["Store"], [""], ["Views"], ["Responses"], ["Server"]]),
        House(module: "LiveCapture", order: [[""], ["Netfilter"]]), House(module: "Demonstration", order: [[""]]),
        House(module: "Libc", order: [[""]]),
    ]

    static let dissection: [[String]] = [
        ["Bytes"],
        ["Vocabulary"],
        ["Packets", "Layers/Interface"],
        ["Layers/WebSocketHandshake"],
        ["Layers/HTTP1", "Layers/WebSocket", "Layers/TLS", "Layers/ProxyHeader", "Layers/Tunnel", "Layers/Framed"],
        // They open a tunnel: where a protocol that nothing reads agrees on TLS, and in a stream. HTTP/2 has the bodies of HTTP/1.
        ["Layers/Opaque", "Layers/HTTP2"],
        ["Engine"],
        ["Reassembly"],
        [""],
    ]

    /// The rooms of the proxy: what the user says and what clients say before a conversation know nothing of sockets, and nothing of these
    /// knows the sessions.
    static let interception: [[String]] = [
        ["Machine", "Options"],
        ["Preambles/STARTTLS", "Preambles/HTTPProxying"],
        ["Preambles/SOCKS"],
        ["Recording"],
        ["Sockets"],
        ["TLS"],
        ["Relay"],
        ["Upstream"],
        ["Termination"],
        ["Core"],
        ["Session"],
        [""],
    ]

    /// What is said of conversations: words and bytes first, then what is known of an event, then the outputs, which do not know each other
    /// unless one shows what another has counted; last what puts a run's outputs together.
    static let reports: [[String]] = [
        ["Names", "Conversations", "JSON", "Symptoms"],
        ["Output"],
        ["Framings"],
        ["Fields"],
        ["Words"],
        ["Payloads"],
        ["Selection", "Heartbeats", "Redaction"],
        ["Records"],
        ["Logs", "Recording", "Text"],
        // A session file has a row for each conversation, as the list has.
        ["List"],
        ["Check", "Comparison", "Extraction", "HAR", "Page", "Sessions", "Statistics", "Table"],
        ["Assembly"],
    ]

    /// A file of a module, without its comments and the content of its string literals.
    struct File {
        let name: String
        let room: String
        let code: String

        init(path: String, text: String) {
            name = path
            let folders = path.split(separator: "/").dropLast().map(String.init)
            room = folders.prefix(["Layers", "Preambles"].contains(folders.first) ? 2 : 1).joined(separator: "/")
            code = text.replacing(/"""(?s:.*?)"""/, with: "\"\"").split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let bare = line.replacing(/#?"(?:[^"\\]|\\.)*"#?/, with: "\"\"")
                return bare.firstRange(of: "//").map { String(bare[..<$0.lowerBound]) } ?? String(bare)
            }.joined(separator: "\n")
        }

        /// Types that the file declares at its top level, for others to see.
        var declared: [String] {
            let declaration = /^(?:@\w+(?:\(\w+\))? )*(?:(?:package|public|final|indirect) )*(?:struct|class|enum|protocol|typealias) (\w+)/
            return code.matches(of: declaration.anchorsMatchLineEndings()).map { String($0.1) }
        }

        /// Names of properties and functions that the file declares, at any depth.
        var members: Set<Substring> {
            Set(code.matches(of: /\b(?:func|var|let|case) `?(\w+)/).map(\.1))
        }

        /// What it adds to types, for others to see: the type and the member's name.
        var additions: [(type: Substring, member: Substring)] {
            let member = /^    (?:@[\w()]+ )*(?:(?:package|public|static|mutating|borrowing|consuming) )*(?:func|var|let) `?(\w+)/
            var type: Substring?
            var found: [(Substring, Substring)] = []
            for line in code.split(separator: "\n") {
                if let match = line.prefixMatch(of: /(?:(?:package|public) )?extension (\w+)/) {
                    type = match.1
                } else if line.first == "}" {
                    type = nil
                } else if let type, let match = line.prefixMatch(of: member) {
                    found.append((type, match.1))
                }
            }
            return found
        }

        var named: Set<Substring> { Set(code.matches(of: /\b[A-Z]\w*/).map(\.output)) }
        /// Members that it names, of whatever type.
        var called: Set<Substring> { Set(code.matches(of: /\.(\w+)/).map(\.1)) }
    }

    /// What names a type, or a member of an extension, that it should not know.
    ///
    /// Members are found by their names alone: one counts where a single file of the module declares that name, in an extension of a type that
    /// is not of its own room.
    static func faults(_ files: [File], in order: [[String]] = dissection, known: Set<Substring> = []) -> [String] {
        var rank: [String: Int] = [:]
        for (row, rooms) in order.enumerated() { for room in rooms { rank[room] = row } }
        var home: [Substring: File] = [:]
        for file in files { for type in file.declared { home[type[...]] = file } }
        var declarations: [Substring: Int] = [:]
        for file in files { for member in file.members { declarations[member, default: 0] += 1 } }
        var added: [Substring: (file: File, type: Substring)] = [:]
        for file in files {
            for (type, member) in file.additions where declarations[member] == 1 && home[type]?.room != file.room {
                added[member] = (file, type)
            }
        }
        var faults: [String] = []
        for file in files {
            guard let own = rank[file.room] else {
                faults.append("\(file.name) lies in \(file.room), which has no place in the order")
                continue
            }
            func check(_ other: File, _ name: some StringProtocol) {
                guard other.room != file.room, let theirs = rank[other.room], theirs >= own else { return }
                faults.append("\(file.name) names \(name) of \(other.name)")
            }
            for type in file.named.sorted() where !known.contains(type) {
                if let other = home[type] { check(other, type) }
            }
            for member in file.called.sorted() {
                if let (other, type) = added[member] { check(other, "\(type).\(member)") }
            }
        }
        return faults
    }

    /// The files of a module.
    static func files(of module: String) throws -> [File] {
        let base = HouseRulesTests.root.appendingPathComponent("Sources/\(module)")
        let paths = try #require(FileManager.default.enumerator(atPath: base.path)).compactMap { $0 as? String }
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map {
            File(path: $0, text: try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
        }
    }

    @Test("no folder knows one that follows it", arguments: houses)
    func arrows(house: House) throws {
        let files = try Self.files(of: house.module)
        #expect(!files.isEmpty)
        for fault in Self.faults(files, in: house.order, known: house.known) { Issue.record("\(fault)") }
    }

    @Test("every module with Swift code has an order")
    func modules() throws {
        let sources = HouseRulesTests.root.appendingPathComponent("Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { module in
            let files = FileManager.default.enumerator(atPath: sources.appendingPathComponent(module).path)
            return files?.contains { ($0 as? String)?.hasSuffix(".swift") == true } == true
        }
        #expect(Set(modules) == Set(Self.houses.map(\.module)))
    }

    /// Types that fill more lines in all their `X+Y` files than one room may, and how many they have: none may grow, and none may join them.
    static let large = [
        "HTTP2Layer": 2_688, "HTTP1Layer": 1_668, "TCPDirection": 1_390, "SecretScan": 1_272, "WebSocketDirection": 1_021,
        "FieldTable": 631,
        "Flow": 847, "ClientSession": 796, "Dissector": 792, "Reader": 740, "TLSDirection": 641, "BodyAssembly": 607,
        "Redactor": 759,
    ]

    @Test("a type is one room of at most 600 lines, however many files it fills", arguments: houses)
    func rooms(house: House) throws {
        var lines: [String: Int] = [:]
        for file in try Self.files(of: house.module) {
            let name = file.name.split(separator: "/").last.map { $0.dropLast(".swift".count) } ?? ""
            lines[String(name.prefix { $0 != "+" }), default: 0] += file.code.count { $0 == "\n" }
        }
        for (type, count) in lines.sorted(by: { $0.key < $1.key }) where count > Self.large[type] ?? 600 {
            Issue.record("\(house.module)/\(type) has \(count) lines")
        }
    }

    @Test("a circle, a neighbour, an added member and a new folder are noticed; comments and strings are not")
    func notices() {
        let reader = File(path: "Layers/HTTP1/A.swift", text: "struct A { var b: B } // C\nlet text = \"C\"")
        let neighbour = File(path: "Layers/WebSocket/B.swift", text: "package struct B {}")
        let engine = File(path: "Engine/C.swift", text: "final class C { var a: A; var b: B }")
        let word = File(path: "Vocabulary/D.swift", text: "enum D { case c(C) }")
        let stranger = File(path: "Attic/E.swift", text: "struct E {}")
        #expect(Self.faults([neighbour, engine]).isEmpty)
        #expect(Self.faults([reader, neighbour]) == ["Layers/HTTP1/A.swift names B of Layers/WebSocket/B.swift"])
        #expect(Self.faults([engine, word]) == ["Vocabulary/D.swift names C of Engine/C.swift"])
        #expect(Self.faults([stranger]) == ["Attic/E.swift lies in Attic, which has no place in the order"])

        let addition = File(path: "Engine/Int+F.swift", text: "extension Int {\n    var isOdd: Bool { true }\n}")
        let user = File(path: "Packets/G.swift", text: "struct G { func f(_ a: Int) -> Bool { a.isOdd } }")
        #expect(Self.faults([addition, user]) == ["Packets/G.swift names Int.isOdd of Engine/Int+F.swift"])
        let another = File(path: "Packets/H.swift", text: "struct H { var isOdd = false }")
        #expect(Self.faults([addition, user, another]).isEmpty)
    }
}
