import Foundation
import Testing

@testable import Demonstration

/// The authorities of the demonstration, and that nothing of them stays.
@Suite("Scratch trust") struct ScratchTrustTests {
    @Test("both authorities lie in a folder of their own, and are gone when removed")
    func removed() throws {
        let trust = try ScratchTrust()
        let folder = URL(fileURLWithPath: trust.proxyFolder).deletingLastPathComponent()
        #expect(folder.lastPathComponent.hasPrefix("unmask-demo."))
        #expect(trust.serverAuthorityPath.hasPrefix(folder.path + "/"))
        #expect(try String(contentsOfFile: trust.serverAuthorityPath, encoding: .utf8).hasPrefix("-----BEGIN CERTIFICATE-----"))
        let rights = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(rights == 0o700)
        trust.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        // Once more does no harm.
        trust.remove()
    }

    @Test("no two have the same folder")
    func own() throws {
        let (one, other) = (try ScratchTrust(), try ScratchTrust())
        #expect(one.proxyFolder != other.proxyFolder)
        one.remove()
        other.remove()
    }
}
