import Foundation
import Support
import Testing

/// What `make dist` makes of the program: an archive, a package for Debian, a list of its parts, and checksums.
@Suite("What a release consists of") struct DistTests {
    /// A release in a folder of its own.
    private struct Release {
        let folder: URL
        let files: [String]

        init(_ folder: URL) throws {
            let made = try DistTests.shell(#"DIST_LEVEL=1 scripts/dist.sh "$1" "$2""#, [UnmaskProcess.executable.path, folder.path])
            #expect(made.status == 0, "\(made.output)")
            self.folder = folder
            files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        }

        func file(_ ending: String) throws -> String {
            folder.appendingPathComponent(try #require(files.first { $0.hasSuffix(ending) }, "\(files)")).path
        }
    }

    private static func shell(_ command: String, _ arguments: [String] = []) throws -> (status: Int32, output: String) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "set -euo pipefail; PATH=$PATH:/usr/sbin:/sbin; " + command, "bash"] + arguments
        process.currentDirectoryURL = UnmaskProcess.project
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    private static func isMissing(_ program: String) -> Bool {
        guard (try? shell("command -v \(program)").status) != 0 else { return false }
        print("skipped: what a release consists of (\(program) is missing)")
        return true
    }

    @Test(
        "the same program gives the same bytes, whose checksums hold; the package has no fault and goes without a trace; the archive runs where it lies",
        .enabled(if: DrivenProgram.isAnotherBuild, "the optimised program is what is shipped"))
    func release() throws {
        for program in ["dpkg-deb", "dpkg-shlibdeps", "lintian"] where Self.isMissing(program) { return }
        let parent = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-dist-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: parent) }
        let release = try Release(parent.appendingPathComponent("one"))
        let again = try Release(parent.appendingPathComponent("two"))
        let sums = { (release: Release) in try String(contentsOfFile: try release.file("SHA256SUMS"), encoding: .utf8) }
        #expect(try sums(release) == sums(again))
        #expect(release.files.count == 4, "\(release.files)")
        let checked = try Self.shell(#"cd "$1" && sha256sum --check --strict SHA256SUMS"#, [release.folder.path])
        #expect(checked.status == 0, "\(checked.output)")

        let package = try release.file(".deb")
        // Beside a user's warnings about being root.
        let faults = try Self.shell(#"lintian --fail-on error "$1""#, [package])
        #expect(faults.status == 0 && !faults.output.contains("E: "), "\(faults.output)")
        try install(package, under: parent.appendingPathComponent("root"))

        let version = try UnmaskProcess.run(["--version"]).text
        #expect(package.contains("_\(version.trimmingCharacters(in: .whitespacesAndNewlines))_"), "\(package)")
        let unpacked = try Self.shell(
            #"mkdir "$2" && tar -C "$2" -xzf "$1" && cd "$2"/unmask-* && test -f LICENSE && bin/unmask --version"#,
            [try release.file(".tar.gz"), parent.appendingPathComponent("unpacked").path])
        #expect(unpacked.status == 0 && unpacked.output == version, "\(unpacked.output)")
        try look(atParts: try release.file(".spdx.json"))
    }

    /// Installs, upgrades and purges the package in a root of its own, which is as before then.
    private func install(_ package: String, under root: URL) throws {
        guard geteuid() == 0 else { return print("skipped: installing the package (needs root)") }
        let outcome = try Self.shell(
            #"""
            mkdir -p "$2"/var/lib/dpkg/{info,updates,triggers} && touch "$2"/var/lib/dpkg/{status,available}
            run() { dpkg --root="$root" --force-depends --log=/dev/null "$@"; }
            root=$2
            run --install "$1" && test -x "$2/usr/bin/unmask" && test -f "$2/usr/share/man/man1/unmask.1.gz"
            run --install "$1"
            run --purge unmask
            ! find "$2" -path "$2/var" -prune -o -not -type d -print | grep . && ! find "$2" -path "$2/var" -prune -o -name 'unmask*' -print | grep .
            """#, [package, root.path])
        #expect(outcome.status == 0, "\(outcome.output)")
    }

    /// The list names the program, what is linked into it, and what it loads.
    private func look(atParts path: String) throws {
        let list = try String(contentsOfFile: path, encoding: .utf8)
        for part in ["\"SPDX-2.3\"", "\"unmask\"", "\"swift-nio-ssl\"", "\"debian-libssl3\"", "STATIC_LINK", "DYNAMIC_LINK"] {
            #expect(list.contains(part), "\(part) is not in the list of parts")
        }
        guard PeerProgram.hasPython("spdx_tools.spdx.parser.parse_anything") else {
            return print("skipped: the list of parts by spdx-tools (Python has none)")
        }
        let valid = try Self.shell(
            #"""
            PYTHONPATH=.build/peers python3 - "$1" <<'PYTHON'
            import sys
            from spdx_tools.spdx.parser.parse_anything import parse_file
            from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
            sys.exit("\n".join(str(message) for message in validate_full_spdx_document(parse_file(sys.argv[1]))) or None)
            PYTHON
            """#, [path])
        #expect(valid.status == 0, "\(valid.output)")
    }
}
