import Foundation
import Testing

@testable import CertificateAuthority

/// The machine is a folder that stands for one, so nothing of the real one is touched.
@Suite("Who is told to trust the authority, and how")
struct TrustPlanTests {
    let scratch: ScratchFolder
    let certificate: AuthorityCertificate
    var path: String { scratch.authority.certificatePath }
    var home: String { scratch.path + "/home" }

    init() throws {
        scratch = try ScratchFolder()
        certificate = try LocalAuthority.loadOrCreate(in: scratch.authority).certificate
    }

    /// A program that tells on its standard output how it was called, into a file.
    private func addProgram(_ name: String, ending status: Int = 0) throws {
        let script = "#!/bin/sh\necho \"\(name) $*\" >> '\(scratch.path)/calls'\necho said\nexit \(status)\n"
        try scratch.write(script.utf8, to: "scripts/\(name)", mode: 0o644)
        try FileManager.default.createDirectory(atPath: scratch.path + "/bin", withIntermediateDirectories: true)
        // By a process of its own: what this one writes may be open in a child that another test starts just then, and would be busy.
        let install = try #require(Program("install"))
        let outcome = try install.run(["-m", "755", "\(scratch.path)/scripts/\(name)", "\(scratch.path)/bin/\(name)"])
        #expect(outcome.status == 0, "\(outcome.text)")
    }

    private var calls: [String] {
        ((try? String(contentsOfFile: scratch.path + "/calls", encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private func plan(
        _ action: TrustPlan.Action, isRoot: Bool = true, system: Surroundings.System = .linux, scope: TrustPlan.Scope = [.system, .nss]
    ) -> [TrustPlace] {
        TrustPlan(
            action, certificate: certificate, path: path, scope: scope,
            surroundings: Surroundings(
                system: system, isRoot: isRoot, home: home, programFolders: [scratch.path + "/bin"], root: scratch.path)
        ).places
    }

    private func lines(_ place: TrustPlace?) -> [String] {
        switch place?.work {
        case .run(let commands): commands.map(\.line)
        case .needsRoot(let commands): commands.map { "sudo " + $0.line }
        case .skip(let reason): ["skip: " + reason]
        case nil: []
        }
    }

    private var label: String { "unmask-authority-\(certificate.shortFingerprint)" }

    @Test(
        "each Linux has its folder and its program",
        arguments: [
            ("/usr/local/share/ca-certificates", ".crt", "update-ca-certificates", ""),
            ("/etc/pki/ca-trust/source/anchors", ".pem", "update-ca-trust", " extract"),
            ("/etc/ca-certificates/trust-source/anchors", ".crt", "trust", " extract-compat"),
            ("/etc/pki/trust/anchors", ".pem", "update-ca-certificates", ""),
        ])
    func stores(folder: String, suffix: String, program: String, arguments: String) throws {
        try addProgram(program)
        try FileManager.default.createDirectory(atPath: scratch.path + folder, withIntermediateDirectories: true)
        let target = scratch.path + folder + "/" + label + suffix
        let refresh = "\(scratch.path)/bin/\(program)\(arguments)"
        #expect(lines(plan(.install, scope: .system).first) == ["install -m 644 \(path) \(target)", refresh])
        // Without the right of root the same, to be typed.
        #expect(lines(plan(.install, isRoot: false, scope: .system).first) == ["sudo install -m 644 \(path) \(target)", "sudo " + refresh])
        #expect(lines(plan(.remove, scope: .system).first) == ["skip: it is not in there"])

        #expect(plan(.install, scope: .system).first?.carryOut() == .done)
        #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Data(certificate.pem.utf8))
        #expect(plan(.remove, isRoot: false, scope: .system).first?.carryOut() != .done)
        #expect(plan(.remove, scope: .system).first?.carryOut() == .done)
        #expect(!FileManager.default.fileExists(atPath: target))
        #expect(calls.count == 2)
    }

    @Test("a system that we do not know is left alone, and said so")
    func unknownSystem() {
        #expect(lines(plan(.install, scope: .system).first).first?.hasPrefix("skip: none that is known") == true)
    }

    @Test("Chromium's database is made where there is none yet, and Chromium is")
    func chromium() throws {
        try addProgram("certutil")
        #expect(lines(plan(.install, scope: .nss).first) == ["skip: there is no database of it in \(home)/.pki/nssdb"])
        try addProgram("chromium")
        let database = "sql:\(home)/.pki/nssdb"
        let enter = "\(scratch.path)/bin/certutil -f /dev/null -d \(database) -A -t C,, -n \(label) -i \(path)"
        #expect(
            lines(plan(.install, scope: .nss).first) == [
                "mkdir -p -m 700 \(home)/.pki/nssdb", "\(scratch.path)/bin/certutil -d \(database) -N --empty-password", enter,
            ])
        // Nothing is made only to take something out of it.
        #expect(lines(plan(.remove, scope: .nss).first) == ["skip: there is no database of it in \(home)/.pki/nssdb"])
        try scratch.write([], to: "home/.pki/nssdb/cert9.db")
        #expect(lines(plan(.install, scope: .nss).first) == [enter])
        #expect(lines(plan(.remove, scope: .nss).first) == ["\(scratch.path)/bin/certutil -f /dev/null -d \(database) -D -n \(label)"])
        // Where newer versions keep theirs, if there is none of the old kind; both are served if both are there.
        try scratch.write([], to: "home/.local/share/pki/nssdb/cert9.db")
        #expect(plan(.install, scope: .nss).map(\.name).filter { $0.hasPrefix("Chromium") }.count == 2)
        try FileManager.default.removeItem(atPath: home + "/.pki")
        #expect(plan(.install, scope: .nss).first?.name == "Chromium (\(home)/.local/share/pki/nssdb)")
    }

    @Test("every profile of Firefox is meant, and a folder that is none is not")
    func firefox() throws {
        try addProgram("certutil")
        for file in ["home/.mozilla/firefox/a b.default/cert9.db", "home/.mozilla/firefox/x.dev/cert9.db", "home/.mozilla/firefox/Crash/x"]
        {
            try scratch.write([], to: file)
        }
        let places = plan(.install, scope: .nss).dropFirst()
        #expect(places.map(\.name) == ["a b.default", "x.dev"].map { "Firefox (\(home)/.mozilla/firefox/\($0))" })
        #expect(lines(places.first).first?.contains("-d 'sql:\(home)/.mozilla/firefox/a b.default' -A") == true)
    }

    @Test("without certutil the package that has it is named")
    func noCertutil() throws {
        try scratch.write([], to: "home/.pki/nssdb/cert9.db")
        #expect(lines(plan(.install, scope: .nss).first).first?.contains("libnss3-tools") == true)
    }

    @Test("what a program says when it fails is passed on; what is not in there is not taken out")
    func failures() throws {
        try scratch.write([], to: "home/.pki/nssdb/cert9.db")
        try addProgram("certutil", ending: 3)
        guard case .failed(let reason) = plan(.install, scope: .nss).first?.carryOut() else {
            Issue.record("a program that ends with 3 has not failed")
            return
        }
        #expect(reason.hasSuffix("ended with 3: said"))
        #expect(plan(.remove, scope: .nss).first?.carryOut() == .skipped("it is not in there"))
        #expect(calls.last?.contains(" -L ") == true)
    }

    @Test("a program that never ends is ended, and one that is killed says by what")
    func endless() throws {
        let endless = ProgramRun.run(["/bin/sh", "-c", "echo waiting; exec sleep 600"], seconds: 1)
        #expect(endless.status == 128 + SIGKILL)
        #expect(endless.said == "it did not end within 1 s")
        #expect(ProgramRun.run(["/bin/sh", "-c", "kill -TERM $$"]).status == 128 + SIGTERM)
        #expect(ProgramRun.run(["/no/such/program"]).status == 127)
        // More than a pipe holds, and the reader of a broken pipe dies as usual.
        #expect(ProgramRun.run(["/bin/sh", "-c", "yes | head -c 300000"]).said.hasPrefix("y y y"))
    }

    @Test("on macOS the login keychain takes it, without root")
    func keychain() {
        let keychain = "\(home)/Library/Keychains/login.keychain-db"
        #expect(
            lines(plan(.install, isRoot: false, system: .macOS, scope: .system).first) == [
                "/usr/bin/security add-trusted-cert -r trustRoot -k \(keychain) \(path)"
            ])
        let removal = lines(plan(.remove, isRoot: false, system: .macOS, scope: .system).first)
        #expect(removal.count == 2)
        #expect(removal.last?.contains("delete-certificate -Z \(certificate.fingerprint.filter { $0 != ":" }) ") == true)
    }

    @Test(
        "words are quoted as a shell needs it",
        arguments: [
            (["a", "b-1", "/c/d.e"], "a b-1 /c/d.e"), (["a b", "", "it's", "$x"], "'a b' '' 'it'\\''s' '$x'"),
            (["C,,", "sql:/x"], "C,, sql:/x"),
        ])
    func quoting(words: [String], line: String) { #expect(ShellWord.line(words) == line) }
}
