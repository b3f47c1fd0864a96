import Testing

@testable import Reports

/// Paths of `--redact-json`.
@Suite struct JSONPathTests {
    @Test(arguments: [
        ("$.a", #"{"a":"x","b":{"a":1}}"#, #"{"a":"◆","b":{"a":1}}"#), ("$.a", #"{"a":{"x":[1]},"b":2}"#, #"{"a":"◆","b":2}"#),
        ("$..a", #"{"a":"x","b":{"a":1}}"#, #"{"a":"◆","b":{"a":"◆"}}"#),
        ("$.b.*", #"{"a":"x","b":{"a":1,"c":true}}"#, #"{"a":"x","b":{"a":"◆","c":"◆"}}"#),
        ("$.i[*].c", #"{"i":[{"c":1},{"c":2,"d":3}]}"#, #"{"i":[{"c":"◆"},{"c":"◆","d":3}]}"#),
        ("$.i[1]", #"{"i":[1,2,3]}"#, #"{"i":[1,"◆",3]}"#),
        ("$[0]", #"["a","b"]"#, #"["◆","b"]"#), ("$[1].email", #"42["hi",{"email":"x"}]"#, #"42["hi",{"email":"◆"}]"#),
        ("$['a b']", #"{"a b":"x"}"#, #"{"a b":"◆"}"#), ("$.a", "{\"a\":1}\n{\"a\":2}\n", "{\"a\":\"◆\"}\n{\"a\":\"◆\"}\n"),
        ("$.ä", #"{"\u00e4":"x","A":1}"#, #"{"\u00e4":"◆","A":1}"#), ("$.a", #"{"b":"\"a\":1","a":"\\"}"#, #"{"b":"\"a\":1","a":"◆"}"#),
        ("$.a", #"no JSON here: "a":1"#, #"no JSON here: "a":1"#), ("$.a", #"{"a":"cut"#, #"{"a":"◆"#),
    ])
    func `the value at the end of a path is hidden`(_ path: String, _ text: String, _ left: String) throws {
        #expect(Redacted.text(text, as: .text, try Redacted.plan(paths: [path])) == left)
    }

    @Test func `a path and the defaults may meet`() throws {
        let plan = try Redacted.plan(paths: ["$.user", "$.user.name", "$.token"])
        #expect(
            Redacted.text(#"{"user":{"password":"x","name":"ana"},"token":"y","b":1}"#, as: .text, plan)
                == #"{"user":"◆","token":"◆","b":1}"#)
    }

    @Test(arguments: [
        ("user.email", "begins with $"), ("$", "everything"), ("$.", "missing"), ("$.a[", "bracket"), ("$.a[x]", "number"),
        ("$a", ". or ["),
        ("$['a", "bracket"), ("$.a" + String(repeating: ".b", count: 70), "names together"),
    ])
    func `what is no path is told`(_ path: String, _ words: String) {
        var paths = JSONPaths()
        let problem = #expect(throws: JSONPaths.Problem.self) { try paths.add(path) }
        #expect(problem?.description.contains(words) == true, "\(problem?.description ?? "")")
    }
}
