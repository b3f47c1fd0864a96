import Foundation
import Support
import Testing

/// The page of the web console, in the browser that it is made for.
@Suite struct ConsolePageTests {
    @Test func `the page shows what read prints, obeys keys, and lets no text of the wire do anything`() throws {
        guard PeerProgram.has("chromium") || PeerProgram.has("google-chrome") || PeerProgram.has("chromium-browser") else {
            return print("skipped: the page of the console (chromium is missing)")
        }
        guard PeerProgram.hasPython("playwright") else { return print("skipped: the page of the console (playwright is missing)") }
        let run = try PeerProgram("console_page.py", [UnmaskProcess.executable.path], seconds: 400, announces: false).finish()
        for line in run.lines where line.hasPrefix("skipped") { print(line) }
        let differences = run.lines.drop { !$0.hasPrefix("different") && !$0.hasPrefix("failed") }
        #expect(run.status == 0 && run.lines.contains { $0.hasPrefix("same") }, "\(differences.joined(separator: "\n"))")
    }

    @Test func `the types of the page's modules agree`() throws {
        guard PeerProgram.has("tsc") else { return print("skipped: the types of the console's page (tsc is missing)") }
        let page = UnmaskProcess.project.appendingPathComponent("Sources/WebConsole/Page")
        let files = try FileManager.default.contentsOfDirectory(atPath: page.path).filter { $0.hasSuffix(".js") || $0.hasSuffix(".d.ts") }
        #expect(files.count > 20)
        let options = [
            "--allowJs", "--checkJs", "--noEmit", "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "node",
            "--lib", "es2022,dom,dom.iterable",
        ]
        let checked = try UnmaskProcess.run(["tsc"] + options + files.sorted(), folder: page, through: "/usr/bin/env")
        #expect(checked.status == 0, "\(checked.text)")
    }
}
