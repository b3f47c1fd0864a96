import Foundation
import Testing

/// The folders of the dissector and of the proxy point one way: what stands further down in an order may name the types of what stands
/// above it, and never the other way round. Layers stand beside each other and do not know each other.
@Suite("Folder arrows")
struct FolderArrowsTests {
    /// Rooms that know nothing of those that follow; what stands in one row does not know its neighbours either.
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

    /// A file of the two modules, without its comments and the content of its string literals.
    struct File {
        let name: String
        let room: String
        let code: String

        init(path: String, text: String) {
            name = path
            let folders = path.split(separator: "/").dropLast().map(String.init)
            room = folders.prefix(["Layers", "Preambles"].contains(folders.first) ? 2 : 1).joined(separator: "/")
            code = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                let bare = line.replacing(/"(?:[^"\\]|\\.)*"/, with: "\"\"")
                return bare.firstRange(of: "//").map { String(bare[..<$0.lowerBound]) } ?? String(bare)
            }.joined(separator: "\n")
        }

        /// Types that the file declares at its top level, for others to see.
        var declared: [String] {
            let declaration = /^(?:(?:package|public|final|indirect) )*(?:struct|class|enum|protocol|typealias) (\w+)/
            return code.matches(of: declaration.anchorsMatchLineEndings()).map { String($0.1) }
        }

        var named: Set<Substring> { Set(code.matches(of: /\b[A-Z]\w*/).map(\.output)) }
    }

    /// What names a type that it should not know.
    static func faults(_ files: [File], in order: [[String]] = dissection) -> [String] {
        var rank: [String: Int] = [:]
        for (row, rooms) in order.enumerated() { for room in rooms { rank[room] = row } }
        var home: [Substring: File] = [:]
        for file in files { for type in file.declared { home[type[...]] = file } }
        var faults: [String] = []
        for file in files {
            guard let own = rank[file.room] else {
                faults.append("\(file.name) lies in \(file.room), which has no place in the order")
                continue
            }
            for type in file.named.sorted() {
                guard let other = home[type], other.room != file.room, let theirs = rank[other.room] else { continue }
                if theirs >= own { faults.append("\(file.name) names \(type) of \(other.name)") }
            }
        }
        return faults
    }

    @Test("no folder knows one that follows it", arguments: [("Dissection", dissection), ("Interception", interception)])
    func arrows(module: String, order: [[String]]) throws {
        let base = HouseRulesTests.root.appendingPathComponent("Sources/\(module)")
        let paths = try #require(FileManager.default.enumerator(atPath: base.path)).compactMap { $0 as? String }
        let files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map {
            File(path: $0, text: try String(contentsOf: base.appendingPathComponent($0), encoding: .utf8))
        }
        #expect(files.count > 50)
        for fault in Self.faults(files, in: order) { Issue.record("\(fault)") }
    }

    @Test("a circle, a neighbour and a new folder are noticed; comments and strings are not")
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
    }
}
