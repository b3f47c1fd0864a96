import Foundation
import Support
import Testing

/// `unmask ca` as a user meets it, with a data folder and a home of the test's own.
@Suite struct CACommandTests {
    /// A home that is gone with the test.
    private final class Home {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-" + UUID().uuidString).path

        init() throws { try FileManager.default.createDirectory(atPath: path + "/bin", withIntermediateDirectories: true) }
        deinit { try? FileManager.default.removeItem(atPath: path) }

        var certificate: String { path + "/data/unmask/authority/unmask-authority.pem" }
        var key: String { path + "/data/unmask/authority/unmask-authority-key.pem" }

        func unmask(_ arguments: String...) throws -> UnmaskProcess.Outcome {
            let environment = ["XDG_DATA_HOME": path + "/data", "HOME": path, "PATH": path + "/bin:/usr/bin:/bin", "SUDO_USER": ""]
            return try UnmaskProcess.run(["ca"] + arguments, environment: environment, folder: URL(fileURLWithPath: path))
        }

        /// A certutil that keeps account of its calls and knows no certificate, until it was given one.
        func addCertutil() throws {
            let script = """
                #!/bin/sh
                echo "$*" >> '\(path)/calls'
                case "$*" in *" -L "*) test -e '\(path)/entered' ;; *" -A "*) touch '\(path)/entered' ;; *" -D "*) rm '\(path)/entered' ;; esac
                """
            try script.write(toFile: path + "/bin/certutil", atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path + "/bin/certutil")
            try FileManager.default.createDirectory(atPath: path + "/.pki/nssdb", withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: path + "/.pki/nssdb/cert9.db"))
        }

        func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
    }

    @Test("the first call makes it, every call shows the same")
    func show() throws {
        let home = try Home()
        let first = try home.unmask()
        #expect(first.status == 0)
        #expect(first.errors == "")
        #expect(first.lines.first?.hasPrefix("Unmask local authority (") == true)
        #expect(first.text.contains(/SHA-256 +([0-9A-F]{2}:){31}[0-9A-F]{2}\n/))
        #expect(first.text.contains(home.certificate))
        #expect(try home.unmask("show").text == first.text)
        #expect(try home.unmask("path").text == home.certificate + "\n")
        // Before the subcommand, after it, and without one.
        let other = home.path + "/other"
        let path = try home.unmask("path", "--ca-folder", other)
        #expect(path.status == 0 && path.text.hasPrefix(other), "\(path.errors)")
        #expect(try home.unmask("--ca-folder", other, "path").text == path.text)
        #expect(try home.unmask("--ca-folder=" + other, "path").text == path.text)
        #expect(try home.unmask("--ca-folder", other).text.contains(other))
        #expect(try home.unmask("--ca-folder", other, "--bogus").errors.contains("Unknown option '--bogus'"))
    }

    @Test("the certificate is exported in both forms, and the key in none of them")
    func export() throws {
        let home = try Home()
        _ = try home.unmask()
        let pem = try home.unmask("export")
        let der = try home.unmask("export", "--format", "der").output
        #expect(pem.text == (try String(contentsOfFile: home.certificate, encoding: .utf8)))
        let body = pem.lines.filter { !$0.hasPrefix("-----") }.joined()
        #expect(Data(base64Encoded: body) == der)
        #expect(try home.unmask("export", "--format", "der", "-o", "for a phone.crt").output.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: home.path + "/for a phone.crt")) == der)
        let key = try String(contentsOfFile: home.key, encoding: .utf8).split(separator: "\n").dropFirst().dropLast().joined()
        let secret = try #require(Data(base64Encoded: key))
        #expect(der.range(of: secret.dropFirst(40).prefix(24)) == nil)
        #expect(!pem.text.contains("PRIVATE"))
    }

    @Test("an export makes no authority")
    func exportOfNone() throws {
        let home = try Home()
        let outcome = try home.unmask("export")
        #expect(outcome.status == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("there is no local CA; unmask ca makes one"), "\(outcome.errors)")
        #expect(!home.has(home.path + "/data"))
    }

    @Test("an export that cannot be written ends with 1 and names the file")
    func exportNowhere() throws {
        let home = try Home()
        _ = try home.unmask()
        let outcome = try home.unmask("export", "-o", "no/such/folder.pem")
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("unmask: no/such/folder.pem: "))
    }

    @Test("--ca-folder keeps it elsewhere, and what is printed may be used from anywhere")
    func folder() throws {
        let home = try Home()
        let path = try home.unmask("path", "--ca-folder", "mine/").text
        #expect(path.hasPrefix("/"))
        #expect(path.hasSuffix("/mine/authority/unmask-authority.pem\n"))
        #expect(home.has(home.path + "/mine/authority/unmask-authority-key.pem"))
        #expect(!home.has(home.path + "/data"))
    }

    @Test("--dry-run prints what would be typed, and runs nothing")
    func dryRun() throws {
        let home = try Home()
        try home.addCertutil()
        let outcome = try home.unmask("install", "--nss-only", "--dry-run")
        let label = try #require(outcome.text.firstMatch(of: /unmask-authority-[0-9a-f]{8}/))
        #expect(
            outcome.text == """
                # Chromium (\(home.path)/.pki/nssdb)
                \(home.path)/bin/certutil -f /dev/null -d sql:\(home.path)/.pki/nssdb -A -t C,, -n \(label.0) -i \(home.certificate)
                # Firefox
                # skipped: there is no profile of it in \(home.path)/.mozilla/firefox

                """)
        #expect(outcome.status == 0)
        #expect(!home.has(home.path + "/calls"))
    }

    @Test("an install that skips every place ends with 1, and says so")
    func installNowhere() throws {
        let home = try Home()
        func install(_ options: String...) throws -> UnmaskProcess.Outcome {
            // Without certutil there is no database to make.
            let environment = ["XDG_DATA_HOME": home.path + "/data", "HOME": home.path, "PATH": home.path + "/bin", "SUDO_USER": ""]
            return try UnmaskProcess.run(["ca", "install", "--nss-only"] + options, environment: environment)
        }
        let outcome = try install()
        #expect(outcome.status == 1 && outcome.errors.contains("not installed anywhere"), "\(outcome.errors)")
        #expect(outcome.lines.filter { !$0.isEmpty }.allSatisfy { $0.hasPrefix("skipped ") }, "\(outcome.text)")
        #expect(try install("--dry-run").status == 0)
    }

    @Test("what was installed is taken out again, and then the authority is deleted")
    func installAndRemove() throws {
        let home = try Home()
        try home.addCertutil()
        let installed = try home.unmask("install", "--nss-only")
        #expect(installed.status == 0)
        #expect(installed.lines.first == "done     Chromium (\(home.path)/.pki/nssdb): restart Chromium if it runs")
        #expect(home.has(home.path + "/entered"))
        #expect(try home.unmask("remove", "--keep-authority", "--nss-only").status == 0)
        #expect(!home.has(home.path + "/entered"))
        #expect(home.has(home.key))
        let removed = try home.unmask("remove", "--yes")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(removed.lines.suffix(2) == ["deleted  \(home.key)", "deleted  \(home.certificate)"])
        #expect(!home.has(home.key))
        // Nothing is left to remove, and nothing was made to be removed.
        #expect(try home.unmask("remove", "--yes").status == 1)
        #expect(!home.has(home.key))
    }

    @Test("without a terminal nothing is deleted unless --yes says so")
    func confirmation() throws {
        let home = try Home()
        _ = try home.unmask()
        let outcome = try home.unmask("remove")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("--yes"))
        #expect(home.has(home.key))
        #expect(try home.unmask("remove", "--yes", "--dry-run").text.contains("rm -f \(home.key)"))
        #expect(home.has(home.key))
    }

    @Test("an authority that is damaged can be removed")
    func damaged() throws {
        let home = try Home()
        _ = try home.unmask()
        try "nonsense".write(toFile: home.certificate, atomically: false, encoding: .utf8)
        let shown = try home.unmask()
        #expect(shown.status == 1)
        #expect(shown.errors.hasPrefix("unmask: \(home.certificate): holds no certificate"))
        #expect(shown.output.isEmpty)
        #expect(try home.unmask("remove", "--yes").status == 0)
        #expect(try home.unmask().status == 0)
    }

    @Test(
        "wrong use ends with 2",
        arguments: [
            ["ca", "bogus"], ["ca", "--ca-folder", ""], ["ca", "export", "--format", "p12"],
            ["ca", "install", "--nss-only", "--system-only"],
            ["ca", "remove", "--nss-only", "--yes"],
        ])
    func wrongUse(arguments: [String]) throws {
        let outcome = try UnmaskProcess.run(arguments)
        #expect(outcome.status == 2, "\(outcome.errors)")
        #expect(outcome.output.isEmpty)
    }
}
