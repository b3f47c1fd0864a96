package import Foundation

/// Which build of the program the tests drive: the optimised one that UNMASK_PROGRAM names, as `make test` does after it has built it, else
/// the debug one beside the tests. This is the one place that decides; a printed line says which it is.
package enum DrivenProgram {
    /// The debug program, which is built together with these tests.
    package static let besideTests: URL = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("unmask")
    }()

    /// The program that the tests drive.
    package static let url: URL = {
        guard let path = ProcessInfo.processInfo.environment["UNMASK_PROGRAM"], !path.isEmpty else {
            print("The tests drive the debug program beside them, \(besideTests.path); `make test` drives the optimised one.")
            return besideTests
        }
        let program = URL(fileURLWithPath: path, relativeTo: UnmaskProcess.project).absoluteURL
        if let fault = fault(of: program, builtFrom: UnmaskProcess.project.appendingPathComponent("Sources")) {
            // No test may pass on another program than the one that was asked for.
            fatalError("UNMASK_PROGRAM: \(fault). `make test` builds it; without UNMASK_PROGRAM the tests drive the debug program.")
        }
        print("The tests drive \(program.path).")
        return program
    }()

    /// Whether the tests drive another build than the one beside them.
    package static var isAnotherBuild: Bool { url.resolvingSymlinksInPath() != besideTests.resolvingSymlinksInPath() }

    /// Why a program does not show what the code in a folder does: it is missing, or older than a file of the code.
    package static func fault(of program: URL, builtFrom sources: URL) -> String? {
        guard FileManager.default.isExecutableFile(atPath: program.path), let built = changed(program) else {
            return "\(program.path) is not a program"
        }
        let names = FileManager.default.enumerator(atPath: sources.path)?.compactMap { $0 as? String } ?? []
        // Pages beside the code are not a part of the program.
        let code = names.filter { name in [".swift", ".h", ".modulemap"].contains { name.hasSuffix($0) } }
        let newer = code.first { name in changed(sources.appendingPathComponent(name)).map { $0 > built } ?? false }
        return newer.map { "\(program.path) is older than \(sources.appendingPathComponent($0).path)" }
    }

    private static func changed(_ file: URL) -> Date? {
        try? FileManager.default.attributesOfItem(atPath: file.resolvingSymlinksInPath().path)[.modificationDate] as? Date
    }
}
