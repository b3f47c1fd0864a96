import Testing

@testable import Reports

/// Which operation a request means, of those of its document.
@Suite struct GraphQLDocumentTests {
    private func operation(_ json: String, named name: String? = nil) -> String {
        let found = GraphQLDocument(Array(json.utf8)).operation(named: name.map { Array($0.utf8) })
        return found.name.isEmpty ? found.kind : "\(found.kind) \(String(decoding: found.name, as: UTF8.self))"
    }

    @Test(arguments: [
        ("{ me }", "query"), ("query { me }", "query"), ("query Me { me }", "query Me"),
        (#"# get price\nmutation Buy($id: ID!) { buy }"#, "mutation Buy"),
        (#"\n\n  subscription\n OnMessage($room: ID!) { message }"#, "subscription OnMessage"),
        ("fragment F on T { a } subscription S { s { ...F } }", "subscription S"),
        (#"query A($x: String = \"} mutation B {\") { a(x: \"{\") }"#, "query A"),
        (#"query A { a(x: \"\\\"} mutation B {\") }"#, "query A"),
        ("query Q @live { a }", "query Q"), ("query @live { a }", "query"), ("", "query"), ("mutation", "query"), ("{{{{", "query"),
    ])
    func first(json: String, expected: String) { #expect(operation(json) == expected) }

    @Test func named() {
        let both = "query Cart { cart } mutation Pay { pay }"
        #expect(operation(both, named: "Pay") == "mutation Pay")
        #expect(operation(both, named: "Cart") == "query Cart")
        #expect(operation(both, named: "Other") == "query Cart")
    }

    @Test func `a long document costs what it is long, and few operations are kept`() {
        let long = String(repeating: #"query A { a(x: \"\\\") } # {\n"#, count: 20_000)
        #expect(GraphQLDocument(Array(long.utf8)).operations.count <= 64)
        #expect(GraphQLDocument(Array(String(repeating: "{", count: 500_000).utf8)).operations.count == 1)
    }
}
