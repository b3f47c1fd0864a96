import Foundation
import Support
import Testing

/// `make quick` builds a package without the proxy and the command line.
@Suite("The quick build") struct QuickBuildTests {
    @Test("the quick package has the targets of each of its products, and depends on no package")
    func products() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("unmask-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swift", "package", "--package-path", UnmaskProcess.project.path, "--scratch-path", folder.path, "dump-package",
        ]
        process.environment = ProcessInfo.processInfo.environment.merging(["UNMASK_QUICK": "1"]) { $1 }
        process.standardOutput = output
        try process.run()
        let printed = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let package = try JSONDecoder().decode(Package.self, from: printed)
        let targets = Set(package.targets.map(\.name))
        #expect(targets.isSuperset(of: ["Dissection", "Reports", "Sessions", "DissectionTests", "ReportsTests"]), "\(targets)")
        for product in package.products {
            #expect(targets.isSuperset(of: product.targets), "The product \(product.name) lacks a target.")
        }
        #expect(package.dependencies.isEmpty)
    }

    private struct Package: Decodable {
        struct Product: Decodable {
            let name: String
            let targets: [String]
        }
        struct Target: Decodable { let name: String }
        struct Dependency: Decodable {}

        let products: [Product]
        let targets: [Target]
        let dependencies: [Dependency]
    }
}
