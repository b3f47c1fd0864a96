import Foundation
import Support
import Testing

/// `-h`: a command's options, a line each.
@Suite struct ShortHelpTests {
    private static let commands = [
        "read", "list", "capture", "proxy", "run", "extract", "check", "stats", "diff", "demo", "findings",
    ]

    private static func names(_ text: String) -> [String] {
        text.matches(of: /(?m)^ {2}(?: {4}|-\w, )?--([a-z0-9-]+)/).map { String($0.1) }
    }

    @Test("-h has each option of --help once, in one line of at most 80 columns", arguments: commands)
    func options(command: String) throws {
        let (short, whole) = (try UnmaskProcess.run([command, "-h"]), try UnmaskProcess.run([command, "--help"]))
        #expect(short.status == 0 && short.errors.isEmpty)
        #expect(Self.names(short.text).sorted() == Self.names(whole.text).sorted())
        for line in short.lines { #expect(line.count <= 80, "\(line)") }
        #expect(short.text.contains("unmask \(command) --help"))
    }

    @Test("the options that show, find, decode, write and hide stand in groups of these names")
    func groups() throws {
        let text = try UnmaskProcess.run(["read", "-h"]).text
        var group = ""
        var found: [String: String] = [:]
        for line in text.split(separator: "\n") {
            if line.hasSuffix(":"), line.first != " " { group = String(line.dropLast()) }
            if let name = Self.names(String(line)).first { found[name] = group }
        }
        for (name, title) in [
            ("format", "Show"), ("grep", "Find"), ("decoded", "Decode"), ("keys", "Keys"), ("log", "Write"), ("redact", "Hide"),
        ] {
            #expect(found[name] == title, "\(name) stands in \(found[name] ?? "nothing")")
        }
    }

    @Test("-h that belongs to a program or follows -- is not ours; wrong use beside it is not judged")
    func whose() throws {
        #expect(try UnmaskProcess.run(["run", "echo", "-h"]).text == "-h\n")
        #expect(try UnmaskProcess.run(["read", "--no-such-option", "-h"]).text.hasPrefix("Prints the conversations"))
        #expect(try UnmaskProcess.run(["read", "--", "-h"]).status == 2)
    }
}
